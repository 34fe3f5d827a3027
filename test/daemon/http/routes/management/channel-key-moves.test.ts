/** Runs once: what a session is asked for, which no database decides. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../../../daemon/contract/client.ts';
import { signedIn } from '../../../../support/api-browser.ts';
import { rootPassword, startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';

const moves = suite<{ daemon: TestDaemon }>('http/routes/management (channel keys on their way to another host)');

moves.before(async (context) => {
  context.daemon = await startTestDaemon({
    config: { 'security.fresh_proof_for_administration': true },
  });
});
moves.after(({ daemon }) => daemon.stop());

async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'accepted',
    (error: unknown) => (error instanceof ApiError && error.code === 'step_up_required' ? error.data : error),
  );
}

moves('want the proof that reading the keys wants, where administrators are asked for it', async ({ daemon }) => {
  const id = await daemon.addChannel({ name: 'moving', models: 'm', base_url: 'https://one.example' });
  const session = await signedIn(daemon.url, { username: 'root', password: rootPassword });
  const asked = { action: 'channel_key', methods: ['password'] };
  const elsewhere = { id, base_url: 'https://thief.example' };
  const row = { name: 'moving', base_url: 'https://thief.example' };
  const file = { channels: [row], on_clash: 'update' as const };
  assert.equal(await outcomeOf(session.channels.update(elsewhere)), asked);
  const beside = { ...elsewhere, key: 'sk-own', key_mode: 'append' } as const;
  assert.equal(await outcomeOf(session.channels.update(beside)), asked, 'the stored key would go along');
  assert.equal(await outcomeOf(session.channels.import(file)), asked);
  assert.is((await daemon.root.channels.get({ id })).base_url, 'https://one.example');

  assert.is(await outcomeOf(session.channels.import({ ...file, dry_run: true })), 'accepted');
  assert.is(
    await outcomeOf(session.channels.update({ id, base_url: 'https://one.example/v2', weight: 3 })),
    'accepted',
  );
  const other = { id, base_url: 'https://two.example', key: 'sk-another' };
  assert.is(await outcomeOf(session.channels.update(other)), 'accepted', 'the stored key goes nowhere');
  assert.is(await outcomeOf(daemon.root.channels.update({ id, base_url: 'https://three.example' })), 'accepted');

  await session.stepUp.prove({ action: 'channel_key', method: 'password', password: rootPassword });
  assert.is(await outcomeOf(session.channels.update(elsewhere)), 'accepted');
  assert.is(
    await outcomeOf(session.channels.import({ ...file, channels: [{ ...row, base_url: 'https://four.example' }] })),
    'accepted',
  );
});

moves.run();
