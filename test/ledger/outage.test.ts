/** Runs once: it brings a PostgreSQL of its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import { migrateAt } from '../support/migrated.ts';
import { startPostgres } from '../support/servers.ts';
import { Books, holdOf, putAway, settlementOf } from './books.ts';

const outage = suite('the ledger while PostgreSQL is down for ten seconds under load');

outage('refuses new calls, books every answered one, and loses no unit of quota', async () => {
  // Durable, as the server is ended like a crash and must still know what it acknowledged.
  const server = await startPostgres({ durable: true });
  try {
    await migrateAt(server.url);
    const books = await Books.open(server.url, { limits: {} });
    const purse = await books.purse(1_000_000_000, 1_000_000_000);
    const channelId = await books.channel();
    await books.watch();
    const answered: string[] = [];
    const refusals = new Map<string, number>();
    const settling: Promise<void>[] = [];
    let slowestSettleMs = 0;
    let load = true;
    const caller = async (id: number) => {
      for (let call = 0; load; call++) {
        const requestId = `${id}-${call}`;
        try {
          await books.ledger.hold(holdOf(purse, requestId, 100));
        } catch (error) {
          const code = error instanceof TollgateError ? error.code : String(error);
          refusals.set(code, (refusals.get(code) ?? 0) + 1);
          await pause(100);
          continue;
        }
        await pause(Math.random() * 300);
        const began = Date.now();
        settling.push(
          books.ledger.settle(settlementOf(purse, { requestId, held: 100, charge: 70, channelId })).then(() => {
            slowestSettleMs = Math.max(slowestSettleMs, Date.now() - began);
          }),
        );
        answered.push(requestId);
      }
    };
    const callers = Promise.all(Array.from({ length: 50 }, (_, id) => caller(id)));
    await pause(1000);
    await server.crash();
    const before = answered.length;
    await pause(10_000);
    await server.resume();
    await pause(3000);
    load = false;
    await callers;
    await Promise.all(settling);
    await books.ledger.drain();
    books.nowMs += 31_000;
    while ((await books.ledger.sweep()) > 0);

    assert.equal([...refusals.keys()], ['accounting_unavailable']);
    assert.ok(answered.length > before + 50, 'calls are served again');
    assert.ok(slowestSettleMs < 15_000, `a settlement was not safe for ${slowestSettleMs} ms`);
    assert.ok(books.events.some((event) => event.kind === 'replayed'));
    for (const requestId of answered) {
      const rows = await books.rowsOf(requestId);
      assert.equal(
        rows.map((row) => row.quota),
        [70],
        requestId,
      );
    }
    await books.close();
  } finally {
    await putAway();
    await server.stop();
  }
});

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}

outage.run();
