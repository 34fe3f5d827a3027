/**
 * Of several locations that a channel names for a model, each call draws one (providers/vertex.md).
 * Runs once: where a vendor is asked is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { vertex } from '../../daemon/relay/providers/vertex/index.ts';
import { callOf } from '../support/adapter-calls.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';

const test = suite<RelayWorld>('relay: places on Vertex');

const spread = 'gemini-2.5-pro';
const settled = 'gemini-3.5-flash';
const medium = 'mistral-medium-3';
const express = 'gemini-3.1-pro-preview';
const lent = 'claude-sonnet-4-5';
const llama = 'meta/llama-3.3-70b-instruct-maas';
const answer = jsonAnswer({
  candidates: [{ content: { role: 'model', parts: [{ text: 'pong' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answer);
  world.daemon = await startTestDaemon({
    config: { 'limits.per_user.enabled': false },
    options: {
      ModelRatio: JSON.stringify(
        Object.fromEntries([spread, settled, medium, express, lent, llama].map((model) => [model, 1])),
      ),
    },
  });
  await world.daemon.addChannel({
    type: 41,
    key: 'acme|AIza-key',
    other: JSON.stringify({ default: 'global', [spread]: ['us-central1', 'europe-west4'] }),
    base_url: world.upstream.url,
    models: `${spread},${settled},${medium}`,
  });
  await world.daemon.addChannel({
    type: 41,
    key: 'AIza-express',
    other: 'us-central1',
    base_url: world.upstream.url,
    models: `${express},${lent},${llama}`,
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

const chatAnswer = {
  id: 'cmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'mistral-medium-3',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'pong' },
        ],
      },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

const streamedAnswer = {
  ...chatAnswer,
  choices: [{ index: 0, delta: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }],
};

test('Mistral’s models are asked in its own words, of which it knows a short list, and answer in OpenAI’s', async (world) => {
  world.upstream.script(jsonAnswer(chatAnswer));
  const asked = { model: medium, messages, max_completion_tokens: 9, seed: 1, user: 'u', store: true };
  const { status, body } = await postJson(world, '/v1/chat/completions', asked);
  assert.is(status, 200);
  const { url, body: sent } = world.upstream.requests[0] ?? {};
  assert.is(url, `/v1/projects/acme/locations/global/publishers/mistralai/models/${medium}:rawPredict`);
  const wire = { model: medium, messages, max_tokens: 9, random_seed: 1 };
  assert.equal(JSON.parse(String(sent)), wire);
  const [{ message }] = body.choices;
  assert.equal([message.content, message.reasoning_content], ['pong', 'Hm.']);
  world.upstream.script(sseAnswer([streamedAnswer]));
  await postJson(world, '/v1/chat/completions', { model: medium, messages, stream: true });
  const streamed = world.upstream.requests[1];
  assert.match(String(streamed?.url), /:streamRawPredict$/);
  assert.equal(JSON.parse(String(streamed?.body)), { model: medium, messages, stream: true });
});

test('a key without a project opens Google’s own models, wherever its channel is said to be', async (world) => {
  const { status } = await postJson(world, '/v1/chat/completions', { model: express, messages });
  assert.equal(
    [status, world.upstream.requests[0]?.url],
    [200, `/v1/publishers/google/models/${express}:generateContent`],
  );
  for (const model of [lent, llama]) {
    const { status: refused, body } = await postJson(world, '/v1/chat/completions', { model, messages });
    assert.equal([refused, body.error.code], [400, 'invalid_api_type'], JSON.stringify(body));
  }
  assert.is(world.upstream.requests.length, 1);
});

test('Vertex is asked on hosts of Google, whatever a channel calls its location', () => {
  const path = (other: string, settings: Record<string, string> = { project: 'acme' }) =>
    vertex.path(callOf(vertex, { baseUrl: '', format: 'gemini-generate', other, settings }));
  assert.is(new URL(path('us-central1')).host, 'us-central1-aiplatform.googleapis.com');
  assert.is(new URL(path('us-central1', {})).host, 'aiplatform.googleapis.com');
  for (const end of ['/', '#', '?', '\\', ':443', '@x']) {
    assert.not.ok(URL.canParse(path(`elsewhere.example${end}`)), end);
    assert.not.ok(URL.canParse(path(JSON.stringify({ default: `elsewhere.example${end}` }))), end);
  }
});

test.run();
