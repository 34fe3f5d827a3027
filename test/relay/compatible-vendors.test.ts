/**
 * Where vendors that imitate OpenAI differ in their answers, through a whole gateway. Runs once: what is sent to a
 * vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject, asObjects, parseJson } from '../../daemon/relay/formats/fields.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest, chunk, completion, events, usageChunk } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: compatible vendors');

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [], options: { SelfUseModeEnabled: true } });
});
test.after(async ({ harness, upstream }) => {
  await harness.settled();
  await harness.stop();
  await upstream.close();
});

/** One channel of this type, for one model. */
function serve({ harness, upstream }: Context, type: number, models: string): void {
  harness.setChannels([{ id: type, type, baseUrl: upstream.url, models }]);
  upstream.requests.length = 0;
}

test('shows no end before the last chunk where 360 leaves it empty', async (context) => {
  const { harness, upstream } = context;
  serve(context, 19, '360gpt-pro');
  const ending = (finish_reason: string) =>
    chunk({ content: 'a' }, { choices: [{ index: 0, delta: { content: 'a' }, finish_reason }] });
  upstream.script(sseAnswer([ending(''), ending(''), ending('stop'), usageChunk, '[DONE]']));
  const answer = await harness.post('/v1/chat/completions', { ...chatRequest, model: '360gpt-pro', stream: true });
  const chunks = events(await answer.text()).map((event) => asObject(parseJson(event)));
  const ends = chunks.flatMap((one) => asObjects(one?.choices).map(({ finish_reason: end }) => end));
  assert.equal([...new Set(ends)], [null, 'stop']);
});

test('tells a full context, and calls with objects, as OpenAI does where Mistral does not', async (context) => {
  const { harness, upstream } = context;
  const model = 'codestral-latest';
  serve(context, 42, model);
  const choiceOf = async (stream: boolean) => {
    const answer = await harness.post('/v1/chat/completions', { ...chatRequest, model, stream });
    const bodies = stream ? events(await answer.text()).map(parseJson) : [await answer.json()];
    return bodies.flatMap((body) => asObjects(asObject(body)?.choices)).at(-1);
  };
  const end = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'model_length' }];
  upstream.script(() => jsonAnswer(completion({ choices: end })));
  assert.is((await choiceOf(false))?.finish_reason, 'length');
  const last = chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'model_length' }] });
  upstream.script(() => sseAnswer([chunk({ content: 'Hello' }), last, '[DONE]']));
  assert.is((await choiceOf(true))?.finish_reason, 'length');
  const calls = [{ id: 'abcdefghi', function: { name: 'f', arguments: { a: 1 } }, index: 0 }];
  const message = { role: 'assistant', content: '', tool_calls: calls };
  upstream.script(() => jsonAnswer(completion({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })));
  const told = asObjects(asObject((await choiceOf(false))?.message)?.tool_calls);
  assert.equal(told, [{ id: 'abcdefghi', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }]);
});

test('tells ends that Together and DeepSeek have words of their own for as OpenAI does, and nothing else anew', async (context) => {
  const { harness, upstream } = context;
  for (const [type, model, word] of [
    [110, 'openai/gpt-oss-20b', 'eos'],
    [43, 'deepseek-flash', 'insufficient_system_resource'],
  ] as const) {
    serve(context, type, model);
    const said = `"finish_reason":"${word}"`;
    const message = { role: 'assistant', content: said };
    const body = JSON.stringify(completion({ model, choices: [{ index: 0, message, finish_reason: word, seed: 7 }] }));
    upstream.script(() => ({ headers: { 'content-type': 'application/json' }, chunks: [body] }));
    const whole = await harness.post('/v1/chat/completions', { ...chatRequest, model });
    assert.is(await whole.text(), body.replace(said, '"finish_reason":"stop"'));
    const last = chunk({}, { model, choices: [{ index: 0, delta: {}, seed: 7, finish_reason: word }] });
    upstream.script(() => sseAnswer([chunk({ content: said }, { model }), last, '[DONE]']));
    const streamed = await harness.post('/v1/chat/completions', { ...chatRequest, model, stream: true });
    const [first, end, ...rest] = events(await streamed.text());
    assert.equal(
      [first, end],
      [
        JSON.stringify(chunk({ content: said }, { model })),
        JSON.stringify(last).replace(said, '"finish_reason":"stop"'),
      ],
    );
    assert.equal(rest, ['[DONE]']);
  }
});

test('refuses token ids before an M3E server, which reads texts alone', async (context) => {
  const { harness, upstream } = context;
  serve(context, 44, 'm3e-base');
  upstream.script(jsonAnswer({ object: 'list', data: [], model: 'm3e-base' }));
  for (const input of [
    [1, 2],
    [[1, 2], [3]],
  ]) {
    const answer = await harness.post('/v1/embeddings', { model: 'm3e-base', input });
    assert.is(answer.status, 400);
    assert.match(await answer.text(), 'lists of token ids cannot be sent to this channel');
  }
  assert.is(upstream.requests.length, 0);
});

test('asks NVIDIA again for an answer that was only begun, in whatever dialect', async (context) => {
  const { harness, upstream } = context;
  serve(context, 108, 'meta/llama');
  const accepted = { status: 202, headers: { 'nvcf-reqid': 'r-1', 'nvcf-status': 'pending-evaluation' } };
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    upstream.script((_, index) => (index % 2 === 0 ? accepted : jsonAnswer(completion())));
    const answer = await harness.post(path, { ...chatRequest, model: 'meta/llama', max_tokens: 9 });
    assert.match(await answer.text(), 'Hello');
    assert.is(upstream.requests.at(-1)?.url, '/v1/status/r-1');
  }
  assert.is(upstream.requests.length, 4);
});

test('counts the prompt that Ollama had in memory, and takes its word for the answer', async (context) => {
  const { harness, upstream } = context;
  const setting = '{"ollama_native":true}';
  harness.setChannels([{ id: 4, type: 4, baseUrl: upstream.url, models: 'qwen3', setting }]);
  const message = { role: 'assistant', content: 'pong', thinking: 'at length' };
  const body = { ...chatRequest, model: 'qwen3', max_tokens: 600 };
  for (const memory of [{}, { prompt_eval_count: 0 }]) {
    upstream.script(
      jsonAnswer({ model: 'qwen3', message, done: true, done_reason: 'stop', eval_count: 500, ...memory }),
    );
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      const usage = asObject(asObject(parseJson(await (await harness.post(path, body)).text()))?.usage);
      assert.is(usage?.completion_tokens ?? usage?.output_tokens, 500);
    }
  }
  const rows = (await harness.rows()).filter((row) => row.modelName === 'qwen3');
  assert.is(rows.length, 4);
  for (const row of rows) {
    assert.is(row.completionTokens, 500);
    assert.ok(row.promptTokens > 0);
  }
});

test('tells how likely the tokens of an Ollama were that is asked in its own dialect', async (context) => {
  const { harness, upstream } = context;
  const setting = '{"ollama_native":true}';
  harness.setChannels([{ id: 4, type: 4, baseUrl: upstream.url, models: 'qwen3', setting }]);
  const odds = (token: string) => ({ token, logprob: -0.5, bytes: [...Buffer.from(token)], top_logprobs: [] });
  const line = (content: string, over: object) =>
    JSON.stringify({
      model: 'qwen3',
      message: { role: 'assistant', content },
      logprobs: [odds(content)],
      done: false,
      ...over,
    });
  const end = { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 };
  const asked = { ...chatRequest, model: 'qwen3', logprobs: true };
  upstream.script(() => ({ headers: { 'content-type': 'application/json' }, chunks: [line('po', end)] }));
  const whole = asObject(await (await harness.post('/v1/chat/completions', asked)).json());
  assert.equal(asObjects(whole?.choices)[0]?.logprobs, { content: [odds('po')], refusal: null });
  upstream.script(() => ({
    headers: { 'content-type': 'application/x-ndjson' },
    chunks: [`${line('po', {})}\n${line('ng', end)}\n`],
  }));
  const streamed = await harness.post('/v1/chat/completions', { ...asked, stream: true });
  const told = events(await streamed.text())
    .flatMap((event) => asObjects(asObject(parseJson(event))?.choices))
    .flatMap(({ logprobs }) => asObjects(asObject(logprobs)?.content));
  assert.equal(told, [odds('po'), odds('ng')]);
});

test('tells what embeddings used where their host tells the sum alone, or nothing', async (context) => {
  const { harness, upstream } = context;
  const data = [{ object: 'embedding', index: 0, embedding: [0.5] }];
  for (const [type, told, meant] of [
    [38, { usage: { total_tokens: 13, images: 1 } }, { total_tokens: 13, images: 1, prompt_tokens: 13 }],
    [44, {}, { prompt_tokens: 3, total_tokens: 3 }],
    [1, { usage: { prompt_tokens: 3, total_tokens: 4 } }, { prompt_tokens: 3, total_tokens: 4 }],
  ] as const) {
    serve(context, type, 'embedder');
    upstream.script(jsonAnswer({ object: 'list', data, model: 'embedder', ...told }));
    const answer = await harness.post('/v1/embeddings', { model: 'embedder', input: 'two words' });
    assert.equal(await answer.json(), { object: 'list', data, model: 'embedder', usage: meant });
  }
});

test.run();
