/**
 * Compacting a conversation (relay.md 5.11), through a whole daemon.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, type RecordedRequest, startFakeUpstream } from '../support/fake-upstream.ts';
import { recordedAnswer, recordedBody, recordedRequest } from '../support/recorded-call.ts';
import { type RelayWorld, tidyBetween } from '../support/relay-world.ts';
import { untilThere } from '../support/until.ts';

const test = suite<RelayWorld>('relay/compaction');

const direct = 'openai/oa-responses-compact--openai-responses-compact-messages-direct-2';
const chained = 'openai/oa-responses-compact--openai-responses-compact-with-auto-previous-response-id-2';
/** As the first recording says: 160 and 297 tokens. */
const [prompt, completion] = [160, 297];
const kept = {
  id: 'resp_kept',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
};

function answers({ url }: RecordedRequest) {
  return url.includes('/compact') ? recordedAnswer(direct) : jsonAnswer(kept);
}

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answers);
  const base_url = world.upstream.url;
  const ratios = { plain: 1, exact: 1, 'exact-openai-compact': 2, wild: 1, 'az/named': 1, away: 1, either: 1 };
  world.daemon = await startTestDaemon({
    options: {
      RetryTimes: '2',
      ModelRatio: JSON.stringify({ ...ratios, 'chat-only': 1, twice: 1, pair: 1, claude: 1 }),
      CompletionRatio: JSON.stringify({ plain: 4, exact: 4, 'exact-openai-compact': 3 }),
    },
  });
  const add = (models: string, more: Record<string, unknown> = {}) =>
    world.daemon.addChannel({ type: 1, base_url, models, ...more });
  await add('plain,exact,wild');
  await add('named', { model_prefix: 'az/', model_mapping: '{"named":"gpt-4o-mini"}' });
  await add('away', { type: 3, other: '2025-04-01-preview' });
  await add('chat-only,either', { setting: '{"responses_native":false}', priority: 5 });
  await add('claude', { type: 14 });
  await add('either', { priority: 1 });
  await add('twice', { key: 'key-one,key-two', setting: '{"allow_store":true}' });
  await add('pair');
  await add('pair');
  world.key = await world.daemon.addKey();
});

tidyBetween(test, answers);

const input = 'a long conversation';

function post(world: RelayWorld, body: JsonObject, path = '/v1/responses/compact', key = world.key): Promise<Response> {
  return fetch(world.daemon.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The log row of an answer, once it is written. */
async function rowOf({ daemon }: RelayWorld, answer: Response) {
  const request_id = answer.headers.get('x-request-id') ?? '';
  return untilThere(async () => (await daemon.root.logs.list({ type: 2, request_id })).items[0]);
}

test('gives the official client what the upstream said, and the upstream what the client said', async (world) => {
  const { daemon, upstream, key } = world;
  const client = new OpenAI({ baseURL: `${daemon.url}/v1`, apiKey: key, maxRetries: 0 });
  const asked = { ...recordedRequest(direct), model: 'plain' };
  const { data, response } = await client.responses.compact(asked).withResponse();
  assert.equal(data.output, recordedBody(direct).output);
  assert.equal([data.object, data.usage.total_tokens], ['response.compaction', prompt + completion]);
  assert.is(upstream.requests[0]?.url, '/v1/responses/compact');
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? ''), asked);
  const row = await rowOf(world, response);
  assert.equal([row.model_name, row.prompt_tokens, row.completion_tokens], ['plain', prompt, completion]);
  assert.equal([row.is_stream, row.quota], [false, prompt + completion * 4]);
  const { request_path, settle_reason } = JSON.parse(row.other);
  assert.equal([request_path, settle_reason], ['/v1/responses/compact', 'complete']);
});

test('passes every byte of the answer, also below /hf', async (world) => {
  const answer = await post(world, { model: 'plain', input }, '/hf/v1/responses/compact/');
  assert.equal(Buffer.from(await answer.arrayBuffer()), recordedAnswer(direct).chunks?.[0]);
});

test('is priced by its own name, by the wildcard, or as the model is', async (world) => {
  const { daemon } = world;
  const paid = async (model: string) => (await rowOf(world, await post(world, { model, input }))).quota;
  assert.is(await paid('exact'), prompt * 2 + completion * 3 * 2);
  assert.is(await paid('wild'), prompt + completion);
  const before = String((await daemon.root.options.list()).find(({ key }) => key === 'ModelRatio')?.value);
  const value = JSON.stringify({ ...JSON.parse(before), '*-openai-compact': 5 });
  await daemon.root.options.set({ key: 'ModelRatio', value });
  try {
    assert.is(await paid('exact'), prompt * 2 + completion * 3 * 2);
    assert.is(await paid('wild'), (prompt + completion) * 5);
    const answered = await post(world, { model: 'wild', input }, '/v1/responses');
    assert.is((await rowOf(world, answered)).quota, 4);
  } finally {
    await daemon.root.options.set({ key: 'ModelRatio', value: before });
  }
});

test('goes by the plain name: of abilities, of the limits of a key, of mapping and prefix', async (world) => {
  const limited = await world.daemon.addKey({ model_limits_enabled: true, model_limits: 'plain' });
  assert.is((await post(world, { model: 'plain', input }, undefined, limited)).status, 200);
  const refused = await post(world, { model: 'exact', input }, undefined, limited);
  assert.equal([refused.status, (await refused.json()).error.code], [403, 'model_not_allowed']);
  const suffixed = await post(world, { model: 'exact-openai-compact', input });
  assert.equal([suffixed.status, (await suffixed.json()).error.code], [404, 'model_not_found']);
  world.upstream.requests.length = 0;
  assert.is((await post(world, { model: 'az/named', input })).status, 200);
  assert.is(JSON.parse(world.upstream.requests[0]?.body.toString() ?? '').model, 'gpt-4o-mini');
});

test('asks Azure at its undated interface, whatever the version of the channel', async (world) => {
  assert.is((await post(world, { model: 'away', input })).status, 200);
  assert.is(world.upstream.requests[0]?.url, '/openai/v1/responses/compact');
});

test('stays with the key that keeps the response before it, and asks no other', async (world) => {
  const { upstream } = world;
  await post(world, { model: 'twice', input: 'hi', store: true }, '/v1/responses');
  const keeper = upstream.requests[0]?.headers.authorization;
  for (let round = 0; round < 4; round += 1) {
    const { previous_response_id: _, ...rest } = recordedRequest(chained) ?? {};
    const answer = await post(world, { ...rest, model: 'twice', previous_response_id: 'resp_kept' });
    assert.is(answer.status, 200);
    assert.is(upstream.requests.at(-1)?.headers.authorization, keeper);
    assert.is(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '').previous_response_id, 'resp_kept');
  }
  upstream.requests.length = 0;
  upstream.script(jsonAnswer({ error: { message: 'busy', code: 'busy' } }, 503));
  assert.ok((await post(world, { model: 'twice', input: [], previous_response_id: 'resp_kept' })).status >= 500);
  assert.is(upstream.requests.length, 1);
});

test('goes to a channel that can, though another was drawn first; where none can it is refused in so many words', async (world) => {
  assert.is((await post(world, { model: 'either', input })).status, 200);
  assert.is(world.upstream.requests.length, 1);
  world.upstream.requests.length = 0;
  for (const model of ['chat-only', 'claude']) {
    const refused = await post(world, { model, input });
    const { error } = await refused.json();
    assert.equal([refused.status, error.code], [503, 'no_channel_for_model'], model);
    assert.match(error.message, new RegExp(`No channel serves this endpoint for model ${model} in group default`));
    assert.is(refused.headers.get('retry-after'), '5');
  }
  assert.is(world.upstream.requests.length, 0);
});

test('refuses what is no conversation, and a stream', async (world) => {
  const wrong: readonly (readonly [body: JsonObject, param: string])[] = [
    [{ model: 'plain' }, 'input'],
    [{ model: 'plain', input: 5 }, 'input'],
    [{ model: 'plain', input, previous_response_id: 5 }, 'previous_response_id'],
    [{ model: 'plain', input, stream: true }, 'stream'],
    [{ input }, 'model'],
  ];
  for (const [body, param] of wrong) {
    const refused = await post(world, body);
    const { error } = await refused.json();
    assert.equal([refused.status, error.code, error.param], [400, 'invalid_request', param]);
  }
  const wrongMethod = await fetch(`${world.daemon.url}/v1/responses/compact`);
  assert.equal([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'POST']);
  assert.is(world.upstream.requests.length, 0);
});

test('is tried again only where the first try certainly did no work, and costs nothing when it fails', async (world) => {
  const { upstream, daemon } = world;
  const key = await daemon.addKey({ unlimited_quota: false, remain_quota: 1_000_000 });
  const failing = async (status: number) => {
    upstream.requests.length = 0;
    upstream.script(jsonAnswer({ error: { message: 'no', code: 'no' } }, status));
    const answer = await post(world, { model: 'pair', input }, undefined, key);
    assert.is(answer.status, status);
    assert.is((await rowOf(world, answer)).quota, 0);
    return upstream.requests.length;
  };
  assert.is(await failing(500), 1);
  assert.is(await failing(404), 2);
  const listed = (await daemon.root.tokens.list({})).items.find(({ key: hint }) => hint.endsWith(key.slice(-4)));
  assert.is(listed?.remain_quota, 1_000_000);
});

test('knows an answer that is none', async (world) => {
  for (const [body, code] of [
    [{ id: 'resp_1', object: 'response.compaction' }, 'empty_response'],
    [{ error: { message: 'no', code: 'broken' } }, 'broken'],
  ] as const) {
    world.upstream.script(jsonAnswer(body));
    const refused = await post(world, { model: 'plain', input });
    const { error } = await refused.json();
    assert.equal([refused.status, error.code], [502, code]);
  }
});

test.run();
