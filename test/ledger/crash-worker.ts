/**
 * A bookkeeper in a process of its own, to be killed. Arguments: address of the database, data folder, user id, token
 * id, and what to do: `hold` takes holds and waits; `load` answers calls until it dies. Each line it writes is a request
 * whose answer was given: its settlement was handed to the ledger.
 */
import { writeSync } from 'node:fs';
import { Ledger } from '../../daemon/domain/ledger.ts';
import { openDatabase } from '../../daemon/store/database.ts';
import { holdOf, NOW_MS, settlementOf } from './books.ts';

const [url = '', dataDir = '', userId = '', tokenId = '', task = ''] = process.argv.slice(2);
const purse = { userId: Number(userId), tokenId: Number(tokenId), tokenLimited: true };
const ledger = new Ledger({
  database: await openDatabase({ url }),
  node: 'node-1',
  dataDir,
  now: () => NOW_MS,
  report: () => undefined,
  formatQuota: String,
  language: 'en',
});

if (task === 'hold') {
  await Promise.all(Array.from({ length: 20 }, (_, index) => ledger.hold(holdOf(purse, `held-${index}`, 100))));
  tell('ready');
  setInterval(() => undefined, 1000);
} else {
  tell('ready');
  await Promise.all(Array.from({ length: 40 }, (_, caller) => answerCalls(caller)));
}

async function answerCalls(caller: number): Promise<void> {
  for (let call = 0; ; call++) {
    const requestId = `${process.pid}-${caller}-${call}`;
    await ledger.hold(holdOf(purse, requestId, 100));
    await new Promise((resume) => setTimeout(resume, Math.random() * 5));
    void ledger.settle(settlementOf(purse, { requestId, held: 100, charge: call % 3 === 0 ? 120 : 60 }));
    tell(requestId);
  }
}

/** A line that is out before anything else happens; whoever reads may be slow, and the pipe does not wait. */
function tell(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}
