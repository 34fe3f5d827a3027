/**
 * Vendors with chat formats of their own, through a whole daemon, by what their sheets show.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type JsonObject } from '../../daemon/relay/json.ts';
import { recordedCases } from '../conformance/cases.ts';
import { type Answer, jsonAnswer, sseAnswer } from '../support/fake-upstream.ts';
import {
  ask,
  modelOf,
  otherDialects,
  parsed,
  played,
  recorded,
  startVendorWorld,
  stopVendorWorld,
  usageIn,
  type VendorWorld,
} from '../support/vendor-world.ts';

const test = suite<VendorWorld>('vendors with formats of their own');
test.before(startVendorWorld);
test.after(stopVendorWorld);

/** A chat with any body. */
async function chat({ daemon, key }: VendorWorld, body: Record<string, unknown>) {
  const response = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
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

test('vendors that keep conversations by end user are told whose each is', async (world) => {
  const { id } = await world.daemon.root.account.get();
  const told = async (name: string, user?: string) => {
    const response = await chat(world, { model: modelOf(name), user, messages: [{ role: 'user', content: 'hi' }] });
    assert.is(response.status, 400);
    const sent: unknown = JSON.parse(world.upstream.requests.at(-1)?.body.toString() ?? '');
    return isObject(sent) ? (sent.user ?? sent.user_id) : undefined;
  };
  world.upstream.script(jsonAnswer({ code: 'invalid_param', message: 'wrong', status: 400 }, 400));
  assert.is(await told('dify'), `tollgate-${id}`);
  assert.is(await told('dify', 'ann'), 'ann');
  world.upstream.script(jsonAnswer({ code: 4000, msg: 'wrong' }));
  // The channel's key names somebody.
  assert.is(await told('coze'), 'someone');
  assert.is(await told('coze', 'ann'), 'ann');
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

test("an error of Zhipu's third generation that comes as an event is read as one that comes alone", async (world) => {
  const refusal = { code: 1261, msg: 'Prompt too long', success: false };
  const chunks = [`event:error\nid:1\ndata:${JSON.stringify(refusal)}\n\n`];
  const alone = jsonAnswer(refusal);
  for (const answer of [{ headers: { 'content-type': 'text/event-stream' }, chunks }, alone]) {
    world.upstream.script(answer);
    const { status, text } = await ask(world, modelOf('zhipu'), true);
    assert.is(status, 400, text);
    assert.match(text, /"code":"context_length_exceeded"/);
    assert.match(text, /"message":"Prompt too long/);
  }
});

test('a prediction is awaited whole and may become a stream', async (world) => {
  const metrics = { input_token_count: 10, output_token_count: 2 };
  world.upstream.script(jsonAnswer({ id: 'p1', status: 'succeeded', output: ['po', 'ng'], metrics }, 201));
  const told = await ask(world, modelOf('replicate'), true);
  assert.equal([told.content, told.finish, told.bill], ['pong', 'stop', [10, 2, 12]]);
  const sent = world.upstream.requests.at(-1);
  assert.is(sent?.url, '/v1/models/replicate-model/predictions');
  assert.equal(JSON.parse(sent?.body.toString() ?? ''), { input: { prompt: 'hi' } });
});

test('each vendor’s models on Replicate are asked in their own words', async (world) => {
  const image = 'data:image/png;base64,aGk=';
  const picture = { type: 'image_url', image_url: { url: image } };
  const asked = [
    { role: 'system', content: 'short' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  ];
  const shown = [{ role: 'user', content: [{ type: 'text', text: 'what?' }, picture] }];
  const prompt = { prompt: 'hi' };
  world.upstream.script(jsonAnswer({ id: 'p1', status: 'succeeded', output: ['po', 'ng'] }, 201));
  for (const [model, body, input] of [
    [
      'openai/gpt-5.1',
      { messages: asked, max_tokens: 9, reasoning_effort: 'low' },
      {
        messages: [
          { role: 'system', content: 'short' },
          { role: 'user', content: 'hi' },
        ],
        max_completion_tokens: 9,
        reasoning_effort: 'low',
      },
    ],
    ['openai/gpt-5.1', { messages: shown }, { prompt: 'what?', image_input: [image] }],
    ['anthropic/claude-4-sonnet', { messages: shown, max_tokens: 9 }, { prompt: 'what?', image, max_tokens: 9 }],
    [
      'google/gemini-2.5-flash',
      { messages: asked, max_tokens: 9 },
      { ...prompt, system_instruction: 'short', max_output_tokens: 9 },
    ],
    [modelOf('replicate'), { messages: asked, max_tokens: 9 }, { ...prompt, system_prompt: 'short', max_tokens: 9 }],
  ] as const) {
    const { status, text } = await chat(world, { model, ...body });
    assert.is(status, 200, text);
    assert.equal(JSON.parse(world.upstream.requests.at(-1)?.body.toString() ?? ''), { input }, model);
  }
  const before = world.upstream.requests.length;
  const blind = await chat(world, { model: modelOf('replicate'), messages: shown });
  assert.equal([blind.status, world.upstream.requests.length], [400, before]);
  assert.match(blind.text, 'convert_request_failed');
});

test('a prediction that is not finished in time is asked for again', async (world) => {
  const started = recordedCases().find(({ name }) => name.endsWith('replicate-llama-stream-legacy'));
  assert.ok(started);
  const before = world.upstream.requests.length;
  world.upstream.script(({ method }) =>
    method === 'POST' ? recorded(started) : jsonAnswer({ id: 'p1', status: 'succeeded', output: ['po', 'ng'] }),
  );
  const told = await ask(world, modelOf('replicate'), false);
  assert.equal([told.content, told.finish], ['pong', 'stop'], told.text);
  const [first, second] = world.upstream.requests.slice(before);
  assert.is(first?.method, 'POST');
  assert.equal([second?.method, second?.url], ['GET', '/v1/predictions/2knutntbosoct6233zaqaieafa']);
  assert.is(second?.headers.authorization, 'Bearer r8_k');
});

test('Spark over HTTP ends a filtered answer as one, tells of failures once, and is asked to think where it can', async (world) => {
  const said = { code: 0, sid: 's', choices: [{ delta: { role: 'assistant', content: 'po' }, index: 0 }] };
  world.upstream.script(sseAnswer([said, { code: 10_014, message: 'no', sid: 's' }, '[DONE]']));
  const cut = await ask(world, modelOf('xunfei'), true);
  assert.equal([cut.content, cut.finish], ['po', 'content_filter'], cut.text);
  assert.not.match(cut.text, '"error"');
  world.upstream.script(sseAnswer([said, { code: 10_003, message: 'no', sid: 's' }, '[DONE]']));
  const failed = await ask(world, modelOf('xunfei'), true);
  assert.equal([failed.content, failed.finish], ['po', undefined], failed.text);
  assert.match(failed.text, '"code":"10003"');
  const messages = [{ role: 'user', content: 'hi' }];
  await chat(world, { model: modelOf('xunfei'), messages, reasoning_effort: 'low' });
  const sent = parsed(world.upstream.requests.at(-1)?.body.toString() ?? '');
  assert.equal(sent, { model: modelOf('xunfei'), messages });
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
  assert.is(told.status, 404, told.text);
  assert.match(told.text, '"code":"model_retired"');
  assert.match(told.text, 'palm-model is served no longer');
  const id = await world.daemon.addChannel({ type: 11, key: 'AIza', base_url: world.upstream.url, models: 'PaLM-2' });
  const tested = await world.daemon.root.channels.test({ id }).catch((error: unknown) => error);
  const text = tested instanceof Error ? tested.message : JSON.stringify(tested);
  assert.match(text, 'Google PaLM 2 已被其供应商停用，请改用 Google Gemini (24)');
  const models = modelOf('github-models');
  await world.daemon.addChannel({ type: 105, key: 'ghp_k', base_url: world.upstream.url, models });
  const gone = await ask(world, models, false);
  assert.is(gone.status, 404, gone.text);
  assert.match(gone.text, '"code":"model_retired"');
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
  [
    'minimax',
    jsonAnswer({ choices: null, output_sensitive: true, base_resp: { status_code: 0, status_msg: '' } }),
    400,
  ],
  ['fastgpt', jsonAnswer({ code: 400, statusText: 'missingParams', message: 'wrong', data: null }), 400],
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

/** A report of MiniMax that fails, beside whatever else it says; the last flags what it says of no failure. */
const failing = { status_code: 1027, status_msg: 'output sensitive' };
const chatPiece = (content: string) => ({ choices: [{ index: 0, delta: { role: 'assistant', content } }] });
const midStreamReports: readonly (readonly [string, JsonObject, RegExp])[] = [
  ['alone', { base_resp: failing }, /output sensitive/],
  ['beside null', { choices: null, base_resp: failing }, /output sensitive/],
  ['beside no choices', { choices: [], base_resp: failing }, /output sensitive/],
  ['beside a piece', { ...chatPiece('lost'), base_resp: failing }, /output sensitive/],
  ['as a flag', { choices: null, output_sensitive: true, base_resp: { status_code: 0 } }, /the content was filtered/],
];

for (const [name, report, said] of midStreamReports) {
  test(`a stream of MiniMax ends with the failure that it reports in its midst, ${name}`, async (world) => {
    for (const rest of [[], ['[DONE]']]) {
      const events = [chatPiece('po'), report, ...rest];
      const { chunks = [], ...head } = sseAnswer(events);
      for (const answer of [
        { ...head, chunks },
        { ...head, chunks: [chunks.join('')] },
      ]) {
        world.upstream.script(answer);
        const { text } = await chat(world, {
          model: modelOf('minimax'),
          stream: true,
          messages: [{ role: 'user', content: 'hi' }],
        });
        const told = text.split('\n\n').filter((event) => event !== '');
        assert.is(told.length, 2, text);
        assert.match(told[1] ?? '', /^data: \{"error":/);
        assert.match(text, said);
        assert.not.match(text, /base_resp|lost/);
      }
    }
  });
}

test('an answer of Cohere that failed ends in words, whether the vendor has any or none', async (world) => {
  const model = modelOf('cohere');
  for (const [delta, said] of [
    [{ finish_reason: 'ERROR' }, 'the answer failed'],
    [{ finish_reason: 'ERROR', error: 'it broke' }, 'it broke'],
  ] as const) {
    const text = { type: 'content-delta', index: 0, delta: { message: { content: { text: 'po' } } } };
    world.upstream.script(sseAnswer([text, { type: 'message-end', delta }]));
    const told = await chat(world, { model, stream: true, messages: [{ role: 'user', content: 'hi' }] });
    assert.match(told.text, new RegExp(`data: \\{"error":\\{"message":"${said} \\(`));
    assert.not.match(told.text, '[DONE]');
  }
});

test('MiniMax reports its failures alike in the other dialects that it speaks', async (world) => {
  const post = async (dialect: (typeof otherDialects)[number] | undefined, stream: boolean) => {
    assert.ok(dialect);
    const { path, body } = dialect(modelOf('minimax'), stream);
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' };
    const response = await fetch(world.daemon.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  for (const dialect of otherDialects) {
    for (const silence of [{}, { type: 'message', content: null, choices: null }]) {
      world.upstream.script(jsonAnswer({ ...silence, base_resp: failing }));
      for (const stream of [false, true]) {
        const told = await post(dialect, stream);
        assert.is(told.status, 400, told.text);
        assert.match(told.text, 'output sensitive');
      }
    }
  }
  const [messages, responses] = otherDialects;
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'x', usage: { input_tokens: 1 } };
  const begun = { id: 'r', object: 'response', created_at: 1, status: 'in_progress', model: 'x', output: [] };
  for (const [dialect, events, ending] of [
    [
      messages,
      [
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'po' } },
      ],
      /event: error\n.*"invalid_request_error".*output sensitive/,
    ],
    [
      responses,
      [
        { type: 'response.created', response: begun },
        { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'po' },
      ],
      /event: response.failed\n.*"content_filter".*output sensitive/,
    ],
  ] as const) {
    world.upstream.script(sseAnswer([...events, { base_resp: failing }]));
    const { text } = await post(dialect, true);
    assert.match(text, 'po');
    assert.match(text, ending);
    assert.not.match(text, 'base_resp');
  }
});

test.run();
