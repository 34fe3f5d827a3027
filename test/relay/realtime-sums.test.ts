/** What a realtime session comes to, beside its row: once in the hourly figures, and once at a price by the call. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Settlement } from '../../daemon/domain/settlement.ts';
import { HourlyUsage } from '../../daemon/domain/usage-log-hourly.ts';
import { GatewayHarness, type HarnessOptions } from '../support/gateway-harness.ts';
import { eachInRealtimeWorld, hangUp, openSession, type RealtimeWorld } from '../support/realtime-world.ts';
import { until } from '../support/until.ts';

const model = 'gpt-realtime';
const key = 'sk-upstream';
const turn = { type: 'response.done', response: { usage: { input_tokens: 30, output_tokens: 20, total_tokens: 50 } } };

const test = suite<RealtimeWorld>('relay: sums of realtime sessions');
eachInRealtimeWorld(test, { type: 1, models: [model], key });

/** A gateway in the place of the world's, with the same channel. */
async function begin(world: RealtimeWorld, rest: Omit<HarnessOptions, 'channels'>): Promise<void> {
  await world.harness.stop();
  const channels = [{ id: 1, type: 1, baseUrl: world.server.url, models: model, keys: [key] }];
  world.harness = await GatewayHarness.start({ channels, ...rest });
}

test('a session counts once in the hourly figures, with all of its turns', async (world) => {
  const settlements: Settlement[] = [];
  await begin(world, {
    options: { ModelRatio: { [model]: 1 }, CompletionRatio: { [model]: 1 } },
    settled: (settlement) => settlements.push(settlement),
  });
  const { database } = world.harness;
  const { client, upstream } = await openSession(world, model);
  for (const turns of [1, 2, 3]) {
    upstream.say(turn);
    await until(() => client.heard.length === turns && settlements.length === turns);
  }
  assert.is((await hangUp(world, client)).quota, 150);
  await world.harness.settled();
  const hourly = new HourlyUsage({ database });
  for (const settlement of settlements) hourly.count(settlement);
  await hourly.flush();
  const figures = await database.stores.quotaData.list('all', { from: 0, until: Number.MAX_SAFE_INTEGER });
  assert.equal(
    figures.map(({ count, quota, tokenUsed }) => ({ count, quota, tokenUsed })),
    [{ count: 1, quota: 150, tokenUsed: 150 }],
  );
});

test('a session that does nothing but write down what is said costs so much a minute', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const type = 'conversation.item.input_audio_transcription.completed';
  const told = (seconds: number) => ({ type, transcript: 'hello', usage: { type: 'duration', seconds } });
  upstream.say(told(59.2), told(30), { ...told(0), usage: null });
  await until(() => client.heard.length === 3);
  const { quota, promptTokens } = await hangUp(world, client);
  assert.equal({ quota, promptTokens }, { quota: 1500, promptTokens: 1500 });
});

test('a session at a price by the call costs it once, also where its client just vanishes', async (world) => {
  await begin(world, { options: { ModelPrice: { [model]: 0.01 } } });
  const { client, upstream } = await openSession(world, model);
  upstream.say(turn, turn);
  await until(() => client.heard.length === 2);
  client.socket.terminate();
  const [row, ...more] = await world.harness.rows();
  assert.equal([row?.facts.settle_reason, row?.quota, more.length], ['client_gone', 5000, 0]);
  assert.is((await world.harness.user()).usedQuota, 5000);
});

test.run();
