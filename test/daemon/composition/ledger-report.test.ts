import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ledgerReporter } from '../../../daemon/composition/ledger-report.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { createLogger } from '../../../daemon/telemetry/logger.ts';
import { openDomainWorld } from '../../support/domain-world.ts';
import { untilThere } from '../../support/until.ts';

const test = suite('what the ledger tells operators');

test('says what the database died of, once in five seconds, and audits what means a bug', async () => {
  const { database, close } = await openDomainWorld();
  try {
    const lines: { msg: string; ledger: object; err?: { code: string; cause?: { message: string } } }[] = [];
    let nowMs = 0;
    const report = ledgerReporter({
      log: createLogger({ level: 'info', write: (line) => lines.push(JSON.parse(line)) }),
      clock: { now: () => nowMs, monotonic: () => nowMs },
      database,
      nowSeconds: () => 7,
    });
    const full = new TollgateError('db_unavailable', {}, { cause: new Error('SQLITE_FULL: database or disk is full') });
    for (const at of [0, 4999, 5000]) {
      nowMs = at;
      report({ kind: 'database-away', cause: full });
    }
    assert.equal(
      lines.map(({ msg, ledger, err }) => [msg, ledger, err?.code, err?.cause?.message]),
      Array(2).fill([
        'ledger: database-away',
        { kind: 'database-away' },
        'db_unavailable',
        'SQLITE_FULL: database or disk is full',
      ]),
    );
    report({ kind: 'invalid-amount', requestId: 'r-1', detail: 'charge -1' });
    for (const [at, count] of [
      [6000, 1],
      [6100, 2],
      [10_999, 3],
      [11_000, 4],
    ] as const) {
      nowMs = at;
      report({ kind: 'journalled', count });
    }
    assert.equal(
      lines.splice(3).map(({ ledger }) => ledger),
      [
        { kind: 'journalled', count: 1 },
        { kind: 'journalled', count: 9 },
      ],
      'as often for the journal, with nothing left out of the counts',
    );
    assert.equal(lines[2]?.ledger, { kind: 'invalid-amount', requestId: 'r-1', detail: 'charge -1' });
    const rows = () => database.stores.audits.listBefore({}, { limit: 1 });
    const row = await untilThere(async () => (await rows())[0]);
    assert.is(row.action, 'ledger.invalid-amount');
    assert.is(row.target, 'request:r-1');
  } finally {
    await close();
  }
});

test.run();
