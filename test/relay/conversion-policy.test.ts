/**
 * The key's setting `conversion`: what becomes of fields that the chosen channel's protocol has no word for.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import {
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';
import { tidyBetween } from '../support/relay-world.ts';
import { chunk, claudeMessage, completion, finishChunk, roleChunk, usageChunk } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  keys: Record<'strict' | 'warn' | 'drop', string>;
}

const test = suite<World>('relay/conversion policy');

const message = claudeMessage({ usage: { input_tokens: 10, output_tokens: 2 } });

const plain = (request: RecordedRequest) =>
  request.url.startsWith('/v1/messages') ? jsonAnswer(message) : jsonAnswer(completion());

const claudeStream = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const ending = [finishChunk, usageChunk, '[DONE]'];

const models = [
  'claude-sonnet-4-5',
  'gpt-4o',
  'both-4o',
  'gpt-5.4',
  'llama-3.1-8b-instant',
  'mistral-large-2512',
  'command-r',
  'seen-4o',
  'gemini-2.5-flash',
  'claude-opus-4-6',
];

/** An error of the OpenAI surface. */
interface Told {
  error: { code: string; param: string };
}

test.before(async (world) => {
  world.upstream = await startFakeUpstream(plain);
  world.daemon = await startTestDaemon({ options: { RetryTimes: '0' } });
  const base_url = world.upstream.url;
  await world.daemon.addChannel({ type: 14, base_url, models: 'claude-sonnet-4-5,both-4o', priority: 9 });
  await world.daemon.addChannel({ type: 1, base_url, models: 'gpt-4o,both-4o,gpt-5.4,seen-4o', priority: 1 });
  await world.daemon.addChannel({ type: 106, base_url, models: 'llama-3.1-8b-instant' });
  await world.daemon.addChannel({ type: 42, base_url, models: 'mistral-large-2512' });
  await world.daemon.addChannel({ type: 24, base_url, models: 'gemini-2.5-flash' });
  const aws = 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1';
  await world.daemon.addChannel({ type: 33, base_url, models: 'claude-opus-4-6', key: aws });
  const setting = '{"api_version":"v1"}';
  await world.daemon.addChannel({ type: 34, base_url, models: 'command-r,seen-4o', setting, priority: 9 });
  await world.daemon.root.options.set({
    key: 'ModelRatio',
    value: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))),
  });
  const key = (conversion: string) => world.daemon.addKey({ name: conversion, conversion });
  world.keys = { strict: await key('strict'), warn: await key('warn'), drop: await key('drop') };
});

tidyBetween(test);

const chat = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 };
const telling = { ...chat, seed: 7, logit_bias: { 1: 2 }, service_tier: 'flex' };

function post(world: World, path: string, body: unknown, key: string): Promise<Response> {
  return fetch(`${world.daemon.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test('keeps the setting with the key, drops by default, and takes no other word', async ({ daemon }) => {
  const { tokens } = daemon.root;
  const made = await tokens.create({ name: 'plain', expired_time: -1, unlimited_quota: true });
  assert.is(made.conversion, 'drop');
  assert.is((await tokens.update({ id: made.id, conversion: 'strict' })).conversion, 'strict');
  assert.is((await tokens.update({ id: made.id, name: 'renamed' })).conversion, 'strict');
  const refused = await fetch(`${daemon.url}/api/token/`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${daemon.accessToken}`,
      'content-type': 'application/json',
      'tollgate-user': '1',
    },
    body: JSON.stringify({ id: made.id, conversion: 'loose' }),
  });
  assert.is((await refused.json()).success, false);
});

test('notes what was dropped in the log row, whatever the key says', async (world) => {
  const answer = await post(world, '/v1/chat/completions', telling, world.keys.drop);
  assert.is(answer.status, 200);
  assert.is(answer.headers.get('tollgate-dropped-fields'), null);
  const { facts } = await logRowOf(world.daemon, answer);
  assert.equal(facts.dropped_fields, ['seed', 'logit_bias']);
  assert.equal(facts.request_conversion, ['openai-chat', 'anthropic-messages']);
});

test('names what was dropped in a header for a key that wants to be warned', async (world) => {
  const answer = await post(world, '/v1/chat/completions', telling, world.keys.warn);
  assert.is(answer.status, 200);
  assert.is(answer.headers.get('tollgate-dropped-fields'), 'seed, logit_bias');
  assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Tollgate-Dropped-Fields/);
});

test('leaves out a tool that only its own vendor runs where the key warns and no channel runs it', async (world) => {
  const ask = (model: string, tool: object, key: string) =>
    post(world, '/v1/responses', { model, input: 'hi', tools: [tool], store: false }, key);
  const files = { type: 'file_search', vector_store_ids: ['vs_1'] };
  const search = { type: 'web_search' };
  for (const [model, tool, lost] of [
    ['claude-sonnet-4-5', files, 'tools.file_search'],
    ['mistral-large-2512', search, 'web_search'],
  ] as const) {
    for (const key of [world.keys.drop, world.keys.strict]) {
      const refused = await ask(model, tool, key);
      assert.is(refused.status, 400);
      assert.match(await refused.text(), /leave the tool out, or set the conversion of your key to warn/);
    }
    const answer = await ask(model, tool, world.keys.warn);
    assert.is(answer.status, 200);
    assert.is(answer.headers.get('tollgate-dropped-fields'), lost);
    assert.not.match(String(world.upstream.requests.at(-1)?.body), /search/);
  }
  world.upstream.script(jsonAnswer({ id: 'resp_1', object: 'response', status: 'completed', output: [] }));
  const answer = await ask('both-4o', files, world.keys.warn);
  assert.is(answer.headers.get('tollgate-dropped-fields'), null);
  assert.is(world.upstream.requests.at(-1)?.url, '/v1/responses');
});

test('names it before the first event of a stream', async (world) => {
  world.upstream.script(sseAnswer(claudeStream));
  const answer = await post(world, '/v1/chat/completions', { ...telling, stream: true }, world.keys.warn);
  assert.is(answer.headers.get('tollgate-dropped-fields'), 'seed, logit_bias');
  assert.match(await answer.text(), /Hello[\s\S]*\[DONE\]/);
  world.upstream.script(plain);
});

test('writes no header that a field name could break', async (world) => {
  const field = 'é\r\nX-Evil: 1, b';
  const answer = await post(world, '/v1/chat/completions', { ...chat, [field]: 1 }, world.keys.warn);
  assert.is(answer.headers.get('x-evil'), null);
  assert.is(answer.headers.get('tollgate-dropped-fields'), '%c3%a9%0d%0aX-Evil%3a%201%2c%20b');
});

test('remembers a bounded number of names', async (world) => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${'x'.repeat(300)}${at}`, 1]));
  const answer = await post(world, '/v1/chat/completions', { ...chat, ...many }, world.keys.drop);
  const { facts } = await logRowOf(world.daemon, answer);
  assert.ok(JSON.stringify(facts.dropped_fields).length < 7000);
});

test('says nothing where nothing is lost: on the native lane, and of values that ask for what happens anyway', async (world) => {
  const { keys } = world;
  const native = await post(world, '/v1/chat/completions', { ...telling, model: 'gpt-4o' }, keys.strict);
  assert.is(native.status, 200);
  const idle = { ...chat, presence_penalty: 0, frequency_penalty: 0, logit_bias: {}, parallel_tool_calls: true, n: 1 };
  const translated = await post(world, '/v1/chat/completions', { ...idle, user: 'u', store: false }, keys.strict);
  assert.is(translated.status, 200);
});

test('names the file that lost its name, and refuses no request for it', async (world) => {
  world.upstream.script(
    jsonAnswer({ candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] }),
  );
  const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } };
  const asked = { model: 'gemini-2.5-flash', messages: [{ role: 'user', content: [file] }] };
  const told = await post(world, '/v1/chat/completions', asked, world.keys.warn);
  assert.equal([told.status, told.headers.get('tollgate-dropped-fields')], [200, 'document.title']);
  assert.is((await post(world, '/v1/chat/completions', asked, world.keys.strict)).status, 200);
  world.upstream.script(plain);
});

for (const [dialect, path, body, seen] of [
  ['OpenAI chat', '/v1/chat/completions', telling, (it: Told) => [it.error.code, it.error.param]],
  [
    'OpenAI Responses',
    '/v1/responses',
    { model: chat.model, input: 'hi', text: { verbosity: 'low' }, metadata: { a: 'b' } },
    (it: Told) => [it.error.code, it.error.param],
  ],
] as const) {
  test(`refuses the request of a strict key in the words of ${dialect}, names the fields and asks nobody`, async (world) => {
    const answer = await post(world, path, body, world.keys.strict);
    assert.is(answer.status, 400);
    const fields = dialect === 'OpenAI chat' ? 'seed, logit_bias' : 'verbosity, metadata';
    assert.equal(seen(await answer.json()), ['convert_request_failed', fields]);
    assert.is(world.upstream.requests.length, 0);
  });
}

test('refuses a strict request on the Anthropic and Gemini surfaces in their shapes', async (world) => {
  const { keys } = world;
  const messages = { ...chat, model: 'gpt-4o', top_k: 5 };
  const anthropic = await post(world, '/v1/messages', messages, keys.strict);
  assert.is(anthropic.status, 400);
  const told = await anthropic.json();
  assert.is(told.error.type, 'invalid_request_error');
  assert.match(told.error.message, /dropped: top_k \(/);
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const body = { contents, generationConfig: { topK: 5 } };
  const gemini = await post(world, '/v1beta/models/gpt-4o:generateContent', body, keys.strict);
  assert.is(gemini.status, 400);
  assert.is((await gemini.json()).error.status, 'INVALID_ARGUMENT');
  assert.is(world.upstream.requests.length, 0);
});

for (const [model, fields, lost] of [
  ['llama-3.1-8b-instant', { logit_bias: { 1: 2 }, n: 1, seed: 7, metadata: {} }, ['logit_bias']],
  [
    'mistral-large-2512',
    { seed: 7, logprobs: true, user: 'u', own_field: 1, reasoning_effort: 'high' },
    ['logprobs', 'own_field', 'reasoning_effort'],
  ],
  ['llama-3.1-8b-instant', { messages: [{ role: 'user', content: 'hi', name: 'ann' }] }, ['messages.name']],
  [
    'mistral-large-2512',
    {
      messages: [
        { role: 'user', content: 'hi', name: 'ann' },
        { role: 'assistant', content: 'hm', reasoning_content: 'why', annotations: [{}], refusal: null, audio: null },
        { role: 'user', content: 'so?' },
      ],
      response_format: { type: 'text' },
    },
    ['messages.name', 'reasoning'],
  ],
  [
    'gpt-5.4',
    { temperature: 0.2, max_tokens: 50, presence_penalty: 0, top_p: 1, stop: ['x'] },
    ['temperature', 'stop'],
  ],
] as const) {
  test(`notes, announces and refuses what ${model} is not told by its vendor's rules`, async (world) => {
    const body = { model, messages: chat.messages, ...fields };
    const warned = await post(world, '/v1/chat/completions', body, world.keys.warn);
    assert.is(warned.status, 200);
    assert.is(warned.headers.get('tollgate-dropped-fields'), lost.join(', '));
    assert.equal((await logRowOf(world.daemon, warned)).facts.dropped_fields, [...lost]);
    world.upstream.requests.length = 0;
    const refused = await post(world, '/v1/chat/completions', body, world.keys.strict);
    assert.is(refused.status, 400);
    const { error }: Told = await refused.json();
    assert.is(error.param, lost.join(', '));
    assert.is(world.upstream.requests.length, 0);
  });
}

test('refuses pictures to a model that reads text alone, and leaves them to a channel that can show them', async (world) => {
  const image_url = { url: 'data:image/png;base64,AAAA' };
  const content = [
    { type: 'text', text: 'what is this?' },
    { type: 'image_url', image_url },
  ];
  const ask = (model: string, key: string) =>
    post(world, '/v1/chat/completions', { model, messages: [{ role: 'user', content }] }, key);
  for (const key of Object.values(world.keys)) {
    const refused = await ask('command-r', key);
    const { error }: Told = await refused.json();
    assert.equal([refused.status, error.code, error.param], [400, 'convert_request_failed', 'content']);
  }
  assert.is(world.upstream.requests.length, 0);
  const answer = await ask('seen-4o', world.keys.strict);
  assert.is(answer.status, 200);
  assert.equal(JSON.parse(String(world.upstream.requests[0]?.body)).messages, [{ role: 'user', content }]);
});

test('notes what a vendor is not told of a request in another dialect', async (world) => {
  const tool = { name: 'f', input_schema: { type: 'object' } };
  const body = { model: 'llama-3.1-8b-instant', max_tokens: 9, messages: chat.messages, tools: [tool] };
  const answer = await post(world, '/v1/messages', { ...body, top_k: 3, metadata: { user_id: 'u' } }, world.keys.warn);
  assert.is(answer.headers.get('tollgate-dropped-fields'), 'top_k, user');
});

test('names the members of a Gemini configuration that are lost, and not those that are kept', async (world) => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const generationConfig = { temperature: 0.5, mediaResolution: 'MEDIA_RESOLUTION_LOW', speechConfig: { a: 1 } };
  const ask = (key: string, generation_config: object) =>
    post(world, '/v1beta/models/gpt-4o:generateContent', { contents, generation_config }, key);
  const warned = await ask(world.keys.warn, generationConfig);
  assert.is(warned.status, 200);
  const lost = ['generationConfig.mediaResolution', 'generationConfig.speechConfig'];
  assert.is(warned.headers.get('tollgate-dropped-fields'), lost.join(', '));
  assert.equal((await logRowOf(world.daemon, warned)).facts.dropped_fields, lost);
  assert.is(JSON.parse(String(world.upstream.requests[0]?.body)).temperature, 0.5);
  const refused = await ask(world.keys.strict, generationConfig);
  assert.is(refused.status, 400);
  assert.match(
    (await refused.json()).error.message,
    /generationConfig\.mediaResolution, generationConfig\.speechConfig/,
  );
  const idle = await ask(world.keys.strict, { temperature: 0.5, speech_config: null, imageConfig: {} });
  assert.is(idle.status, 200);
});

test('passes over a channel that cannot say all of a strict request, and uses up no attempt with it', async (world) => {
  const answer = await post(world, '/v1/chat/completions', { ...telling, model: 'both-4o' }, world.keys.strict);
  assert.is(answer.status, 200);
  assert.equal(
    world.upstream.requests.map((request) => request.url),
    ['/v1/chat/completions'],
  );
  const { facts } = await logRowOf(world.daemon, answer);
  assert.is(facts.dropped_fields, undefined);
});

test('passes over a channel that has no word for the content, and refuses where none has', async (world) => {
  const several = { ...chat, n: 2 };
  const served = await post(world, '/v1/chat/completions', { ...several, model: 'both-4o' }, world.keys.drop);
  assert.is(served.status, 200);
  const refused = await post(world, '/v1/chat/completions', several, world.keys.drop);
  assert.is(refused.status, 400);
  assert.is((await refused.json()).error.param, 'n');
  assert.is(world.upstream.requests.length, 1);
});

test('names what is lost of an answer, in the header of a whole one and in the log row of a stream', async (world) => {
  const logprobs = { content: [{ token: 'Hello', logprob: -0.1, bytes: null, top_logprobs: [] }] };
  const choice = { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop', logprobs };
  world.upstream.script((request) =>
    request.body.includes('"stream":true')
      ? sseAnswer([roleChunk, chunk({}, { choices: [{ index: 0, delta: { content: 'Hello' }, logprobs }] }), ...ending])
      : jsonAnswer(completion({ choices: [choice] })),
  );
  const asked = { ...chat, model: 'gpt-4o' };
  // What nobody asked for is no reason to refuse what is made and paid for, not even to a strict key.
  for (const key of [world.keys.warn, world.keys.strict]) {
    const whole = await post(world, '/v1/messages', asked, key);
    assert.equal([whole.status, whole.headers.get('tollgate-dropped-fields')], [200, 'answer.logprobs']);
  }
  const streamed = await post(world, '/v1/messages', { ...asked, stream: true }, world.keys.warn);
  assert.match(await streamed.text(), /message_stop/);
  assert.equal((await logRowOf(world.daemon, streamed)).facts.dropped_fields, ['answer.logprobs']);
  world.upstream.script(plain);
});

test('converts no service tier for a channel that does not allow it', async (world) => {
  await post(world, '/v1/chat/completions', { ...chat, service_tier: 'auto' }, world.keys.drop);
  const body = String(world.upstream.requests[0]?.body);
  assert.match(body, '"claude-sonnet-4-5"');
  assert.not.match(body, 'service_tier');
});

test('that an answer is to be streamed is not lost where the address of the call says it', async (world) => {
  const folder = 'bedrock-invoke--bedrock-anthropic-claude-opus-4-6-tool-streaming-stream';
  const bytes = readFileSync(new URL(`../fixtures/bedrock/${folder}/stream.bin`, import.meta.url));
  world.upstream.script({ headers: { 'content-type': 'application/vnd.amazon.eventstream' }, chunks: [bytes] });
  for (const path of ['/v1/messages', '/v1/chat/completions']) {
    const asked = { ...chat, model: 'claude-opus-4-6', stream: true };
    const answer = await post(world, path, asked, world.keys.strict);
    assert.is(answer.status, 200, path);
    assert.match(await answer.text(), /message_stop|\[DONE\]/);
    assert.is((await logRowOf(world.daemon, answer)).facts.dropped_fields, undefined);
  }
  world.upstream.script(plain);
});

test.run();
