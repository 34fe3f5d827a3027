/** Runs once: it brings a PostgreSQL server of its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrateAt } from '../support/migrated.ts';
import { startPostgres } from '../support/servers.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';
import { Books, holdOf, putAway, settlementOf } from './books.ts';

const pooled = suite('the ledger behind a pooler that hands connections round by the transaction');

pooled('holds and books every call, although nothing that was prepared stays', async () => {
  const server = await startPostgres();
  const pooler = await startTransactionPooler(server.url);
  try {
    await migrateAt(pooler.url);
    const books = await Books.open(pooler.url);
    const purse = await books.purse(1_000_000, 1_000_000);
    const channelId = await books.channel();
    await books.watch();
    const calls = Array.from({ length: 200 }, (_, call) => `call-${call}`);
    await Promise.all(
      calls.map(async (requestId, call) => {
        // Groups of all sizes, one after the other and side by side.
        await new Promise((resume) => setTimeout(resume, call * 2));
        await books.ledger.hold(holdOf(purse, requestId, 100));
        await books.ledger.settle(settlementOf(purse, { requestId, held: 100, charge: 70, channelId }));
      }),
    );
    await books.ledger.drain();
    assert.equal(books.events, []);
    assert.ok(pooler.refusals > 0 && pooler.refusals <= 10, `once a connection, at most: ${pooler.refusals}`);
    for (const requestId of calls) {
      const charges = (await books.rowsOf(requestId)).map(({ quota }) => quota);
      assert.equal(charges, [70], requestId);
    }
    await books.close();
  } finally {
    await putAway();
    await pooler.stop();
    await server.stop();
  }
});

pooled.run();
