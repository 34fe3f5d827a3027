/**
 * GLM's answers, which do not say what they are, as clients of OpenAI's dialect must read them (providers/zhipu.md).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';
import { recordedAnswer, recordedBody } from '../support/recorded-call.ts';
import { events } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('relay/GLM answers');
const whole = 'zhipu/oa-chat--glm-4-5-air-no-tool';

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  await world.daemon.addChannel({ type: 26, base_url: world.upstream.url, models: 'glm-4.5-air' });
  world.key = await world.daemon.addKey();
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

function ask({ daemon, key }: World, asked: object = {}): Promise<Response> {
  return fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'glm-4.5-air', messages: [{ role: 'user', content: 'hi' }], ...asked }),
  });
}

test('say what they are, whole, with thoughts, words and usage as they came', async (world) => {
  const recorded = recordedBody(whole);
  assert.is(recorded.object, undefined);
  world.upstream.script(recordedAnswer(whole));
  const answer = await ask(world);
  const body = await answer.json();
  assert.equal(
    [body.object, body.id, body.created, body.model],
    ['chat.completion', recorded.id, recorded.created, 'glm-4.5-air'],
  );
  const [choice] = body.choices;
  assert.is(choice.finish_reason, 'stop');
  assert.match(choice.message.content, /cheetahs/);
  assert.match(choice.message.reasoning_content, /a joke about cats/);
  assert.is(body.usage.total_tokens, 253);
  assert.is(body.usage.prompt_tokens_details.cached_tokens, 43);
  const row = await logRowOf(world.daemon, answer);
  assert.equal([row.prompt_tokens, row.completion_tokens], [164, 89]);
});

test('say what they are in every chunk of a stream', async (world) => {
  world.upstream.script(recordedAnswer('zhipu/oa-chat--glm-4-5-flash-streaming-stream'));
  const answer = await ask(world, { stream: true, stream_options: { include_usage: true } });
  const payloads = events(await answer.text());
  assert.is(payloads.pop(), '[DONE]');
  assert.ok(payloads.length > 2);
  for (const payload of payloads) assert.is(JSON.parse(payload).object, 'chat.completion.chunk');
  assert.is(JSON.parse(payloads.at(-1) ?? '').usage.total_tokens, 172);
});

for (const [theirs, told] of [
  ['sensitive', 'content_filter'],
  ['model_context_window_exceeded', 'length'],
  ['network_error', 'stop'],
] as const) {
  test(`end with ${told} where GLM ends with ${theirs}`, async (world) => {
    const choice = { index: 0, finish_reason: theirs, message: { role: 'assistant', content: 'Hi' } };
    world.upstream.script(() => jsonAnswer({ ...recordedBody(whole), choices: [choice] }));
    const body = await (await ask(world)).json();
    assert.is(body.choices[0].finish_reason, told);
  });
}

const page = { title: 'A page', link: 'https://example.com/a', content: 'words' };
/** What GLM says beside its answers. */
const beside = { request_id: 'r-1', content_filter: [{ role: 'assistant', level: 2 }], web_search: [page] };

test('show the pages that were searched as annotations, and all else that GLM says as it came', async (world) => {
  world.upstream.script(() => jsonAnswer({ ...recordedBody(whole), ...beside }));
  const answer = await ask(world);
  const body = await answer.json();
  assert.is(body.choices[0].message.annotations[0].url_citation.url, page.link);
  const { request_id, content_filter, web_search } = body;
  assert.equal({ request_id, content_filter, web_search }, beside);
  assert.is((await logRowOf(world.daemon, answer)).facts.dropped_fields, undefined);
});

test('show it in streams once, with the chunk that follows', async (world) => {
  const told = (delta: object, more: object = {}, finish: string | null = null) => ({
    id: 'g-1',
    created: 5,
    model: 'glm-4.5-air',
    request_id: beside.request_id,
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  world.upstream.script(() =>
    sseAnswer([
      told({ role: 'assistant', content: 'Hel' }, { web_search: [page] }),
      told({ content: 'lo' }),
      told({ content: '!' }),
      told({}, { content_filter: beside.content_filter, usage }, 'stop'),
      '[DONE]',
    ]),
  );
  const payloads = events(await (await ask(world, { stream: true })).text()).filter((data) => data !== '[DONE]');
  const chunks = payloads.map((data) => JSON.parse(data));
  for (const [name, value] of Object.entries(beside)) {
    assert.equal(
      chunks.filter((chunk) => chunk[name] !== undefined).map((chunk) => chunk[name]),
      [value],
      name,
    );
  }
  assert.is(chunks.at(-1).choices[0].finish_reason, 'stop');
  const text = chunks.map((chunk) => chunk.choices[0].delta.content ?? '').join('');
  assert.is(text, 'Hello!');
});

test('note it for clients of dialects that have no place for it', async (world) => {
  world.upstream.script(() => jsonAnswer({ ...recordedBody(whole), ...beside }));
  const answer = await fetch(`${world.daemon.url}/v1beta/models/glm-4.5-air:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': world.key, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
  });
  assert.is(answer.status, 200);
  const { facts } = await logRowOf(world.daemon, answer);
  assert.equal(facts.dropped_fields, ['answer.request_id', 'answer.content_filter', 'answer.web_search']);
});

test.run();
