import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SettleReason } from '../../../daemon/domain/settlement.ts';
import { countCall } from '../../../daemon/gateway/record-errors.ts';

const errors = suite('counting calls that fail');

const cases: readonly [string, readonly [number, number][], SettleReason, readonly string[]][] = [
  ['an answer', [[7, 200]], 'complete', ['7 answered', '0 answered']],
  [
    'an answer of the second channel',
    [
      [7, 500],
      [8, 200],
    ],
    'complete',
    ['7 failed', '8 answered', '0 answered'],
  ],
  [
    'a refusal of the account everywhere',
    [
      [7, 401],
      [8, 429],
    ],
    'upstream_error',
    ['7 failed', '8 failed', '0 failed'],
  ],
  ['a stream that broke off', [[7, 200]], 'upstream_eof', ['7 failed', '0 failed']],
  ['a client that left', [[7, 200]], 'client_gone', ['7 answered', '0 answered']],
  ['a mistake of the client', [[7, 400]], 'upstream_error', []],
  ['a call that reached nobody', [], 'upstream_error', []],
];

for (const [what, tries, reason, expected] of cases) {
  errors(`sees ${what}`, () => {
    const counted: string[] = [];
    const attempts = tries.map(([channel, status]) => ({ channel, status }));
    countCall(attempts, reason, (channel, result) => counted.push(`${channel} ${result}`));
    assert.equal(counted, expected);
  });
}

errors.run();
