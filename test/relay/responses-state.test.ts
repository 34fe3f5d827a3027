/** The Responses surface where state is kept, and where a channel cannot keep any (relay.md 2.6, 5.10, 13.5). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import {
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import { keyOfAnother, tidyBetween } from '../support/relay-world.ts';
import { completion } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
  /** Id of the channel that may keep answers. */
  keeping: number;
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
  world.keeping = await add('keeps', { setting: '{"allow_store":true}', key: 'key-one,key-two' });
  await add('chat-only,either', { setting: '{"responses_native":false}', priority: 5 });
  await add('either', { priority: 1 });
  await add('refers');
  await add('refers');
  world.key = await world.daemon.addKey();
});

tidyBetween(test, answers);

function post(
  world: World,
  body: JsonObject,
  key = world.key,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${world.daemon.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
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

/** An answer that is kept, with an item of each kind that can be referred to; ids are nobody else's. */
function keptAnswer(name: string, over: JsonObject = {}): JsonObject {
  const items: JsonObject[] = [
    { type: 'reasoning', id: `rs_${name}`, summary: [] },
    { type: 'web_search_call', id: `ws_${name}`, status: 'completed', action: { type: 'search', query: 'x' } },
    { type: 'image_generation_call', id: `ig_${name}`, status: 'completed', result: 'aGk=' },
    { ...output[0], id: `msg_${name}`, status: 'completed' },
  ];
  return { ...response, id: `resp_${name}`, store: true, output: items, ...over };
}

function keptStream(name: string): unknown[] {
  const whole = keptAnswer(name);
  const items = Array.isArray(whole.output) ? whole.output : [];
  return [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
    ...items.map((item, output_index) => ({ type: 'response.output_item.added', output_index, item })),
    { type: 'response.output_text.delta', output_index: 3, content_index: 0, delta: 'Hi' },
    { type: 'response.completed', response: whole },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

const references = (name: string): readonly (readonly [what: string, item: JsonObject])[] => [
  ['a reference', { type: 'item_reference', id: `msg_${name}` }],
  ['a reference without a type', { id: `msg_${name}` }],
  ['a thought without its words', { type: 'reasoning', id: `rs_${name}`, summary: [] }],
  ['a search', { type: 'web_search_call', id: `ws_${name}`, status: 'completed' }],
  ['a picture without its bytes', { type: 'image_generation_call', id: `ig_${name}` }],
];

for (const manner of ['whole', 'streamed'] as const) {
  test(`sends what refers to an item of a ${manner} answer to the key that keeps it, and nowhere else`, async (world) => {
    for (let round = 0; round < 3; round += 1) {
      const name = `${manner}_${round}`;
      world.upstream.requests.length = 0;
      world.upstream.script(manner === 'whole' ? jsonAnswer(keptAnswer(name)) : sseAnswer(keptStream(name)));
      const asked = { model: 'keeps', input: 'hi', store: true, stream: manner === 'streamed' };
      assert.is((await post(world, asked).then((answer) => answer.text())).includes(`msg_${name}`), true);
      const keeper = world.upstream.requests[0]?.headers.authorization;
      world.upstream.script(jsonAnswer(keptAnswer(`next_${name}`)));
      for (const [what, item] of references(name)) {
        for (let turn = 0; turn < 3; turn += 1) {
          const input = [{ role: 'user', content: 'hi' }, item, { role: 'user', content: 'on' }];
          assert.is((await post(world, { model: 'keeps', input })).status, 200, what);
          assert.is(world.upstream.requests.at(-1)?.headers.authorization, keeper, what);
          assert.equal(sent(world).input, input);
        }
      }
      world.upstream.requests.length = 0;
      world.upstream.script(jsonAnswer({ error: { message: 'limit', code: 'rate_limit_exceeded' } }, 429));
      const failed = await post(world, { model: 'keeps', input: [{ type: 'item_reference', id: `msg_${name}` }] });
      assert.is(failed.status, 429);
      assert.is(world.upstream.requests.length, 1, 'the other key is not asked');
      world.upstream.script(answers);
      await world.daemon.root.channels.clearCooling({ id: world.keeping });
    }
  });
}

test('sends items that say all they are wherever there is room', async (world) => {
  world.upstream.script(jsonAnswer(keptAnswer('told')));
  await post(world, { model: 'keeps', input: 'hi', store: true });
  const said = [
    { type: 'reasoning', id: 'rs_told', summary: [], encrypted_content: 'sealed' },
    { ...output[0], id: 'msg_told' },
    { type: 'image_generation_call', id: 'ig_told', result: 'aGk=' },
  ];
  // Each a conversation of its own: one alone would stay where it is cached.
  for (let turn = 0; turn < 30; turn += 1) {
    await post(world, { model: 'keeps', input: [...said, { role: 'user', content: `on ${turn}` }] });
  }
  const keys = new Set(world.upstream.requests.slice(1).map(({ headers }) => headers.authorization));
  assert.is(keys.size, 2);
});

test('notes nothing of an answer that its upstream does not keep', async (world) => {
  world.upstream.script(jsonAnswer(keptAnswer('gone', { store: false })));
  await post(world, { model: 'keeps', input: 'hi', store: true });
  for (const input of [[{ type: 'item_reference', id: 'msg_gone' }], 'on']) {
    world.upstream.requests.length = 0;
    for (let turn = 0; turn < 30; turn += 1) {
      const previous = typeof input === 'string' ? { previous_response_id: 'resp_gone' } : {};
      await post(world, { model: 'keeps', input, ...previous });
    }
    assert.is(new Set(world.upstream.requests.map(({ headers }) => headers.authorization)).size, 2);
  }
});

test('shows nobody what is kept for another, in the words of the dialect', async (world) => {
  const { daemon, upstream } = world;
  upstream.script(jsonAnswer(keptAnswer('mine')));
  await post(world, { model: 'keeps', input: 'hi', store: true });
  const other = await keyOfAnother(daemon);
  upstream.requests.length = 0;
  const tries: readonly (readonly [field: string, body: JsonObject])[] = [
    ['previous_response_id', { input: 'on', previous_response_id: 'resp_mine' }],
    ...references('mine').map(([, item]): [string, JsonObject] => [
      'input.1',
      { input: [{ role: 'user', content: 'what was it?' }, item] },
    ]),
  ];
  for (const [field, body] of tries) {
    for (const model of ['keeps', 'native']) {
      const refused = await post(world, { model, ...body }, other);
      const { error } = await refused.json();
      const expected = [404, 'kept_item_not_found', 'invalid_request_error', field];
      assert.equal([refused.status, error.code, error.type, error.param], expected);
      assert.match(error.message, /_mine: send the items themselves/);
    }
  }
  assert.is(upstream.requests.length, 0);
  assert.is((await post(world, { model: 'keeps', input: 'on', previous_response_id: 'resp_mine' })).status, 200);
  assert.is(
    (await post(world, { model: 'keeps', input: 'on', previous_response_id: 'resp_unknown' }, other)).status,
    200,
  );
});

test('looks up no more references than a conversation has', async (world) => {
  const input = Array.from({ length: 4097 }, (_, at) => ({ type: 'item_reference', id: `msg_${at}` }));
  const refused = await post(world, { model: 'keeps', input });
  const { error } = await refused.json();
  assert.equal([refused.status, error.code, error.param], [400, 'invalid_request', 'input']);
  assert.is((await post(world, { model: 'keeps', input: input.slice(1) })).status, 200);
});

test('says in both languages what to send where nothing is kept', async (world) => {
  const told = async (asked: JsonObject, language: string) => {
    const body = { model: 'chat-only', input: 'hi', ...asked };
    const answer = await post(world, body, world.key, { 'accept-language': language });
    return (await answer.json()).error.message;
  };
  const reference = { input: [{ type: 'item_reference', id: 'msg_1' }] };
  assert.match(await told(reference, 'en'), /item_reference names what its own upstream keeps: send the item itself/);
  assert.match(await told(reference, 'zh'), /item_reference 指向由其上游保存的内容：请改为发送该内容本身/);
  const previous = { previous_response_id: 'resp_1' };
  assert.match(await told(previous, 'en'), /previous_response_id: .*: send the earlier items as input/);
  assert.match(await told(previous, 'zh'), /previous_response_id：.*请在 input 中发送之前的全部内容/);
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
