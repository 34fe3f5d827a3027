/** The Responses surface where state is kept, and where a channel cannot keep any (relay.md 2.6, 5.10, 13.5). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, type RecordedRequest, startFakeUpstream } from '../support/fake-upstream.ts';
import { completion } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('relay/state of responses');

const output = [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
];
const response = {
  id: 'resp_kept',
  object: 'response',
  status: 'completed',
  output,
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
};

function answers({ url }: RecordedRequest) {
  return jsonAnswer(url.endsWith('/responses') ? response : completion());
}

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answers);
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true', RetryTimes: '2' } });
  const base_url = world.upstream.url;
  const add = (models: string, more: Record<string, unknown> = {}) =>
    world.daemon.addChannel({ type: 1, base_url, models, ...more });
  await add('native');
  await add('keeps', { setting: '{"allow_store":true}', key: 'key-one,key-two' });
  await add('chat-only,either', { setting: '{"responses_native":false}', priority: 5 });
  await add('either', { priority: 1 });
  await add('refers');
  await add('refers');
  world.key = await world.daemon.addKey();
});

test.before.each(({ upstream }) => {
  upstream.requests.length = 0;
  upstream.script(answers);
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

function post(world: World, body: JsonObject, key = world.key): Promise<Response> {
  return fetch(`${world.daemon.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function sent({ upstream }: World): JsonObject {
  const body: unknown = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? 'null');
  return isObject(body) ? body : {};
}

test('has no words for what upstreams keep: reading, deleting, cancelling and listing items are not implemented', async (world) => {
  for (const [method, path] of [
    ['GET', '/v1/responses/resp_1'],
    ['DELETE', '/v1/responses/resp_1'],
    ['POST', '/v1/responses/resp_1/cancel'],
    ['GET', '/v1/responses/resp_1/input_items'],
    ['GET', '/hf/v1/responses/resp_1/'],
  ]) {
    const answer = await fetch(world.daemon.url + path, { method: method ?? 'GET' });
    assert.equal([answer.status, (await answer.json()).error.code], [501, 'api_not_implemented'], path);
  }
  assert.is(world.upstream.requests.length, 0);
});

test('keeps nothing with an upstream unless the channel allows it', async (world) => {
  for (const asked of [{}, { store: true }, { store: null }]) {
    await post(world, { model: 'native', input: 'hi', ...asked });
    assert.is(sent(world).store, false);
  }
  await post(world, { model: 'keeps', input: 'hi', store: true });
  assert.is(sent(world).store, true);
  await post(world, { model: 'keeps', input: 'hi' });
  assert.is(sent(world).store, undefined);
});

test('sends what follows a kept response to the key that keeps it, and nowhere else', async (world) => {
  await post(world, { model: 'keeps', input: 'hi', store: true });
  const keeper = world.upstream.requests[0]?.headers.authorization;
  for (let round = 0; round < 4; round += 1) {
    await post(world, { model: 'keeps', input: 'on', previous_response_id: 'resp_kept' });
    assert.is(world.upstream.requests.at(-1)?.headers.authorization, keeper);
    assert.is(sent(world).previous_response_id, 'resp_kept');
  }
  world.upstream.requests.length = 0;
  world.upstream.script(jsonAnswer({ error: { message: 'busy', code: 'busy' } }, 503));
  const failed = await post(world, { model: 'keeps', input: 'on', previous_response_id: 'resp_kept' });
  assert.ok(failed.status >= 500);
  assert.is(world.upstream.requests.length, 1);
});

test('tries a call that builds on what is kept nowhere else, unless the first try certainly did no work', async (world) => {
  const tries = async (body: JsonObject, status: number) => {
    world.upstream.requests.length = 0;
    world.upstream.script(jsonAnswer({ error: { message: 'no', code: 'no' } }, status));
    assert.is((await post(world, { model: 'refers', ...body })).status, status);
    return world.upstream.requests.length;
  };
  const reference = { input: [{ type: 'item_reference', id: 'msg_1' }] };
  assert.is(await tries(reference, 404), 2);
  assert.is(await tries({ input: 'hi' }, 500), 2);
  for (const body of [reference, { input: 'on', conversation: 'conv_1' }, { input: 'on', background: true }]) {
    assert.is(await tries(body, 500), 1, JSON.stringify(body));
  }
});

test('routes an id that it does not know like any other call', async (world) => {
  const answer = await post(world, { model: 'native', input: 'on', previous_response_id: 'resp_unknown' });
  assert.is(answer.status, 200);
  assert.is(sent(world).previous_response_id, 'resp_unknown');
});

type Refused = readonly [what: string, body: JsonObject, named: RegExp];

const refused: readonly Refused[] = [
  ['an earlier response', { previous_response_id: 'resp_x' }, /previous_response_id/],
  ['a conversation', { conversation: 'conv_1' }, /conversation/],
  ['a stored prompt', { prompt: { id: 'pmpt_1' } }, /prompt/],
  ['work in the background', { background: true }, /background/],
  ...['file_search', 'code_interpreter', 'image_generation', 'computer_use_preview', 'mcp', 'web_search'].map(
    (type): Refused => [
      `the hosted tool ${type}`,
      { tools: [{ type }] },
      new RegExp(type === 'web_search' ? 'search' : type),
    ],
  ),
  ...['item_reference', 'computer_call', 'mcp_call', 'code_interpreter_call', 'file_search_call'].map(
    (type): Refused => [`an item ${type}`, { input: [{ type, id: 'x', call_id: 'x' }] }, new RegExp(type)],
  ),
];
for (const [what, asked, named] of refused) {
  test(`refuses ${what} where nobody could keep or run it, by name, and asks nobody`, async (world) => {
    const answer = await post(world, { model: 'chat-only', input: 'hi', ...asked });
    const { error } = await answer.json();
    assert.equal([answer.status, error.code], [400, 'convert_request_failed']);
    assert.match(`${error.param} ${error.message}`, named);
    assert.is(world.upstream.requests.length, 0);
  });

  test(`sends ${what} to a channel that speaks the dialect, though another was drawn first`, async (world) => {
    const answer = await post(world, { model: 'either', input: 'hi', ...asked });
    assert.is(answer.status, 200);
    assert.equal(
      world.upstream.requests.map(({ url }) => url),
      ['/v1/responses'],
    );
  });
}

test('says of a translated answer that nothing is kept', async (world) => {
  const answer = await post(world, { model: 'chat-only', input: 'hi', store: true, instructions: 'Be kind' });
  const body = await answer.json();
  assert.equal([body.store, body.previous_response_id, body.instructions], [false, null, 'Be kind']);
  assert.is(sent(world).store, undefined);
});

test.run();
