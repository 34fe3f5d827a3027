/** A realtime session whose balance runs out while an answer comes faster than any clock looks (relay.md 5.13, 15.8, D20). */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { eachInRealtimeWorld, openSession, type RealtimeWorld } from '../support/realtime-world.ts';

const model = 'gpt-realtime';
const key = 'sk-upstream';

const test = suite<RealtimeWorld>('relay: spent realtime sessions');
eachInRealtimeWorld(test, { type: 1, models: [model], key });

test('a session ends once its balance is spent, at most one slice below zero, however fast it is answered', async (world) => {
  await world.harness.stop();
  world.harness = await GatewayHarness.start({
    user: { quota: 8000 },
    channels: [{ id: 1, type: 1, baseUrl: world.server.url, models: model, keys: [key] }],
    options: {
      ModelRatio: { [model]: 1 },
      CompletionRatio: { [model]: 1 },
      AudioRatio: { [model]: 16 },
      AudioCompletionRatio: { [model]: 1 },
    },
  });
  const { harness } = world;
  const books = await LedgerInvariants.begin(harness.databaseUrl);
  try {
    const { client, upstream } = await openSession(world, model);
    const second = { type: 'response.output_audio.delta', delta: Buffer.alloc(48_000).toString('base64') };
    const closed = once(client.socket, 'close');
    for (let said = 0; said < 300; said += 1) upstream.say(second);
    const [code] = await closed;
    const [row] = await harness.rows();
    await harness.settled();
    const { quota } = await harness.user();
    assert.equal([code, row?.facts.settle_reason], [1008, 'quota_exhausted']);
    assert.ok(quota >= -512, `balance ${quota}`);
    assert.ok((row?.quota ?? 0) > 4000, `charge ${row?.quota}`);
    await books.check();
  } finally {
    await books.end();
  }
});

test.run();
