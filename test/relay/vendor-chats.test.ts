/**
 * The vendors with chat formats of their own, and those that sign, through a whole daemon: what they sent when somebody
 * recorded them reaches an OpenAI client as chunks or as one body, and is billed as they reported it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { type RecordedCase, readResponse, readStream, recordedCases } from '../conformance/cases.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import {
  type Answer,
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  startFakeUpstream,
} from '../support/fake-upstream.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

interface Vendor {
  readonly type: number;
  readonly key: string;
  readonly format: string;
  readonly other?: string;
  /** What the request must show: its address and its credentials. */
  readonly url: RegExp;
  readonly authorization: RegExp | undefined;
}

const vendors: Readonly<Record<string, Vendor>> = {
  cohere: { type: 34, key: 'co-key', format: 'cohere-chat', url: /^\/v2\/chat$/, authorization: /^Bearer co-key$/ },
  baidu: {
    type: 15,
    key: 'id|secret',
    format: 'baidu-wenxin',
    url: /^\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/chat\/baidu-model\?access_token=24\.token$/,
    authorization: undefined,
  },
  tencent: {
    type: 23,
    key: '125|AKID|secret',
    format: 'tencent-hunyuan',
    url: /^\/$/,
    authorization: /^TC3-HMAC-SHA256 Credential=AKID\//,
  },
  dify: {
    type: 37,
    key: 'app-key',
    format: 'dify-chat',
    url: /^\/v1\/chat-messages$/,
    authorization: /^Bearer app-key$/,
  },
  coze: { type: 103, key: 'pat_k|someone', format: 'coze-chat', url: /^\/v3\/chat$/, authorization: /^Bearer pat_k$/ },
  xunfei: {
    type: 18,
    key: 'app|secret|key',
    format: 'xunfei-spark',
    url: /^\/v1\/chat\/completions$/,
    authorization: /^Bearer key:secret$/,
  },
  'zhipu-v4': {
    type: 26,
    key: 'id.secret',
    format: 'openai-chat',
    url: /^\/api\/paas\/v4\/chat\/completions$/,
    authorization: /^Bearer id\.secret$/,
  },
  ali: {
    type: 17,
    key: 'sk-ali',
    format: 'openai-chat',
    url: /^\/compatible-mode\/v1\/chat\/completions$/,
    authorization: /^Bearer sk-ali$/,
  },
  minimax: {
    type: 35,
    key: 'jwt|group',
    format: 'openai-chat',
    url: /^\/v1\/chat\/completions$/,
    authorization: /^Bearer jwt$/,
  },
  cloudflare: {
    type: 39,
    key: 'account|token',
    format: 'openai-chat',
    url: /^\/client\/v4\/accounts\/account\/ai\/v1\/chat\/completions$/,
    authorization: /^Bearer token$/,
  },
};

/** Folders that are named for the vendor, where the channel type is named for a generation. */
const folders: Readonly<Record<string, string>> = { zhipu: 'zhipu-v4' };

const test = suite<World>('vendors with formats of their own');
const modelOf = (vendor: string) => `${vendor}-model`;

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  const models = [...Object.keys(vendors), 'zhipu', 'replicate', 'aiproxy-library', 'palm'].map(modelOf);
  models.push('sonar');
  const ones = JSON.stringify(Object.fromEntries(models.map((model) => [model, 1])));
  world.daemon = await startTestDaemon({
    options: { ModelRatio: ones, CompletionRatio: ones, AutomaticDisableChannelEnabled: 'false' },
  });
  const base = world.upstream.url;
  for (const [name, { type, key, other = '' }] of Object.entries(vendors)) {
    await world.daemon.addChannel({ type, key, other, base_url: base, models: modelOf(name) });
  }
  await world.daemon.addChannel({ type: 27, key: 'pplx-k', base_url: base, models: 'sonar' });
  await world.daemon.addChannel({ type: 11, key: 'AIza', base_url: base, models: modelOf('palm') });
  await world.daemon.addChannel({ type: 16, key: 'id.secret', base_url: base, models: modelOf('zhipu') });
  await world.daemon.addChannel({ type: 109, key: 'r8_k', base_url: base, models: modelOf('replicate') });
  await world.daemon.addChannel({
    type: 21,
    key: 'k',
    other: 'lib',
    base_url: base,
    models: modelOf('aiproxy-library'),
  });
  world.key = await world.daemon.addKey();
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

/** The recording; keys are traded at the same address. */
function played(answer: Answer): (request: RecordedRequest) => Answer {
  return ({ url }) =>
    url.startsWith('/oauth/2.0/token') ? jsonAnswer({ access_token: '24.token', expires_in: 2_592_000 }) : answer;
}

function recorded(one: RecordedCase): Answer {
  const stream = readStream(one);
  if (stream === undefined) return jsonAnswer(readResponse(one), one.status);
  const chunks: Buffer[] = [];
  for (let start = 0; start < stream.length; start += 97) chunks.push(stream.subarray(start, start + 97));
  return { headers: { 'content-type': 'text/event-stream' }, chunks };
}

interface Told {
  readonly status: number;
  readonly text: string;
  readonly content: string;
  readonly finish: Json | undefined;
  readonly bill: readonly [prompt: number, completion: number, quota: number];
}

async function ask({ daemon, key }: World, model: string, stream: boolean): Promise<Told> {
  const response = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], stream }),
  });
  const text = await response.text();
  const { content, finish } = readChat(text, stream && response.status === 200);
  return { status: response.status, text, content, finish, bill: await billOf(daemon, response) };
}

/** The row of a call that was paid for; it is written after the answer. */
async function billOf(daemon: TestDaemon, response: Response): Promise<Told['bill']> {
  if (response.status !== 200) return [0, 0, 0];
  const request_id = response.headers.get('x-request-id') ?? '';
  assert.ok(request_id !== '');
  for (let tries = 0; tries < 80; tries += 1) {
    const { items } = await daemon.root.logs.list({ request_id });
    const row = items.find(({ type }) => type === 2);
    if (row !== undefined) return [row.prompt_tokens, row.completion_tokens, row.quota];
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('no log row came');
}

function parsed(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}

function readChat(text: string, isStream: boolean): { content: string; finish: Json | undefined } {
  const bodies = isStream
    ? text
        .split('\n\n')
        .filter((event) => event.startsWith('data: {'))
        .map((event) => parsed(event.slice(6)))
    : [parsed(text)];
  let content = '';
  let finish: Json | undefined;
  for (const body of bodies) {
    const choices = isObject(body) && Array.isArray(body.choices) ? body.choices : [];
    for (const choice of choices.filter(isObject)) {
      const message: Json | undefined = isStream ? choice.delta : choice.message;
      if (isObject(message)) content += spoken(message);
      if (typeof choice.finish_reason === 'string') finish = choice.finish_reason;
    }
  }
  return { content, finish };
}

function spoken(message: JsonObject): string {
  const calls = Array.isArray(message.tool_calls) ? JSON.stringify(message.tool_calls) : '';
  const thought = typeof message.reasoning_content === 'string' ? message.reasoning_content : '';
  return (typeof message.content === 'string' ? message.content : '') + thought + calls;
}

/** What the recording says was used; undefined where it says nothing. */
function usageIn(one: RecordedCase): [prompt: number, completion: number] | undefined {
  const found = /^- usage: (\{.*)$/m.exec(readFileSync(join(one.folder, 'about.md'), 'utf8'));
  const usage = found?.[1] === undefined ? undefined : parsed(found[1]);
  if (!isObject(usage)) return undefined;
  const billed = isObject(usage.billed_units) ? usage.billed_units : {};
  const prompt = usage.prompt_tokens ?? usage.PromptTokens ?? usage.input_count ?? billed.input_tokens;
  const completion = usage.completion_tokens ?? usage.CompletionTokens ?? usage.output_count ?? billed.output_tokens;
  return Number(prompt) > 0 ? [Number(prompt), Number(completion)] : undefined;
}

for (const one of recordedCases()) {
  const folder = one.name.split('/')[0] ?? '';
  const name = folders[folder] ?? folder;
  const vendor = vendors[name];
  const usage = usageIn(one);
  if (vendor === undefined || vendor.format !== one.format || one.status >= 400 || usage === undefined) continue;
  // An answer that came in another manner than this vendor is asked for.
  const isStream = readStream(one) !== undefined;

  test(`${one.name} is read and billed as reported`, async (world) => {
    const { upstream } = world;
    upstream.script(played(recorded(one)));
    const told = await ask(world, modelOf(name), isStream);
    assert.is(told.status, 200, told.text);
    assert.ok(told.content !== '', told.text);
    assert.ok(told.finish !== undefined, told.text);
    assert.equal(told.bill.slice(0, 2), usage);
    assert.is(told.bill[2], usage[0] + usage[1]);
    const sent = upstream.requests.at(-1);
    assert.match(sent?.url ?? '', vendor.url);
    if (vendor.authorization === undefined) assert.is(sent?.headers.authorization, undefined);
    else assert.match(sent?.headers.authorization ?? '', vendor.authorization);
  });
}

test('a stream that the vendor alone knows becomes one body', async (world) => {
  for (const name of ['dify', 'coze']) {
    const one = recordedCases().find((entry) => entry.name.startsWith(`${name}/`) && usageIn(entry) !== undefined);
    assert.ok(one);
    world.upstream.script(recorded(one));
    const told = await ask(world, modelOf(name), false);
    assert.is(told.status, 200, told.text);
    assert.equal(told.bill.slice(0, 2), usageIn(one));
    assert.is(told.finish, 'stop');
  }
});

test("Zhipu's third generation speaks raw text", async (world) => {
  const tail =
    '{"request_id":"7446","task_status":"SUCCESS","usage":{"prompt_tokens":2,"completion_tokens":2,"total_tokens":4}}';
  const chunks = [
    'event:add\nid:7446\ndata:po\n\n',
    'event:add\nid:7446\ndata:ng\n\n',
    `event:finish\nid:7446\ndata:\nmeta:${tail}\n\n`,
  ];
  world.upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks });
  const streamed = await ask(world, modelOf('zhipu'), true);
  assert.equal([streamed.content, streamed.finish, streamed.bill], ['pong', 'stop', [2, 2, 4]]);
  const sent = world.upstream.requests.at(-1);
  assert.is(sent?.url, '/api/paas/v3/model-api/zhipu-model/sse-invoke');
  assert.match(sent?.headers.authorization ?? '', /^eyJ[^.]*\.[^.]+\.[^.]+$/);
  const choices = [{ role: 'assistant', content: '"\\" pong\\""' }];
  const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };
  const body = {
    code: 200,
    msg: 'ok',
    success: true,
    data: { request_id: 'r1', task_status: 'SUCCESS', choices, usage },
  };
  world.upstream.script(jsonAnswer(body));
  const whole = await ask(world, modelOf('zhipu'), false);
  assert.equal(whole.bill, [2, 1, 3]);
  assert.match(whole.content, 'pong');
});

test('a prediction is awaited whole and may become a stream', async (world) => {
  const metrics = { input_token_count: 10, output_token_count: 2 };
  world.upstream.script(jsonAnswer({ id: 'p1', status: 'succeeded', output: ['po', 'ng'], metrics }, 201));
  const told = await ask(world, modelOf('replicate'), true);
  assert.equal([told.content, told.finish, told.bill], ['pong', 'stop', [10, 2, 12]]);
  const sent = world.upstream.requests.at(-1);
  assert.is(sent?.url, '/v1/models/replicate-model/predictions');
  assert.is(sent?.headers.prefer, 'wait=60');
  assert.equal(JSON.parse(sent?.body.toString() ?? ''), { input: { prompt: 'hi' } });
});

test("a knowledge base's sources stand below its answer", async (world) => {
  const documents = [{ title: 'Manual', url: 'https://d.example/m' }];
  world.upstream.script(jsonAnswer({ success: true, answer: 'pong', documents, errCode: '', message: '' }));
  const told = await ask(world, modelOf('aiproxy-library'), false);
  assert.is(told.content, 'pong\n\n1. [Manual](https://d.example/m)');
  const sent = world.upstream.requests.at(-1);
  assert.equal(JSON.parse(sent?.body.toString() ?? ''), {
    model: 'aiproxy-library-model',
    query: 'hi',
    stream: false,
    libraryId: 'lib',
  });
});

test('Perplexity is asked as an agent and answers with its searches', async (world) => {
  const annotations = [{ type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 1, end_index: 4 }];
  const content = [{ type: 'output_text', text: 'pong[1]', annotations }];
  world.upstream.script(
    jsonAnswer({
      id: 'resp_1',
      object: 'response',
      created_at: 1_768_480_200,
      status: 'completed',
      model: 'perplexity/sonar',
      output: [
        { type: 'search_results', queries: ['a'], results: [{ id: 1, title: 'A', url: 'https://a.example' }] },
        { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content },
      ],
      usage: { input_tokens: 8, output_tokens: 42, total_tokens: 50 },
    }),
  );
  const told = await ask(world, 'sonar', false);
  assert.equal([told.content, told.finish], ['pong[1]', 'stop'], told.text);
  assert.equal(told.bill.slice(0, 2), [8, 42]);
  const sent = world.upstream.requests.at(-1);
  assert.is(sent?.url, '/v1/agent');
  const body = parsed(sent?.body.toString() ?? '');
  assert.ok(isObject(body));
  assert.equal([body.model, body.tools], ['perplexity/sonar', [{ type: 'web_search' }]]);
});

test('a retired vendor is refused clearly and never asked', async (world) => {
  const before = world.upstream.requests.length;
  const told = await ask(world, modelOf('palm'), false);
  assert.ok(told.status >= 400, told.text);
  assert.is(world.upstream.requests.length, before);
});

/** Failures that come with status 200: vendor, answer, the status that the client gets. */
const failures: readonly (readonly [string, Answer, number])[] = [
  ['baidu', jsonAnswer({ error_code: 336_100, error_msg: 'busy' }), 429],
  ['tencent', jsonAnswer({ Response: { Error: { Code: 'InvalidParameter', Message: 'wrong' }, RequestId: 'r' } }), 400],
  ['coze', jsonAnswer({ code: 4000, msg: 'wrong' }), 400],
  ['xunfei', jsonAnswer({ code: 10_013, message: 'moderated', sid: 's' }), 400],
  ['minimax', jsonAnswer({ choices: null, base_resp: { status_code: 2013, status_msg: 'invalid params' } }), 400],
  ['dify', jsonAnswer({ code: 'invalid_param', message: 'wrong', status: 400 }, 400), 400],
  ['cloudflare', jsonAnswer({ success: false, errors: [{ code: 5006, message: 'wrong' }], result: null }), 400],
];

for (const [name, answer, status] of failures) {
  test(`a refusal of ${name} inside a success is no answer, streamed or not`, async (world) => {
    for (const stream of [true, false]) {
      world.upstream.script(played(answer));
      const told = await ask(world, modelOf(name), stream);
      assert.is(told.status, status, told.text);
    }
  });
}

test.run();
