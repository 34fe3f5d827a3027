/** What a fresh proof leaves in its session, and how one is refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import { Passwords } from '../../../daemon/domain/passwords.ts';
import type { CodeVerdict } from '../../../daemon/domain/second-factors.ts';
import { StepUp, type StepUpDeps } from '../../../daemon/domain/step-up.ts';
import type { UserRecord } from '../../../daemon/store/users.ts';
import { actor } from '../../support/domain-world.ts';
import { refusalOf } from '../../support/refusal-code.ts';

const stepUp = suite('proof in a session');

const now = 1_800_000_000;
const lena = actor({ userId: 7, username: 'lena', role: 1 });

/** One session, of an account with an authenticator app whose code is judged so. */
function scene(verdict: CodeVerdict, recoveryLeft = 0) {
  const kept: { state: Record<string, unknown> } = { state: { affCode: 'invited', proofs: [] } };
  const limit = { enabled: true, count: 10, seconds: 900 };
  const deps = {
    stores: { users: { find: async () => ({ id: 7, password: 'a hash' }) as UserRecord } },
    sessions: {
      change: async (_id: string, edit: (state: object) => Record<string, unknown>) => {
        kept.state = edit(kept.state);
        return true;
      },
    },
    factors: { state: async () => ({ enabled: true, recoveryLeft }), take: async () => verdict },
    passkeys: { isOffered: async () => false },
    passwords: new Passwords(),
    administration: 'asked',
    counters: new MemoryCounters({ now: () => performance.now() }),
    failuresPerName: limit,
    failuresPerAddress: limit,
    nowSeconds: () => now,
  } as unknown as StepUpDeps;
  return { proof: new StepUp(deps), kept };
}

stepUp('is added to what the session knows, in place of an older one for the same action alone', async () => {
  const { proof, kept } = scene('right');
  const other = { action: 'option', expiresAt: now + 100 };
  kept.state.proofs = [other, { action: 'account', expiresAt: now + 1 }];
  assert.is(await proof.prove(lena, 'a session', 'account', { method: 'totp', secret: '1' }), now + 300);
  assert.equal(kept.state, { affCode: 'invited', proofs: [other, { action: 'account', expiresAt: now + 300 }] });
});

stepUp('is refused by the field of what was shown, a used code by its own reason', async () => {
  for (const [verdict, method, code, field] of [
    ['used', 'totp', 'two_factor_code_used', 'code'],
    ['wrong', 'totp', 'step_up_failed', 'code'],
    ['right', 'recovery', 'step_up_failed', 'code'],
    ['right', 'password', 'step_up_failed', 'password'],
  ] as const) {
    const { proof, kept } = scene(verdict);
    const refusal = await refusalOf(proof.prove(lena, 'a session', 'account', { method, secret: '1' }));
    assert.equal([refusal.code, refusal.field], [code, field], `${verdict} ${method}`);
    assert.equal(kept.state.proofs, []);
  }
  const { proof } = scene('right');
  const used = { method: 'passkey', used: {} } as unknown as Parameters<typeof proof.prove>[3];
  assert.is((await refusalOf(proof.prove(lena, 'a session', 'account', used))).field, 'passkey');
});

stepUp('needs a session to be kept in, and names it as ended where there is none', async () => {
  const refusal = await refusalOf(
    scene('right').proof.prove(lena, undefined, 'account', { method: 'totp', secret: '1' }),
  );
  assert.is(refusal.code, 'session_expired');
});

stepUp.run();
