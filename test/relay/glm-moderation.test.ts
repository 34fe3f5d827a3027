/**
 * Zhipu's moderation, asked by clients of OpenAI's (docs.bigmodel.cn). Runs once: what is sent to a vendor, and made of
 * its answer, is the same on every database.
 */
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('relay/GLM moderation');

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  await world.daemon.addChannel({ type: 26, base_url: world.upstream.url, models: 'moderation' });
  world.key = await world.daemon.addKey();
});

test.before.each(({ upstream }) => {
  upstream.requests.length = 0;
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

function clientOf({ daemon, key }: World): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${daemon.url}/v1`, maxRetries: 0 });
}

function judged(...list: readonly (readonly [level: string, ...kinds: string[]])[]): object {
  const results = list.map(([level, ...kinds]) => ({ content_type: 'text', risk_level: level, risk_type: kinds }));
  return {
    id: 'm-1',
    created: 5,
    request_id: 'r',
    result_list: results,
    usage: { moderation_text: { call_count: 1 } },
  };
}

/** Verdicts by the words of the text that is asked about. */
function judge({ body }: { readonly body: Buffer }) {
  const { input } = JSON.parse(body.toString());
  if (input === 'mild') return jsonAnswer(judged(['REVIEW', '涉黄']));
  return jsonAnswer(judged(input === 'bad' ? ['REJECT', '涉暴', 'spam'] : ['PASS']));
}

const bodies = ({ upstream }: World) => upstream.requests.map(({ body }) => JSON.parse(body.toString()));

test('a text is judged, and told in the words that clients look for', async (world) => {
  world.upstream.script(judge);
  const answer = await clientOf(world).moderations.create({ model: 'moderation', input: 'bad' });
  assert.equal([answer.id, answer.model, answer.results.length], ['m-1', 'moderation', 1]);
  const [result] = answer.results;
  assert.ok(result);
  assert.is(result.flagged, true);
  const { violence, sexual, ...others } = result.categories;
  assert.equal([violence, sexual, { ...others }.hate, Reflect.get(others, 'spam')], [true, false, false, true]);
  assert.equal([result.category_scores.violence, result.category_scores.sexual], [1, 0]);
  assert.equal(result.category_applied_input_types.violence, ['text']);
  assert.equal(bodies(world), [{ model: 'moderation', input: 'bad' }]);
  assert.is(world.upstream.requests[0]?.url, '/api/paas/v4/moderations');
});

test('what passes is not flagged, what a person should see is, by half', async (world) => {
  world.upstream.script(judge);
  const { results } = await clientOf(world).moderations.create({ model: 'moderation', input: ['fine', 'mild', 'bad'] });
  assert.equal(
    results.map(({ flagged, category_scores: scores }) => [flagged, scores.sexual, scores.violence]),
    [
      [false, 0, 0],
      [true, 0.5, 0],
      [true, 0, 1],
    ],
  );
  // Each text is a call of its own, for the vendor judges one.
  assert.equal(
    bodies(world)
      .map(({ input }) => input)
      .toSorted(),
    ['bad', 'fine', 'mild'],
  );
});

test('words and images that belong together get one verdict, the worst of all', async (world) => {
  world.upstream.script(() => jsonAnswer(judged(['PASS'], ['REJECT', '涉黄'])));
  const input = [
    { type: 'text' as const, text: 'look' },
    { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } },
  ];
  const { results } = await clientOf(world).moderations.create({ model: 'moderation', input });
  assert.equal(
    results.map(({ flagged, categories, category_applied_input_types: kinds }) => [
      flagged,
      categories.sexual,
      kinds.sexual,
    ]),
    [[true, true, ['text', 'image']]],
  );
  assert.equal(bodies(world), [{ model: 'moderation', input }]);
});

test('a level that nobody knows is no pass, and an answer without one is none', async (world) => {
  world.upstream.script(() => jsonAnswer(judged(['BLOCK'])));
  const ask = () => clientOf(world).moderations.create({ model: 'moderation', input: 'x' });
  assert.is((await ask()).results[0]?.flagged, true);
  world.upstream.script(() => jsonAnswer({ id: 'm', result_list: [{ content_type: 'text' }] }));
  const refused = await ask().catch((error: unknown) => error);
  assert.is(refused instanceof OpenAI.APIError && refused.status, 502);
});

test('more texts than a call may divide into are refused before anybody is asked', async (world) => {
  const input = Array.from({ length: 129 }, (_, place) => `text ${place}`);
  const refused = await clientOf(world)
    .moderations.create({ model: 'moderation', input })
    .catch((error: unknown) => error);
  assert.is(refused instanceof OpenAI.APIError && refused.status, 400);
  assert.match(String(refused), /at most 128 texts/);
  assert.is(world.upstream.requests.length, 0);
});

test('the log counts the text, since the vendor counts calls', async (world) => {
  world.upstream.script(judge);
  const answer = await fetch(`${world.daemon.url}/v1/moderations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'moderation', input: 'is this all fine?', metadata: { a: 'b' } }),
  });
  assert.is(answer.status, 200);
  const row = await logRowOf(world.daemon, answer);
  assert.ok(row.prompt_tokens > 0);
  assert.is(row.completion_tokens, 0);
  assert.equal(row.facts.dropped_fields, ['metadata']);
});

test.run();
