import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeInTurn } from '../../daemon/close-in-turn.ts';

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

closing.run();
