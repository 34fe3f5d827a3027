/**
 * `n` above one, at vendors that give one answer: the request is refused, or served by another channel (relay.md 13.1).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { providers } from '../../daemon/relay/providers/index.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { type RelayWorld, tidyBetween } from '../support/relay-world.ts';
import { completion } from './wire.ts';

const test = suite<RelayWorld>('relay/several answers');

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];

/** Vendors that have no word for it, each with a model and what else must be said for that. */
const alone: readonly (readonly [provider: string, model: string, fields?: object])[] = [
  ['ai360', '360gpt2-pro'],
  ['ali', 'qwen-plus', { tools }],
  ['anthropic', 'claude-sonnet-4-5'],
  ['bedrock', 'amazon.nova-lite-v1:0'],
  ['cloudflare', '@cf/meta/llama-3.1-8b-instruct'],
  ['cohere', 'command-a-03-2025'],
  ['coze', 'bot-73'],
  ['deepseek', 'deepseek-flash'],
  ['dify', 'dify'],
  ['fastgpt', 'fastgpt-app'],
  ['groq', 'llama-3.3-70b-versatile'],
  ['lingyiwanwu', 'yi-lightning'],
  ['minimax', 'MiniMax-M2.5'],
  ['moonshot', 'kimi-k2.5'],
  ['ollama', 'llama3.3'],
  ['perplexity', 'sonar'],
  ['replicate', 'meta/meta-llama-3-8b-instruct'],
  ['tencent', 'hunyuan-lite'],
  ['volcengine', 'doubao-seed-1-6-250615'],
  ['xunfei', 'Spark-Max'],
  ['zhipu-v4', 'glm-4.6'],
];

/** Keys of more parts than one. */
const keys: Readonly<Record<string, string>> = {
  bedrock: 'AKIDEXAMPLE|secret|us-east-1',
  cloudflare: 'account|token',
  tencent: '12345|AKIDexample|secret',
};

test.before(async (world) => {
  world.upstream = await startFakeUpstream(() => jsonAnswer(completion()));
  world.daemon = await startTestDaemon({ options: { RetryTimes: '0' } });
  const base_url = world.upstream.url;
  for (const [id, model] of alone) {
    const type = providers.find((provider) => provider.id === id)?.channelType ?? 0;
    await world.daemon.addChannel({ type, base_url, models: model, key: keys[id] ?? 'one-part' });
  }
  await world.daemon.addChannel({ type: 106, base_url, models: 'both', priority: 9 });
  await world.daemon.addChannel({ type: 1, base_url, models: 'both', priority: 1 });
  await world.daemon.addChannel({ type: 24, base_url, models: 'gemini-2.5-flash' });
  const models = [...alone.map(([, model]) => model), 'both', 'gemini-2.5-flash'];
  await world.daemon.root.options.set({
    key: 'ModelRatio',
    value: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))),
  });
  world.key = await world.daemon.addKey({ name: 'several' });
});

tidyBetween(test);

function ask(world: RelayWorld, path: string, body: object): Promise<Response> {
  return fetch(`${world.daemon.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const messages = [{ role: 'user', content: 'hi' }];

async function assertRefused(world: RelayWorld, answer: Response): Promise<void> {
  const { error }: { error: { code: string; param: string } } = await answer.json();
  assert.equal([answer.status, error.code, error.param], [400, 'convert_request_failed', 'n']);
  assert.is(world.upstream.requests.length, 0);
}

for (const [provider, model, fields] of alone) {
  test(`refuses several answers of ${provider}, and asks it nothing`, async (world) => {
    await assertRefused(world, await ask(world, '/v1/chat/completions', { model, messages, n: 2, ...fields }));
  });
}

test('asks a vendor that has no word for it, where one answer is wanted', async (world) => {
  const body = { model: 'glm-4.6', messages, n: 1 };
  assert.is((await ask(world, '/v1/chat/completions', body)).status, 200);
  assert.not.match(String(world.upstream.requests[0]?.body), /"n"/);
});

test('refuses several texts to a prompt of old where one is given', async (world) => {
  for (const model of ['llama3.3', 'glm-4.6']) {
    await assertRefused(world, await ask(world, '/v1/completions', { model, prompt: 'hi', n: 2 }));
  }
});

test('refuses several streamed answers of Gemini, which gives them whole', async (world) => {
  const body = { model: 'gemini-2.5-flash', messages, n: 2 };
  await assertRefused(world, await ask(world, '/v1/chat/completions', { ...body, stream: true }));
  const part = { content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 };
  const candidates = [
    { ...part, index: 0 },
    { ...part, index: 1 },
  ];
  world.upstream.script(() => jsonAnswer({ candidates, usageMetadata }));
  const whole = await ask(world, '/v1/chat/completions', body);
  const { choices }: { choices: unknown[] } = await whole.json();
  assert.is(choices.length, 2);
  assert.is(JSON.parse(String(world.upstream.requests[0]?.body)).generationConfig.candidateCount, 2);
  world.upstream.script(() => jsonAnswer(completion()));
});

test('refuses the several candidates of a Gemini client in that client’s words', async (world) => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const body = { contents, generationConfig: { candidateCount: 2 } };
  const answer = await ask(world, '/v1beta/models/glm-4.6:generateContent', body);
  assert.is(answer.status, 400);
  assert.is((await answer.json()).error.status, 'INVALID_ARGUMENT');
  assert.is(world.upstream.requests.length, 0);
});

test('passes over a channel that gives one answer, for one that gives several', async (world) => {
  const answer = await ask(world, '/v1/chat/completions', { model: 'both', messages, n: 2 });
  assert.is(answer.status, 200);
  assert.equal(
    world.upstream.requests.map(({ url, body }) => [url, JSON.parse(String(body)).n]),
    [['/v1/chat/completions', 2]],
  );
});

test.run();
