/**
 * Of several locations that a channel names for a model, each call draws one (providers/vertex.md).
 * Runs once: where a vendor is asked is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';

const test = suite<RelayWorld>('relay: places on Vertex');

const spread = 'gemini-2.5-pro';
const settled = 'gemini-3.5-flash';
const answer = jsonAnswer({
  candidates: [{ content: { role: 'model', parts: [{ text: 'pong' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answer);
  world.daemon = await startTestDaemon({
    config: { 'limits.per_user.enabled': false },
    options: { ModelRatio: JSON.stringify({ [spread]: 1, [settled]: 1 }) },
  });
  await world.daemon.addChannel({
    type: 41,
    key: 'acme|AIza-key',
    other: JSON.stringify({ default: 'global', [spread]: ['us-central1', 'europe-west4'] }),
    base_url: world.upstream.url,
    models: `${spread},${settled}`,
  });
  world.key = await world.daemon.addKey();
});
tidyBetween(test, answer);

const messages = [{ role: 'user', content: 'ping' }];

/** So many that all of them at one place of two is out of the question. */
async function placesAsked(world: RelayWorld, model: string): Promise<Set<string | undefined>> {
  const asked = Array.from({ length: 40 }, () => postJson(world, '/v1/chat/completions', { model, messages }));
  for (const { status } of await Promise.all(asked)) assert.is(status, 200);
  return new Set(world.upstream.requests.map(({ url }) => /\/locations\/([^/]+)\//.exec(url)?.[1]));
}

test('each call draws its place where a model has several', async (world) => {
  assert.equal(await placesAsked(world, spread), new Set(['us-central1', 'europe-west4']));
});

test('a model with one place stays there', async (world) => {
  assert.equal(await placesAsked(world, settled), new Set(['global']));
});

test.run();
