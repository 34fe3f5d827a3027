/** What clients of the chat wire ask, in the words of each vendor; and streams that arrive cut anywhere. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId, UpstreamFormat, WireEvent } from '../../../../daemon/relay/format.ts';
import { chatFormatOf, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import { isObject, type Json, type JsonObject } from '../../../../daemon/relay/json.ts';
import { providers } from '../../../../daemon/relay/providers/index.ts';
import { frame, readResponse, readStream, recordedCases } from '../../../conformance/cases.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('chat formats of vendors');

const vendorFormats: readonly FormatId[] = [
  'bedrock-converse',
  'cohere-chat',
  'baidu-wenxin',
  'tencent-hunyuan',
  'dify-chat',
  'cohere-v1-chat',
  'coze-chat',
  'dashscope-chat',
  'ollama-chat',
  'xunfei-spark',
];

function formatOf(id: FormatId): UpstreamFormat {
  const format = upstreamFormatOf(id);
  assert.ok(format);
  return format;
}

/** A chat request as the vendor gets it. */
function encoded(id: FormatId, body: JsonObject): Json {
  const request = chatFormatOf('openai-chat')?.decodeRequest({ model: 'm', messages: [], ...body });
  assert.ok(request);
  return formatOf(id).encodeRequest(request, testScope());
}

function decoded(id: FormatId, events: readonly WireEvent[]): Json {
  const decoder = formatOf(id).decodeStream(testScope());
  return JSON.parse(JSON.stringify([...events.flatMap((event) => decoder.push(event)), ...decoder.end()]));
}

const tools = [{ type: 'function', function: { name: 'look', description: 'd', parameters: { type: 'object' } } }];
const loop: JsonObject[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"city":"Paris"}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
];

for (const one of recordedCases()) {
  const stream = readStream(one);
  const id = vendorFormats.find((entry) => entry === one.format);
  if (id === undefined || stream === undefined) continue;
  test(`${one.name} reads the same wherever it is cut`, () => {
    const whole = decoded(id, frame(stream, stream.length));
    for (const size of [1, 2, 3, 7, 64]) assert.equal(decoded(id, frame(stream, size)), whole);
  });
}

/** Every value of a body replaced by others of the wrong type, one at a time. */
function* broken(value: Json): Generator<Json> {
  for (const wrong of [null, 7, 'x', [], {}, true]) yield wrong;
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) for (const bad of broken(entry)) yield value.with(at, bad);
  } else if (isObject(value)) {
    for (const [name, entry] of Object.entries(value)) for (const bad of broken(entry)) yield { ...value, [name]: bad };
  }
}

test('one value of a wrong type never breaks a reader', () => {
  for (const one of recordedCases()) {
    const id = vendorFormats.find((entry) => entry === one.format);
    if (id === undefined) continue;
    const format = formatOf(id);
    const body = readResponse(one);
    for (const bad of body === undefined ? [] : broken(body)) {
      try {
        format.decodeResponse(bad, testScope());
        format.readUsage(bad);
      } catch (error) {
        assert.match(error instanceof Error ? error.name : '', 'TollgateError');
      }
    }
    for (const { event, data } of frame(readStream(one) ?? Buffer.alloc(0), 4096).slice(0, 12)) {
      const payload: Json = data.startsWith('{') ? JSON.parse(data) : data;
      for (const bad of broken(payload)) {
        const wire = { data: JSON.stringify(bad), ...(event === undefined ? {} : { event }) };
        format.decodeStream(testScope()).push(wire);
      }
    }
  }
});

test('Cohere is asked in its own words', () => {
  const body = {
    messages: loop,
    tools,
    tool_choice: 'required',
    stop: ['x'],
    top_p: 0.5,
    top_k: 9,
    n: 1,
    max_tokens: 4,
  };
  assert.equal(encoded('cohere-chat', body), {
    model: 'm',
    messages: [
      loop[0],
      loop[1],
      { role: 'assistant', tool_calls: loop[2]?.tool_calls ?? [] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
    tools: [{ type: 'function', function: { name: 'look', description: 'd', parameters: { type: 'object' } } }],
    tool_choice: 'REQUIRED',
    stop_sequences: ['x'],
    p: 0.5,
    k: 9,
    max_tokens: 4,
  });
  const thinking = encoded('cohere-chat', { messages: [loop[1] ?? {}], reasoning_effort: 'low' });
  assert.ok(isObject(thinking));
  assert.equal(thinking.thinking, { type: 'enabled', token_budget: 1024 });
});

test('Hunyuan is asked in capitals', () => {
  const messages = [
    ...loop,
    { role: 'assistant', content: 'Sunny.' },
    { role: 'user', content: 'a' },
    { role: 'user', content: 'b' },
  ];
  assert.equal(encoded('tencent-hunyuan', { messages, tools, temperature: 0, seed: 99_999, max_tokens: 5 }), {
    Model: 'm',
    Messages: [
      { Role: 'system', Content: 'Be brief.' },
      { Role: 'user', Content: 'Weather?' },
      {
        Role: 'assistant',
        Content: '',
        ToolCalls: [
          { Id: 'c1', Type: 'function', Index: 0, Function: { Name: 'look', Arguments: '{"city":"Paris"}' } },
        ],
      },
      { Role: 'tool', Content: 'sunny', ToolCallId: 'c1' },
      { Role: 'assistant', Content: 'Sunny.' },
      { Role: 'user', Content: 'a\nb' },
    ],
    Stream: false,
    Temperature: 0,
    Tools: [{ Type: 'function', Function: { Name: 'look', Description: 'd', Parameters: '{"type":"object"}' } }],
    ToolChoice: 'auto',
  });
});

test('Hunyuan hears what it is asked for beside the chat, and one message of each side in turn', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } };
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Look' }, picture] },
    { role: 'user', content: 'and tell' },
  ];
  assert.equal(encoded('tencent-hunyuan', { messages, enable_deep_search: true, search_info: true, citation: null }), {
    Model: 'm',
    Messages: [
      {
        Role: 'user',
        Contents: [
          { Type: 'text', Text: 'Look' },
          { Type: 'image_url', ImageUrl: { Url: 'https://example.org/a.png' } },
          { Type: 'text', Text: 'and tell' },
        ],
      },
    ],
    Stream: false,
    SearchInfo: true,
    EnableDeepSearch: true,
  });
});

test('Hunyuan is told no result whose call it is not told', () => {
  const turns = Array.from({ length: 20 }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${at}`, type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: 'r' },
  ]).flat();
  const sent = encoded('tencent-hunyuan', { messages: [{ role: 'user', content: 'go' }, ...turns] });
  assert.ok(isObject(sent) && Array.isArray(sent.Messages));
  assert.is(sent.Messages.length, 39);
  assert.equal(sent.Messages[0], { Role: 'user', Content: 'go' });
  assert.is(Object(sent.Messages[1]).Role, 'assistant');
});

test('Wenxin gets turns that alternate, and results as JSON', () => {
  assert.equal(encoded('baidu-wenxin', { messages: loop, temperature: 0, max_tokens: 1, user: 'u' }), {
    messages: [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: '', function_call: { name: 'look', arguments: '{"city":"Paris"}' } },
      { role: 'function', name: 'look', content: '{"result":"sunny"}' },
    ],
    system: 'Be brief.',
    temperature: 0.01,
    max_output_tokens: 2,
    user_id: 'u',
  });
});

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('Ollama gets options, bare images and arguments as objects', () => {
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
  const schema = { type: 'object' };
  const body = {
    messages: [loop[0] ?? {}, { role: 'user', content: [{ type: 'text', text: 'Where?' }, picture] }, ...loop.slice(2)],
    tools,
    temperature: 0,
    max_tokens: 4,
    stop: ['x'],
    reasoning_effort: 'xhigh',
    options: { num_ctx: 4096 },
    keep_alive: '1h',
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
  };
  assert.equal(encoded('ollama-chat', body), {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Where?', images: [png] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', function: { name: 'look', arguments: { city: 'Paris' } } }],
      },
      { role: 'tool', content: 'sunny', tool_call_id: 'c1', tool_name: 'look' },
    ],
    stream: false,
    options: { temperature: 0, num_predict: 4, stop: ['x'], num_ctx: 4096 },
    tools,
    format: schema,
    think: 'max',
    keep_alive: '1h',
  });
});

test('DashScope gets its parameters apart, and lists where the model sees', () => {
  const body = { messages: loop, tools, tool_choice: 'required', max_tokens: 4, top_p: 1, stream: true };
  const qwen = providers.find(({ id }) => id === 'ali');
  const amended = (given: Json, model: string) => {
    const call = { capability: 'chat', format: 'dashscope-chat', model, stream: true, baseUrl: '', other: '' } as const;
    return qwen?.amendBody?.(given, { ...call, organization: undefined, setting: {}, settings: {}, options: {} });
  };
  assert.equal(amended(encoded('dashscope-chat', { ...body, model: 'qwen-plus-internet' }), 'qwen-plus-internet'), {
    model: 'qwen-plus',
    input: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: '', tool_calls: loop[2]?.tool_calls ?? [] },
        { role: 'tool', content: 'sunny', tool_call_id: 'c1' },
      ],
    },
    parameters: {
      result_format: 'message',
      incremental_output: true,
      top_p: 0.999,
      tools,
      max_tokens: 4,
      tool_choice: 'auto',
      enable_search: true,
    },
  });
  const picture = { type: 'image_url', image_url: { url: 'https://h.example/a.png' } };
  const seen = [{ role: 'user', content: [{ type: 'text', text: 'Where?' }, picture] }];
  const asked = encoded('dashscope-chat', { model: 'qwen-vl-max', messages: seen });
  assert.ok(isObject(asked) && isObject(asked.input));
  assert.equal(asked.input.messages, [
    { role: 'user', content: [{ text: 'Where?' }, { image: 'https://h.example/a.png' }] },
  ]);
  assert.throws(() => encoded('dashscope-chat', { messages: seen }), /convert_request_failed|cannot/);
});

test('Spark gets one frame, where calls and results are told in words', () => {
  const scope = testScope();
  const body = { messages: loop, tools, tool_choice: 'required', temperature: 2, top_k: 9, presence_penalty: 1 };
  const request = chatFormatOf('openai-chat')?.decodeRequest({ model: 'Spark-Max', ...body });
  assert.ok(request);
  assert.equal(formatOf('xunfei-socket').encodeRequest(request, { ...scope, traits: { topK: true } }), {
    header: { uid: '' },
    parameter: { chat: { domain: 'Spark-Max', auditing: 'default', temperature: 1, top_k: 6 } },
    payload: {
      message: {
        text: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Weather?' },
          { role: 'assistant', content: 'look({"city":"Paris"})' },
          { role: 'user', content: 'sunny' },
        ],
      },
      functions: { text: [{ name: 'look', description: 'd', parameters: { type: 'object' } }] },
    },
  });
  assert.equal(scope.lost, ['presence_penalty', 'tool_choice']);
});

test('Cohere’s first version gets the last question apart from what was said before it', () => {
  const messages = [
    ...loop.slice(0, 2),
    { role: 'assistant', content: 'Where?' },
    { role: 'user', content: [{ type: 'text', text: 'In Paris.' }] },
  ];
  const wishes = { max_completion_tokens: 9, top_p: 0.5, stop: ['x'], seed: 7, tools, n: 1 };
  assert.equal(encoded('cohere-v1-chat', { model: 'command-r-internet', messages, ...wishes }), {
    model: 'command-r',
    connectors: [{ id: 'web-search' }],
    preamble: 'Be brief.',
    chat_history: [
      { role: 'USER', message: 'Weather?' },
      { role: 'CHATBOT', message: 'Where?' },
    ],
    message: 'In Paris.',
    max_tokens: 9,
    p: 0.5,
    stop_sequences: ['x'],
    seed: 7,
  });
});

test('a Coze bot gets instructions with the first question', () => {
  assert.equal(encoded('coze-chat', { model: 'bot-73', messages: loop.slice(0, 2), user: 'u', temperature: 1 }), {
    bot_id: '73',
    user_id: 'u',
    stream: true,
    auto_save_history: false,
    additional_messages: [{ role: 'user', type: 'question', content: 'Be brief.\n\nWeather?', content_type: 'text' }],
  });
});

test('Dify gets the conversation as one text, or its only question bare', () => {
  const rest = {
    response_mode: 'streaming',
    conversation_id: '',
    user: 'tollgate',
    files: [],
    auto_generate_name: false,
  };
  assert.equal(encoded('dify-chat', { messages: loop.slice(1, 2) }), { inputs: {}, query: 'Weather?', ...rest });
  const query = 'SYSTEM: \nBe brief.\nUSER: \nWeather?\n';
  assert.equal(encoded('dify-chat', { messages: loop.slice(0, 2) }), { inputs: {}, query, ...rest });
});

test('a workflow without a message of its own ends with its outputs', () => {
  const finished = { status: 'succeeded', outputs: { text: 'pong' }, total_tokens: 9 };
  const events = [{ data: JSON.stringify({ event: 'workflow_finished', workflow_run_id: 'w', data: finished }) }];
  const text = JSON.stringify(decoded('dify-chat', events));
  assert.match(text, '"text":"pong"');
  assert.match(text, '"type":"finish"');
});

test("an application's thoughts are told apart from its answer", () => {
  const events = ['<thi', 'nk>why', '</think>\n', 'pong'].map((answer) => ({
    data: JSON.stringify({ event: 'message', message_id: 'm', answer }),
  }));
  const told = decoded('dify-chat', [...events, { data: '{"event":"message_end","message_id":"m"}' }]);
  const said = Array.isArray(told) ? told.filter(isObject) : [];
  const textOf = (type: string) => said.filter((event) => event.type === type).map(({ text }) => text);
  assert.equal([textOf('reasoning-delta').join(''), textOf('text-delta').join('')], ['why', 'pong']);
});

test('failures inside streams keep the code of their vendor', () => {
  const code = (id: FormatId, event: WireEvent) => {
    const [first] = formatOf(id).decodeStream(testScope()).push(event);
    return first?.type === 'error' ? first.error.code : undefined;
  };
  const failed = { last_error: { code: 5000, msg: 'm' } };
  assert.is(code('coze-chat', { event: 'conversation.chat.failed', data: JSON.stringify(failed) }), '5000');
  assert.is(code('baidu-wenxin', { data: '{"error_code":336100,"error_msg":"busy"}' }), '336100');
  assert.is(code('tencent-hunyuan', { data: '{"ErrorMsg":{"Code":4001,"Msg":"m"}}' }), '4001');
  assert.is(code('xunfei-spark', { data: '{"code":11203,"message":"m","sid":"s"}' }), '11203');
  assert.is(
    code('dify-chat', { data: '{"event":"error","status":400,"code":"invalid_param","message":"m"}' }),
    'invalid_param',
  );
});

test("Spark's newest family has its warmth fixed", () => {
  const warm = { temperature: 0.2, top_p: 0.95, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
  const { messages } = warm;
  const fixed = { model: 'spark-x2.5-4b', messages, max_completion_tokens: 9 };
  assert.equal(encoded('xunfei-spark', { model: 'spark-x2.5-4b', ...warm }), fixed);
  assert.equal(encoded('xunfei-spark', { model: 'spark-x', ...warm }), { model: 'spark-x', ...warm });
});

test.run();
