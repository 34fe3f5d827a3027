/**
 * The official `@anthropic-ai/sdk` package, unmodified, as a client of a whole daemon.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { untilThere } from '../support/until.ts';
import { completion, streamOf } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  anthropic: Anthropic;
  openai: OpenAI;
  lastRowId: number;
}

const sdk = suite<World>('official anthropic package');
const claude = 'claude-sonnet-4-5';
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'hi' }];

/** A whole message; five tokens were cached for five minutes, seven for an hour, a hundred were read. */
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: claude,
  content: [{ type: 'text', text: 'pong' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 12,
    cache_read_input_tokens: 100,
    cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 7 },
    output_tokens: 4,
  },
};

function recordedStream(name: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`../fixtures/anthropic/${name}/stream.sse`, import.meta.url)));
}

sdk.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon();
  const base = { base_url: world.upstream.url };
  await world.daemon.addChannel({ ...base, type: 14, key: 'sk-ant-upstream', models: claude });
  await world.daemon.addChannel({ ...base, models: 'gpt-4o' });
  const apiKey = await world.daemon.addKey();
  world.anthropic = new Anthropic({ baseURL: world.daemon.url, apiKey, maxRetries: 0 });
  world.openai = new OpenAI({ baseURL: `${world.daemon.url}/v1`, apiKey, maxRetries: 0 });
});

sdk.after(async (world) => {
  await world.daemon.stop();
  await world.upstream.close();
});

/** The log row of the call that just ended, once it is written. */
async function newRow(world: World): Promise<{ quota: number; facts: Record<string, unknown> }> {
  const row = await untilThere(async () => {
    const [last] = (await world.daemon.root.logs.list({ type: 2 })).items;
    return last?.id === world.lastRowId ? undefined : last;
  });
  world.lastRowId = row.id;
  return { quota: row.quota, facts: JSON.parse(row.other) };
}

sdk('tells its users which request an answer and a refusal belong to', async ({ anthropic, upstream }) => {
  upstream.script(jsonAnswer(message));
  const { data, response, request_id } = await anthropic.messages
    .create({ model: claude, max_tokens: 10, messages })
    .withResponse();
  assert.is(request_id, response.headers.get('x-request-id'));
  assert.is(Object(data)._request_id, request_id);
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /(?:^|, )Request-Id/);
  const refused = await anthropic.messages.create({ model: 'unknown', max_tokens: 10, messages }).catch((e) => e);
  assert.instance(refused, Anthropic.APIError);
  assert.is(refused.requestID, refused.headers.get('x-request-id'));
  const list = await anthropic.models.list().withResponse();
  assert.is(list.request_id, list.response.headers.get('x-request-id'));
});

sdk('sends a Messages call on as it came, with the channel key, and bills each kind of cache', async (world) => {
  const { anthropic, upstream } = world;
  upstream.script(jsonAnswer(message));
  const answer = await anthropic.messages.create(
    { model: claude, max_tokens: 50, messages, metadata: { user_id: 'u' } },
    { headers: { 'anthropic-beta': 'one,two', 'anthropic-version': '2023-06-01' } },
  );
  assert.equal(answer.content, message.content);
  assert.is(answer.usage.cache_creation?.ephemeral_1h_input_tokens, 7);
  const [sent] = upstream.requests.slice(-1);
  assert.is(sent?.url, '/v1/messages');
  assert.is(sent?.headers['x-api-key'], 'sk-ant-upstream');
  assert.is(sent?.headers.authorization, undefined);
  assert.is(sent?.headers['anthropic-version'], '2023-06-01');
  assert.is(sent?.headers['anthropic-beta'], 'one,two');
  assert.equal(JSON.parse(sent?.body.toString() ?? ''), {
    model: claude,
    max_tokens: 50,
    messages,
    metadata: { user_id: 'u' },
  });
  const { quota, facts } = await newRow(world);
  // Input at 3 $/M is ratio 1.5: (10 + 100 x 0.1 + 5 x 1.25 + 7 x 2 + 4 x 5) x 1.5
  assert.is(quota, Math.round((10 + 10 + 6.25 + 14 + 20) * 1.5));
  assert.is(facts.cache_tokens, 100);
});

sdk('fills in the output limit that the protocol demands', async (world) => {
  const { daemon, upstream } = world;
  upstream.script(jsonAnswer(message));
  const key = await daemon.addKey();
  const response = await fetch(`${daemon.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: claude, messages }),
  });
  assert.is(response.status, 200);
  assert.is(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '').max_tokens, 8192);
  await newRow(world);
});

sdk('accumulates a recorded stream with thinking and tools', async (world) => {
  const { anthropic, upstream } = world;
  const bytes = recordedStream('anthropic-messages--streams-tool-call-then-parses-structured-output-default-1-stream');
  upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks: [bytes] });
  const final = await anthropic.messages.stream({ model: claude, max_tokens: 50, messages }).finalMessage();
  assert.is(final.stop_reason, 'tool_use');
  assert.ok(final.content.some((block) => block.type === 'tool_use'));
  const { quota } = await newRow(world);
  const { input_tokens: read, output_tokens: written } = final.usage;
  assert.is(quota, Math.round((read + written * 5) * 1.5));
});

sdk('talks to an upstream of OpenAI, whole and streamed', async ({ anthropic, upstream }) => {
  upstream.script(jsonAnswer(completion()));
  const whole = await anthropic.messages.create({ model: 'gpt-4o', max_tokens: 50, messages });
  assert.equal(
    whole.content.map((block) => (block.type === 'text' ? block.text : block.type)),
    ['Hello there'],
  );
  assert.is(whole.usage.input_tokens, 12);
  assert.is(upstream.requests.at(-1)?.url, '/v1/chat/completions');
  upstream.script(sseAnswer(streamOf(['Hel', 'lo'])));
  const stream = anthropic.messages.stream({ model: 'gpt-4o', max_tokens: 50, messages });
  assert.is(await stream.finalText(), 'Hello');
  assert.is((await stream.finalMessage()).usage.output_tokens, 5);
});

sdk('lets a chat client talk to Claude, whole and streamed', async ({ openai, upstream }) => {
  upstream.script(jsonAnswer(message));
  const whole = await openai.chat.completions.create({ model: claude, messages: [{ role: 'user', content: 'hi' }] });
  assert.is(whole.choices[0]?.message.content, 'pong');
  assert.is(whole.usage?.prompt_tokens, 122);
  assert.is(whole.usage?.prompt_tokens_details?.cached_tokens, 100);
  const bytes = recordedStream('anthropic-messages--streams-tool-call-then-parses-structured-output-default-1-stream');
  upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks: [bytes] });
  const final = await openai.chat.completions
    .stream({ model: claude, messages: [{ role: 'user', content: 'hi' }] })
    .finalChatCompletion();
  assert.is(final.choices[0]?.finish_reason, 'tool_calls');
  assert.is(final.choices[0]?.message.tool_calls?.length, 1);
});

sdk('gives each refusal its own class of the package, and never the vendor account', async ({ daemon, upstream }) => {
  const canary = 'sk-ant-api03-CANARYCANARYCANARY';
  const refuse = async (status: number, type: string, text: string) => {
    const models = `claude-refused-${status}`;
    const fields = { base_url: upstream.url, type: 14, key: 'sk-ant-upstream', models, auto_ban: 0 };
    await daemon.addChannel(fields);
    await daemon.root.options.set({ key: 'ModelRatio', value: JSON.stringify({ [models]: 1, [claude]: 1.5 }) });
    const client = new Anthropic({ baseURL: daemon.url, apiKey: await daemon.addKey(), maxRetries: 0 });
    upstream.script(jsonAnswer({ type: 'error', error: { type, message: `${text} ${canary}` } }, status));
    try {
      await client.messages.create({ model: models, max_tokens: 5, messages });
    } catch (error) {
      assert.instance(error, Anthropic.APIError);
      assert.not.match(String(error), 'CANARY');
      return error instanceof Anthropic.APIError ? error : undefined;
    }
    return undefined;
  };
  assert.instance(await refuse(400, 'invalid_request_error', 'bad field'), Anthropic.BadRequestError);
  assert.instance(await refuse(404, 'not_found_error', 'no such model'), Anthropic.NotFoundError);
  assert.instance(await refuse(429, 'rate_limit_error', 'slow down'), Anthropic.RateLimitError);
  assert.is((await refuse(529, 'overloaded_error', 'Overloaded'))?.status, 529);
  assert.is((await refuse(401, 'authentication_error', 'invalid x-api-key'))?.status, 502);
});

sdk.run();
