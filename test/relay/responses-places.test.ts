/**
 * Conversations, containers and files of Responses calls: each lives at one upstream (relay.md 2.6, 5.10). Runs once: what
 * is kept of them is kept as that of responses, whose suite runs on both databases.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, type RecordedRequest, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { keyOfAnother, postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';

interface World extends RelayWorld {
  other: string;
  /** Id of the channel of both keys. */
  channel: number;
}

const test = suite<World>('relay/places of responses');

const message: JsonObject = {
  type: 'message',
  id: 'msg_plain',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
};
const plain: JsonObject = {
  id: 'resp_plain',
  object: 'response',
  status: 'completed',
  store: false,
  output: [message],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
};

/** The answer, told in events. */
function told(response: JsonObject): unknown[] {
  const items = Array.isArray(response.output) ? response.output : [];
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      ...(isObject(item) && item.type === 'message'
        ? [{ type: 'response.output_text.delta', output_index, content_index: 0, delta: 'Hi' }]
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

const answers = () => jsonAnswer(plain);

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answers);
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true', RetryTimes: '2' } });
  const base_url = world.upstream.url;
  world.channel = await world.daemon.addChannel({ type: 1, base_url, models: 'm', key: 'key-one,key-two' });
  await world.daemon.addChannel({ type: 1, base_url, models: 'chat', setting: '{"responses_native":false}' });
  world.key = await world.daemon.addKey();
  world.other = await keyOfAnother(world.daemon);
});

tidyBetween(test, answers);

const ask = (world: World, asked: JsonObject, key = world.key) =>
  postJson({ daemon: world.daemon, key }, '/v1/responses', { model: 'm', input: 'hi', ...asked });

const asker = ({ headers }: RecordedRequest) => headers.authorization;
const lastAsker = ({ upstream }: World) => upstream.requests.at(-1)?.headers.authorization;

/** The keys that many calls of one kind reach. */
async function askers(world: World, asked: JsonObject, key = world.key): Promise<ReadonlySet<string | undefined>> {
  world.upstream.requests.length = 0;
  for (let turn = 0; turn < 8; turn += 1) assert.is((await ask(world, asked, key)).status, 200);
  return new Set(world.upstream.requests.map(asker));
}

async function isRefusedToOthers(world: World, asked: JsonObject, field: string): Promise<void> {
  world.upstream.requests.length = 0;
  const { status, body } = await ask(world, asked, world.other);
  assert.equal([status, body.error.code, body.error.param], [404, 'kept_item_not_found', field]);
  assert.is(world.upstream.requests.length, 0);
}

const forms: readonly (readonly [what: string, named: (id: string) => Json])[] = [
  ['by its id', (id) => id],
  ['as an object', (id) => ({ id })],
];
for (const [at, [what, named]] of forms.entries()) {
  test(`goes on with a conversation named ${what} where it began, and nowhere else`, async (world) => {
    const conversation = named(`conv_${at}`);
    await ask(world, { conversation });
    const keeper = lastAsker(world);
    for (const [, form] of forms) {
      assert.equal([...(await askers(world, { conversation: form(`conv_${at}`) }))], [keeper]);
    }
    world.upstream.requests.length = 0;
    world.upstream.script(jsonAnswer({ error: { message: 'limit', code: 'rate_limit_exceeded' } }, 429));
    assert.is((await ask(world, { conversation })).status, 429);
    assert.is(world.upstream.requests.length, 1, 'the other key is not asked');
    await world.daemon.root.channels.clearCooling({ id: world.channel });
  });
}

test('finds the key of a conversation that was begun elsewhere, and stays there', async (world) => {
  const knows = (request: RecordedRequest) => asker(request) === 'Bearer key-two';
  world.upstream.script((request) =>
    knows(request) ? jsonAnswer(plain) : jsonAnswer({ error: { message: 'no such conversation' } }, 404),
  );
  for (let turn = 0; turn < 6; turn += 1) assert.is((await ask(world, { conversation: 'conv_found' })).status, 200);
  assert.ok(world.upstream.requests.length <= 7, 'one call in vain at most');
  assert.is(lastAsker(world), 'Bearer key-two');
});

test('refuses a word in a conversation, and leaves no look-up of it behind that fails unheard', async (world) => {
  await ask(world, { conversation: 'conv_words' });
  const asked = { conversation: 'conv_words', input: 'test_sensitive' };
  assert.is((await ask(world, asked)).body.error.code, 'sensitive_words_detected');
  await isRefusedToOthers(world, asked, 'conversation');
});

test('lets nobody else into a conversation, and nobody refer to what was said in it', async (world) => {
  await ask(world, { conversation: 'conv_mine' });
  await isRefusedToOthers(world, { conversation: 'conv_mine' }, 'conversation');
  await isRefusedToOthers(world, { conversation: { id: 'conv_mine' } }, 'conversation');
  await isRefusedToOthers(world, { input: [{ type: 'item_reference', id: 'msg_plain' }] }, 'input.0');
  assert.is((await ask(world, { conversation: 'conv_mine' })).status, 200);
  assert.is((await ask(world, { conversation: 'conv_theirs' }, world.other)).status, 200);
});

test('notes a conversation that the upstream names itself', async (world) => {
  world.upstream.script(jsonAnswer({ ...plain, conversation: { id: 'conv_named' } }));
  await ask(world, {});
  await isRefusedToOthers(world, { conversation: 'conv_named' }, 'conversation');
});

const containers: readonly (readonly [
  kind: string,
  tool: JsonObject,
  item: (id: string) => JsonObject,
  reuse: (id: string) => JsonObject,
  field: string,
])[] = [
  [
    'code interpreter',
    { type: 'code_interpreter', container: { type: 'auto' } },
    (id) => ({ type: 'code_interpreter_call', id: 'ci_1', status: 'completed', container_id: id }),
    (id) => ({ tools: [{ type: 'code_interpreter', container: id }] }),
    'tools.0.container',
  ],
  [
    'shell',
    { type: 'shell', environment: { type: 'container_auto' } },
    (id) => ({ type: 'shell_call', id: 'sh_1', environment: { type: 'container_reference', container_id: id } }),
    (id) => ({ tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: id } }] }),
    'tools.0.environment',
  ],
];
for (const [kind, tool, item, reuse, field] of containers) {
  for (const manner of ['whole', 'streamed'] as const) {
    test(`lets a ${kind} go on in the container of a ${manner} answer for its user alone`, async (world) => {
      const id = `cntr_${kind}_${manner}`;
      const answer = { ...plain, output: [item(id), message] };
      const isStreamed = manner === 'streamed';
      world.upstream.script(isStreamed ? sseAnswer(told(answer)) : jsonAnswer(answer));
      await ask(world, { tools: [tool], stream: isStreamed });
      const keeper = lastAsker(world);
      world.upstream.script(answers);
      assert.equal([...(await askers(world, reuse(id)))], [keeper]);
      const replayed = { input: [item(id), { role: 'user', content: 'on' }] };
      assert.equal([...(await askers(world, replayed))], [keeper]);
      await isRefusedToOthers(world, reuse(id), field);
      await isRefusedToOthers(world, replayed, 'input.0');
    });
  }
}

const files: readonly (readonly [what: string, body: (id: string) => JsonObject])[] = [
  ['a file', (id) => ({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }] })],
  ['an image', (id) => ({ input: [{ role: 'user', content: [{ type: 'input_image', file_id: id }] }] })],
  [
    'an image in the result of a call',
    (id) => ({
      input: [
        { type: 'function_call', call_id: 'c', name: 'see', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', file_id: id }] },
      ],
    }),
  ],
  ['a vector store', (id) => ({ tools: [{ type: 'file_search', vector_store_ids: [id] }] })],
  ['a file in a container', (id) => ({ tools: [{ type: 'code_interpreter', container: { file_ids: [id] } }] })],
  ['a mask', (id) => ({ tools: [{ type: 'image_generation', input_image_mask: { file_id: id } }] })],
  ['a stored prompt', (id) => ({ prompt: { id } })],
];
for (const [at, [what, naming]] of files.entries()) {
  test(`asks first where ${what} was found before, whoever asks, and then elsewhere`, async (world) => {
    const asked = naming(`file_${at}`);
    assert.is((await ask(world, asked)).status, 200);
    const keeper = lastAsker(world);
    for (const key of [world.key, world.other]) assert.equal([...(await askers(world, asked, key))], [keeper]);
    world.upstream.requests.length = 0;
    world.upstream.script((request) =>
      asker(request) === keeper ? jsonAnswer({ error: { message: 'busy' } }, 503) : jsonAnswer(plain),
    );
    assert.is((await ask(world, asked)).status, 200);
    assert.equal(world.upstream.requests.map(asker)[0], keeper);
    assert.is.not(lastAsker(world), keeper);
    await world.daemon.root.channels.clearCooling({ id: world.channel });
  });
}

for (const [asked, answered] of [
  ['streamed', 'whole'],
  ['whole', 'streamed'],
] as const) {
  test(`shows the upstream's own ids where an answer is asked ${asked} and comes ${answered}, and knows them`, async (world) => {
    const name = `${asked}_${answered}`;
    const output: JsonObject[] = [
      { type: 'reasoning', id: `rs_${name}`, summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'web_search_call', id: `ws_${name}`, status: 'completed', action: { type: 'search', query: 'x' } },
      { type: 'image_generation_call', id: `ig_${name}`, status: 'completed', result: 'aGk=' },
      { type: 'function_call', id: `fc_${name}`, call_id: 'call_1', name: 'f', arguments: '{}', status: 'completed' },
      { ...message, id: `msg_${name}`, phase: 'final_answer' },
    ];
    const channel = await world.daemon.addChannel({
      type: 1,
      base_url: world.upstream.url,
      models: `keeps-${name}`,
      key: 'key-three,key-four',
      setting: '{"allow_store":true}',
    });
    const answer = { ...plain, id: `resp_${name}`, store: true, output };
    world.upstream.script(answered === 'whole' ? jsonAnswer(answer) : sseAnswer(told(answer)));
    const model = `keeps-${name}`;
    const { text } = await ask(world, { model, store: true, stream: asked === 'streamed' });
    const keeper = lastAsker(world);
    const shown = new Set([...text.matchAll(/"id":"((?:rs|ws|ig|fc|msg)_[^"]*)"/g)].map(([, id]) => id));
    assert.equal(
      [...shown],
      output.map(({ id }) => id),
    );
    assert.match(text, /"phase":"final_answer"/);
    world.upstream.script(answers);
    for (const { id = '' } of output) {
      const input = [{ type: 'item_reference', id }];
      assert.equal([...(await askers(world, { model, input }))], [keeper], `${id}`);
      await isRefusedToOthers(world, { model, input }, 'input.0');
    }
    await world.daemon.root.channels.delete({ id: channel });
  });
}

const unkept: readonly (readonly [field: string, asked: JsonObject])[] = [
  ['file_search', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
  ['code_interpreter', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }],
  ['conversation', { conversation: 'conv_1' }],
];
for (const [field, asked] of unkept) {
  test(`refuses ${field} by name where a channel has none of it`, async (world) => {
    const { status, body } = await ask(world, { model: 'chat', ...asked });
    assert.equal([status, body.error.code], [400, 'convert_request_failed']);
    assert.match(`${body.error.param} ${body.error.message}`, new RegExp(field));
    assert.is(world.upstream.requests.length, 0);
  });
}

test.run();
