import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeInTurn, sharedPatience } from '../../daemon/close-in-turn.ts';

const closing = suite('daemon: closing');

closing('closes what comes behind one that cannot be closed, and rejects with the first failure', async () => {
  const closed: string[] = [];
  const told: string[] = [];
  const broken = new Error('the database is away');
  const parts = [
    ['kept responses', () => Promise.reject(broken)],
    ['the ledger', async () => void closed.push('ledger')],
    ['the figures', () => assert.unreachable()],
    ['the rest', () => void closed.push('rest')],
  ] as const;
  const end = await closeInTurn(parts, (what) => told.push(what)).catch((error: unknown) => error);
  assert.is(end, broken);
  assert.equal(closed, ['ledger', 'rest']);
  assert.equal(told, ['kept responses', 'the figures']);
});

closing(
  'waits for parts that stay silent so long in all, and for one that ends as long as it takes within that',
  async () => {
    const patience = sharedPatience(100);
    const silent = new Promise<void>(() => undefined);
    assert.is(await patience(Promise.resolve()), true);
    const began = performance.now();
    assert.equal([await patience(silent), await patience(silent), await patience(silent)], [false, false, false]);
    assert.ok(performance.now() - began < 250);
    const failure = new Error('away');
    assert.is(await sharedPatience(100)(Promise.reject(failure)).catch((error: unknown) => error), failure);
  },
);

closing.run();
