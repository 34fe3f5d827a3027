/** Conversations and answers that are allowed and rare, through a whole gateway: nothing of them may get lost or out of place. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { testScope } from '../conformance/scope.ts';
import { allInDialectWorld, type DialectWorld, message } from './dialect-world.ts';
import { chunk, completion, finishChunk } from './wire.ts';

const test = suite<DialectWorld>('relay/odd conversations');
allInDialectWorld(test);

/** What the upstream was sent for a request of the client. */
async function sent({ harness, upstream }: DialectWorld, path: string, body: JsonObject): Promise<JsonObject> {
  const answer = await harness.post(path, body);
  assert.is(answer.status, 200, await answer.text());
  const json: unknown = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? 'null');
  return isObject(json) ? json : {};
}

const call = (id: string) => ({ id, type: 'function', function: { name: `look_${id}`, arguments: '{}' } });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `found ${id}` });
const interrupted: Readonly<Record<string, (model: string) => JsonObject>> = {
  '/v1/chat/completions': (model) => ({
    model,
    messages: [
      { role: 'user', content: 'look' },
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      result('b'),
      { role: 'user', content: 'hurry' },
      result('a'),
    ],
  }),
  '/v1/responses': (model) => ({
    model,
    input: [
      { role: 'user', content: 'look' },
      ...['a', 'b'].map((id) => ({ type: 'function_call', call_id: id, name: `look_${id}`, arguments: '{}' })),
      { type: 'function_call_output', call_id: 'b', output: 'found b' },
      { role: 'user', content: 'hurry' },
      { type: 'function_call_output', call_id: 'a', output: 'found a' },
    ],
  }),
};

const roles = (value: Json | undefined) =>
  (Array.isArray(value) ? value : []).map((entry) => isObject(entry) && entry.role);

for (const [path, body] of Object.entries(interrupted)) {
  test(`brings the results of one turn together, whatever stood between them in ${path}`, async (world) => {
    if (path === '/v1/responses') {
      const { messages } = await sent(world, path, body('gpt-4o'));
      assert.equal(roles(messages), ['user', 'assistant', 'tool', 'tool', 'user']);
    }
    const { messages } = await sent(world, path, body('claude-sonnet-4-5'));
    assert.equal(roles(messages), ['user', 'assistant', 'user']);
    assert.match(JSON.stringify(messages), /"tool_result".*"tool_result".*hurry/);
    const { contents } = await sent(world, path, body('gemini-2.5-flash'));
    assert.equal(roles(contents), ['user', 'model', 'user']);
    assert.match(JSON.stringify(contents), /"result":"found a".*"result":"found b".*hurry/);
  });
}

test('leaves out what was said aloud and is kept under an id, and sends what it said where that is known', async (world) => {
  const spoken = (audio: JsonObject): JsonObject => ({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, audio },
      { role: 'user', content: 'and?' },
    ],
  });
  for (const model of ['claude-sonnet-4-5', 'gemini-2.5-flash']) {
    const path = '/v1/chat/completions';
    const kept = JSON.stringify(await sent(world, path, { model, ...spoken({ id: 'audio_1' }) }));
    assert.not.match(kept, /inlineData|"data"|audio/, model);
    const known = JSON.stringify(
      await sent(world, path, { model, ...spoken({ id: 'audio_1', transcript: 'Hello!' }) }),
    );
    assert.match(known, /"text":"Hello!"/, model);
    assert.not.match(known, /inlineData|"data"|audio/, model);
  }
  const format = chatFormats.find(({ id }) => id === 'openai-chat');
  const request = format?.decodeRequest({ model: 'm', ...spoken({ id: 'audio_1' }) });
  for (const target of chatFormats) {
    const scope = testScope();
    assert.ok(request);
    if (request !== undefined) assert.not.match(JSON.stringify(target.encodeRequest(request, scope)), /"data":""/);
    assert.equal(scope.lost, ['assistant.audio'], target.id);
  }
});

test('knows a picture by its data URL however that is written', async (world) => {
  const content = [{ type: 'image_url', image_url: { url: 'DATA:image/png;BASE64,aGk=' } }];
  const body = { model: 'gemini-2.5-flash', messages: [{ role: 'user', content }] };
  const { contents } = await sent(world, '/v1/chat/completions', body);
  assert.equal(contents, [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] }]);
});

const [first, second] = ['9223372036854775807', '9223372036854775806'];
const ids = [
  `{"id":${first},"at":1.5,"whole":1.0,"none":-0,"far":1e3}`,
  `{"id":${second},"note":"id 9223372036854775807 \\"x\\"","ids":[-${first}]}`,
];
/** The same two calls as each dialect of a client has them in a conversation, with the numbers as they are. */
const told: Readonly<Record<string, (model: string) => string>> = {
  '/v1/chat/completions': (model) => {
    const calls = ids.map((text, at) => ({ id: `c${at}`, type: 'function', function: { name: 'f', arguments: text } }));
    const results = ids.map((_, at) => ({ role: 'tool', tool_call_id: `c${at}`, content: 'ok' }));
    const assistant = { role: 'assistant', content: null, tool_calls: calls };
    return JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }, assistant, ...results] });
  },
  '/v1/responses': (model) => {
    const calls = ids.map((text, at) => ({ type: 'function_call', call_id: `c${at}`, name: 'f', arguments: text }));
    const results = ids.map((_, at) => ({ type: 'function_call_output', call_id: `c${at}`, output: 'ok' }));
    return JSON.stringify({ model, input: [{ role: 'user', content: 'hi' }, ...calls, ...results] });
  },
  '/v1/messages': (model) => {
    const calls = ids.map((text, at) => `{"type":"tool_use","id":"c${at}","name":"f","input":${text}}`);
    const results = ids.map((_, at) => ({ type: 'tool_result', tool_use_id: `c${at}`, content: 'ok' }));
    const turns = `{"role":"assistant","content":[${calls}]},{"role":"user","content":${JSON.stringify(results)}}`;
    return `{"model":"${model}","max_tokens":9,"messages":[{"role":"user","content":"hi"},${turns}]}`;
  },
  '/v1beta': () => {
    const calls = ids.map((text) => `{ "functionCall": {"name":"f","args": ${text} } }`);
    const results = ids.map(() => ({ functionResponse: { name: 'f', response: { ok: true } } }));
    const turns = `{"role":"model","parts":[${calls}]},{"role":"user","parts":${JSON.stringify(results)}}`;
    return `{"contents":[{"role":"user","parts":[{"text":"hi"}]},${turns}]}`;
  },
};

for (const [path, body] of Object.entries(told)) {
  test(`sends the numbers in the arguments of calls as ${path} has them`, async ({ harness, upstream }) => {
    for (const model of ['gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-flash']) {
      const full = path === '/v1beta' ? `/v1beta/models/${model}:generateContent` : path;
      const answer = await harness.post(full, body(model));
      assert.is(answer.status, 200, await answer.text());
      const text = String(upstream.requests.at(-1)?.body).replaceAll('\\', '');
      for (const input of ids) assert.ok(text.includes(input.replaceAll('\\', '')), `${path} -> ${model}: ${text}`);
    }
  });
}

const claudeCalls = ids.map((text, at) => `{"type":"tool_use","id":"c${at}","name":"f","input":${text}}`);
const geminiCalls = ids.map((text) => `{"functionCall":{"name":"f","args":${text}}}`);
const chatCalls = ids.map((text, index) => ({ index, id: `c${index}`, function: { name: 'f', arguments: text } }));
const geminiAnswer = `{"candidates":[{"content":{"role":"model","parts":[${geminiCalls}]},"finishReason":"STOP"}]}`;
const calling: Readonly<Record<string, { readonly whole: string; readonly streamed: string }>> = {
  'gpt-4o': {
    whole: JSON.stringify(
      completion({ choices: [{ index: 0, message: { tool_calls: chatCalls }, finish_reason: 'tool_calls' }] }),
    ),
    streamed: [
      ...chatCalls.map((one) => JSON.stringify(chunk({ tool_calls: [one] }))),
      JSON.stringify(finishChunk),
      '[DONE]',
    ]
      .map((data) => `data: ${data}\n\n`)
      .join(''),
  },
  'claude-sonnet-4-5': {
    whole: JSON.stringify({ ...message, stop_reason: 'tool_use', content: ['x'], usage: { input_tokens: 1 } }).replace(
      '"x"',
      claudeCalls.join(),
    ),
    streamed: [
      `{"type":"message_start","message":${JSON.stringify({ ...message, content: [], usage: { input_tokens: 1 } })}}`,
      ...ids.flatMap((text, index) => [
        JSON.stringify({
          type: 'content_block_start',
          index,
          content_block: { type: 'tool_use', id: `c${index}`, name: 'f', input: {} },
        }),
        JSON.stringify({
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json: text },
        }),
        JSON.stringify({ type: 'content_block_stop', index }),
      ]),
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}',
      '{"type":"message_stop"}',
    ]
      .map((data) => `data: ${data}\n\n`)
      .join(''),
  },
  'gemini-2.5-flash': { whole: geminiAnswer, streamed: `data: ${geminiAnswer}\n\n` },
};

for (const [model, answers] of Object.entries(calling)) {
  for (const manner of ['whole', 'streamed'] as const) {
    test(`tells the numbers in the arguments of ${manner} calls as ${model} gave them`, async ({
      harness,
      upstream,
    }) => {
      const type = manner === 'whole' ? 'application/json' : 'text/event-stream';
      upstream.script({ headers: { 'content-type': type }, chunks: [answers[manner]] });
      const stream = manner === 'streamed';
      const messages = [{ role: 'user', content: 'hi' }];
      const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const calls: readonly (readonly [path: string, body: JsonObject])[] = [
        ['/v1/chat/completions', { model, messages, stream }],
        ['/v1/responses', { model, input: 'hi', stream }],
        ['/v1/messages', { model, messages, stream, max_tokens: 9 }],
        [`/v1beta/models/${model}:${action}`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
      ];
      for (const [path, body] of calls) {
        const answer = await harness.post(path, body);
        const text = (await answer.text()).replaceAll('\\', '');
        for (const input of ids) assert.ok(text.includes(input.replaceAll('\\', '')), `${path}: ${text}`);
      }
    });
  }
}

test.run();
