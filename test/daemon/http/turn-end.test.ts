import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TurnEnd } from '../../../daemon/http/turn-end.ts';

const test = suite('http/turn-end');

test('flushes everything of a turn once, at its end, in order, though one of it fails', async () => {
  const turnEnd = new TurnEnd();
  const flushed: string[] = [];
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  process.once('uncaughtException', onFault);
  for (const name of ['a', 'bad', 'b', 'c']) {
    turnEnd.add({
      flush: () => {
        if (name === 'bad') throw new Error('cannot be sent');
        flushed.push(name);
      },
    });
  }
  assert.equal(flushed, []);
  await turn();
  await turn();
  await turn();
  process.off('uncaughtException', onFault);
  assert.equal(flushed, ['a', 'b', 'c']);
  assert.equal(faults.map(String), ['Error: cannot be sent']);
});

test.run();
