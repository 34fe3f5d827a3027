/**
 * Perplexity's Agent API through a whole daemon: what its searches found is told, and what they cost is charged.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asList, asObject, asObjects, parseJson } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { untilThere } from '../support/until.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('Perplexity');

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  const ones = JSON.stringify({ sonar: 1, 'sonar-pro': 1, 'sonar-chat': 1 });
  world.daemon = await startTestDaemon({ options: { ModelRatio: ones, CompletionRatio: ones } });
  await world.daemon.addChannel({ type: 27, key: 'pplx-k', base_url: world.upstream.url, models: 'sonar,sonar-pro' });
  await world.daemon.addChannel({
    type: 27,
    key: 'pplx-k',
    base_url: world.upstream.url,
    models: 'sonar-chat',
    setting: '{"responses_native":false}',
  });
  world.key = await world.daemon.addKey({ conversion: 'warn' });
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

const first = { id: 1, title: 'A', url: 'https://a.example', date: '2026-01-10', snippet: 'a', source: 'web' };
const second = { id: 2, title: 'B', url: 'https://b.example', snippet: 'b', source: 'web' };
const searches = [
  { type: 'search_results', queries: ['a'], results: [first] },
  { type: 'search_results', queries: ['b'], results: [second, first] },
];
const annotations = [{ type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 4, end_index: 7 }];
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'pong[1]', annotations }],
};
const usage = {
  input_tokens: 8,
  output_tokens: 42,
  total_tokens: 50,
  tool_calls_details: { search_web: { invocation: 2 }, fetch_url: { invocation: 4 }, unheard_of: { invocation: 9 } },
  cost: { currency: 'USD', total_cost: 0.0071 },
};
const answer = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_768_480_200,
  status: 'completed',
  model: 'perplexity/sonar',
  output: [...searches, said],
  usage,
};
const events = [
  { type: 'response.created', response: { ...answer, status: 'in_progress', output: [], usage: null } },
  ...searches.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 2, content_index: 0, delta: 'pong[1]' },
  { type: 'response.output_item.done', output_index: 2, item: said },
  { type: 'response.completed', response: answer },
];

async function ask(
  { daemon, key }: World,
  path: string,
  body: JsonObject,
): Promise<{ text: string; json: JsonObject; id: string; dropped: string | null }> {
  const response = await fetch(daemon.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sonar', ...body }),
  });
  const text = await response.text();
  assert.is(response.status, 200, text);
  const id = response.headers.get('x-request-id') ?? '';
  const dropped = response.headers.get('tollgate-dropped-fields');
  return { text, json: asObject(parseJson(text)) ?? {}, id, dropped };
}

/** Charges of a request by what they are for. */
async function charges({ daemon }: World, request_id: string): Promise<unknown[]> {
  const rows = await untilThere(async () => {
    const { items } = await daemon.root.logs.list({ request_id });
    const paid = items.filter(({ type }) => type === 2);
    return paid.length > 0 ? paid : undefined;
  });
  return rows
    .map((row) => [asObject(asObject(parseJson(row.other))?.tool)?.name ?? 'tokens', row.prompt_tokens, row.quota])
    .sort((one, other) => String(one[0]).localeCompare(String(other[0])));
}

/** 4 x 0.5 and 2 x 5 USD a thousand (the sheet's example; a copy of the price page says 2.5), and 50 tokens. */
const owed = [
  ['fetch_url', 0, 1000],
  ['tokens', 8, 50],
  ['web_search', 0, 5000],
];
const messages = [{ role: 'user', content: 'hi' }];

test('a whole answer tells what was found, and each tool is charged in a row of its own', async (world) => {
  world.upstream.script(jsonAnswer(answer));
  const { json, id } = await ask(world, '/v1/chat/completions', { messages });
  assert.equal(json.search_results, [first, second, first]);
  assert.equal(json.citations, ['https://a.example', 'https://b.example']);
  const [choice] = asObjects(json.choices);
  const message = asObject(choice?.message);
  assert.is(message?.content, 'pong[1]');
  assert.equal(asObjects(message?.annotations).length, 1);
  assert.equal(await charges(world, id), owed);
});

test('a stream tells what was found so far, and is charged alike', async (world) => {
  world.upstream.script(sseAnswer(events));
  const { text, id } = await ask(world, '/v1/chat/completions', { messages, stream: true });
  const chunks = text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => asObject(parseJson(event.slice(6))) ?? {});
  const found = chunks.filter((chunk) => chunk.search_results !== undefined);
  assert.equal(
    found.map((chunk) => asList(chunk.search_results).length),
    [1, 3],
  );
  assert.equal(found.at(-1)?.citations, ['https://a.example', 'https://b.example']);
  assert.ok(found.every((chunk) => asObjects(chunk.choices).length === 1 && chunk.object === 'chat.completion.chunk'));
  assert.match(text, 'data: [DONE]');
  assert.equal(await charges(world, id), owed);
});

test('clients of Responses read the items as they are, and pay for the tools too', async (world) => {
  world.upstream.script(jsonAnswer(answer));
  const whole = await ask(world, '/v1/responses', { input: 'hi' });
  assert.equal(whole.json.output, answer.output);
  assert.equal(await charges(world, whole.id), owed);
  world.upstream.script(sseAnswer(events));
  const streamed = await ask(world, '/v1/responses', { input: 'hi', stream: true });
  assert.equal(await charges(world, streamed.id), owed);
});

test('sources without a place in the text stand at an empty one, as the clients of both dialects demand', async (world) => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }];
  const tokens = { prompt_tokens: 8, completion_tokens: 42, total_tokens: 50 };
  world.upstream.script(
    jsonAnswer({ id: 'c', object: 'chat.completion', choices, citations: [first.url], usage: tokens }),
  );
  const { json } = await ask(world, '/v1/responses', { model: 'sonar-chat', input: 'hi' });
  const [part] = asObjects(asObjects(json.output).at(-1)?.content);
  const place = { start_index: 0, end_index: 0 };
  assert.equal(part?.annotations, [{ type: 'url_citation', url: first.url, title: '', ...place }]);
  const unplaced = [{ type: 'url_citation', url: first.url, title: 'A' }];
  const content = [{ type: 'output_text', text: 'pong', annotations: unplaced }];
  world.upstream.script(jsonAnswer({ ...answer, output: [{ ...said, content }] }));
  const chat = await ask(world, '/v1/chat/completions', { messages });
  const message = asObject(asObjects(chat.json.choices)[0]?.message);
  assert.equal(message?.annotations, [
    { type: 'url_citation', url_citation: { url: first.url, title: 'A', ...place } },
  ]);
});

test('words and finds that only the end of a stream tells are told on, and charged', async (world) => {
  const [created] = events;
  const place = { item_id: 'msg_1', output_index: 2, content_index: 0 };
  const added = { type: 'response.output_item.added', output_index: 2, item: { ...said, content: [] } };
  const done = { type: 'response.output_text.done', ...place, text: 'pong[1]' };
  // Of so few tokens, and no tool, an answer without a word would be free.
  const { tool_calls_details: _, ...plain } = { ...usage, output_tokens: 9 };
  const ended = { type: 'response.completed', response: { ...answer, usage: plain } };
  for (const stream of [
    [created, added, done, ended],
    [created, added, ended],
  ]) {
    world.upstream.script(sseAnswer(stream));
    const own = await ask(world, '/v1/responses', { input: 'hi', stream: true });
    assert.equal(await charges(world, own.id), [['tokens', 8, 17]]);
    const chat = await ask(world, '/v1/chat/completions', { messages, stream: true });
    assert.equal(await charges(world, chat.id), [['tokens', 8, 17]]);
    assert.is(chat.text.match(/"content":"pong\[1\]"/g)?.length, 1);
    assert.match(chat.text, '"citations":["https://a.example","https://b.example"]');
  }
});

test('a stream that fails says so, wherever the reason stands', async (world) => {
  const [created] = events;
  const delta = {
    type: 'response.output_text.delta',
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: 'po',
  };
  const failed = { type: 'response.failed', error: { message: 'no room', type: 'server_error', code: 'x' } };
  world.upstream.script(sseAnswer([created, delta, failed]));
  const { text } = await ask(world, '/v1/chat/completions', { messages, stream: true });
  assert.match(text, 'no room');
  assert.not.match(text, '"finish_reason":"stop"');
});

test('an answer without a search tells of none', async (world) => {
  const { tool_calls_details: _, ...plain } = usage;
  world.upstream.script(jsonAnswer({ ...answer, output: [said], usage: plain }));
  const { json, id } = await ask(world, '/v1/chat/completions', { messages });
  assert.equal([json.search_results, json.citations], [undefined, undefined]);
  assert.equal(await charges(world, id), [['tokens', 8, 50]]);
});

test("chat clients narrow the search and choose the vendor's own ways as they always have", async (world) => {
  world.upstream.script(jsonAnswer(answer));
  const own = { preset: 'low', models: ['perplexity/sonar'], max_steps: 2, language_preference: 'de', skills: ['s'] };
  const narrow = { search_domain_filter: ['a.example'], search_recency_filter: 'week' };
  const fetches = { type: 'fetch_url' };
  const web_search_options = { search_context_size: 'high' };
  const body = { messages, ...own, ...narrow, web_search_options, tools: [fetches], logprobs: true, top_logprobs: 2 };
  const { dropped } = await ask(world, '/v1/chat/completions', body);
  assert.is(dropped, 'top_logprobs');
  const sent = asObject(parseJson(String(world.upstream.requests.at(-1)?.body))) ?? {};
  for (const [field, value] of Object.entries(own)) assert.equal(sent[field], value, field);
  assert.equal(sent.tools, [fetches, { type: 'web_search', search_context_size: 'high', filters: narrow }]);
  for (const field of ['search_domain_filter', 'search_recency_filter', 'top_logprobs', 'logprobs', 'include'])
    assert.is(sent[field], undefined, field);
});

test('chat clients are told what the Agent API has no word for, or that is not theirs to go on with', async (world) => {
  world.upstream.script(jsonAnswer(answer));
  const own = { search_mode: 'academic', return_images: true, previous_response_id: 'resp_other' };
  const lost = { ...own, background: true, store: true };
  const { dropped } = await ask(world, '/v1/chat/completions', { messages, ...lost });
  assert.equal(dropped?.split(/,\s*/).toSorted(), Object.keys(lost).toSorted());
  const sent = asObject(parseJson(String(world.upstream.requests.at(-1)?.body))) ?? {};
  for (const field of Object.keys(lost)) assert.is(sent[field], field === 'store' ? false : undefined, field);
  const strict = await world.daemon.addKey({ conversion: 'strict' });
  const asked = world.upstream.requests.length;
  const refused = await fetch(`${world.daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${strict}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sonar', messages, search_mode: 'academic' }),
  });
  assert.is(refused.status, 400);
  assert.match(await refused.text(), 'search_mode');
  assert.is(world.upstream.requests.length, asked);
});

test('a filter alone asks for the search, and that of the tool comes first', async (world) => {
  world.upstream.script(jsonAnswer(answer));
  const search_recency_filter = 'week';
  await ask(world, '/v1/chat/completions', { model: 'sonar-pro', messages, search_recency_filter });
  const tool = { type: 'web_search', filters: { search_recency_filter: 'day' } };
  await ask(world, '/v1/responses', { model: 'sonar-pro', input: 'hi', search_recency_filter, tools: [tool] });
  const [chat, own] = world.upstream.requests.slice(-2).map(({ body }) => asObject(parseJson(String(body))));
  assert.equal(chat?.tools, [{ type: 'web_search', filters: { search_recency_filter } }]);
  assert.equal(own?.tools, [tool]);
});

test.run();
