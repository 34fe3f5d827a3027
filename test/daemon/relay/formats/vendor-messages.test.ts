/** What vendors with chat formats of their own cannot be told: refused, or noted; never left out without a word. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { chatFormatOf, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import { isObject, type Json, type JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('messages to vendors');

interface Told {
  readonly body: JsonObject;
  readonly lost: readonly string[];
}

/** A chat request as the vendor gets it, and what is noted as lost. */
function told(id: FormatId, body: JsonObject): Told {
  const request = chatFormatOf('openai-chat')?.decodeRequest({ model: 'm', messages: [], ...body });
  const format = upstreamFormatOf(id);
  assert.ok(request && format);
  const scope = testScope();
  const wire = format.encodeRequest(request, scope);
  assert.ok(isObject(wire));
  return { body: wire, lost: scope.lost };
}

/** Why a request cannot be told; undefined for one that can. */
function refusalOf(id: FormatId, body: JsonObject): Json | undefined {
  try {
    told(id, body);
    return undefined;
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    return [error.code, error.field ?? '', String(error.params.reason)];
  }
}

const image: JsonObject = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const media: Readonly<Record<string, JsonObject>> = {
  image_url: image,
  input_audio: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  video_url: { type: 'video_url', video_url: { url: 'https://files.example/a.mp4' } },
  file: { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
};
const text: JsonObject = { type: 'text', text: 'look' };

/** The kinds of content that each vendor reads; models of DashScope and Replicate that see have names of their own. */
const readable: readonly (readonly [id: FormatId, kinds: readonly string[]])[] = [
  ['aiproxy-library', []],
  ['baidu-wenxin', []],
  ['cohere-chat', ['image_url']],
  ['cohere-v1-chat', []],
  ['coze-chat', ['image_url', 'input_audio', 'file']],
  ['dashscope-chat', []],
  ['dify-chat', ['image_url', 'input_audio', 'file']],
  ['ollama-chat', ['image_url']],
  ['replicate-predictions', []],
  ['tencent-hunyuan', ['image_url']],
  ['xunfei-socket', []],
  ['zhipu-v3', []],
];
for (const [id, kinds] of readable) {
  test(`${id} reads ${kinds.join(', ') || 'text alone'}, and the rest is refused wherever it stands`, () => {
    const first: JsonObject = { role: 'user', content: 'hi' };
    for (const [kind, part] of Object.entries(media)) {
      const shown: JsonObject = { role: 'user', content: [text, part] };
      for (const messages of [[shown], [shown, first], [first, shown]]) {
        const refusal = refusalOf(id, { messages });
        if (kinds.includes(kind)) assert.is(refusal, undefined, kind);
        else assert.equal(Array.isArray(refusal) && refusal.slice(0, 2), ['convert_request_failed', 'content'], kind);
      }
    }
    const instructed = [{ role: 'system', content: [text, image] }, first];
    assert.ok(refusalOf(id, { messages: instructed }), 'instructions');
    const byId = { role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] };
    assert.ok(refusalOf(id, { messages: [byId] }), 'a file by its id');
    const images = [{ role: 'user', content: [text] }];
    assert.equal(told(id, { messages: images }).lost, []);
  });
}

const call: JsonObject = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
const other: JsonObject = { id: 'c2', type: 'function', function: { name: 'hear', arguments: '{}' } };
const loop: JsonObject[] = [
  { role: 'user', content: 'Weather?', name: 'ann' },
  { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
];
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const many = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `turn ${at}` }));

const reduced: Readonly<Record<string, readonly [id: FormatId, body: JsonObject, lost: readonly string[]]>> = {
  'names, calls and thoughts where there are only two speakers': [
    'cohere-v1-chat',
    { messages: loop },
    ['messages.name', 'reasoning', 'messages.tool_calls', 'messages.tool_call_id'],
  ],
  'names where calls can be told': ['cohere-chat', { messages: loop }, ['messages.name']],
  'thoughts of a model that only plans': [
    'cohere-chat',
    { model: 'command-a-03-2025', messages: [{ role: 'assistant', content: 'Sunny.', reasoning_content: 'hm' }] },
    ['reasoning'],
  ],
  'names alone': ['ollama-chat', { messages: loop }, ['messages.name']],
  'results of tools where only two sides speak': [
    'coze-chat',
    { messages: loop },
    ['messages.name', 'reasoning', 'messages.tool_calls', 'messages.tool_call_id', 'messages.tool'],
  ],
  'all but the question to a library': ['aiproxy-library', { messages: many(3) }, ['messages[..2]']],
  'the first of too many turns': ['tencent-hunyuan', { messages: many(45) }, ['messages[..6]']],
  'no turn of as many as fit': ['tencent-hunyuan', { messages: many(40) }, []],
  'the turns before a question where an answer would be the first': [
    'tencent-hunyuan',
    { messages: many(41) },
    ['messages[..2]'],
  ],
  'the first of too many turns, with its bot': ['coze-chat', { messages: many(103) }, ['messages[..3]']],
  'an answer begun in advance': ['baidu-wenxin', { messages: many(2) }, ['messages[-1]']],
  'further calls of one turn': [
    'baidu-wenxin',
    { messages: [...many(1), { role: 'assistant', content: null, tool_calls: [call, other] }] },
    ['messages.tool_calls[1..]', 'messages[-1]'],
  ],
  'a tool that must be called': ['ollama-chat', { messages: many(1), tools, tool_choice: 'required' }, ['tool_choice']],
  'the same at DashScope': ['dashscope-chat', { messages: many(1), tools, tool_choice: 'required' }, ['tool_choice']],
  'the same at Tencent': ['tencent-hunyuan', { messages: many(1), tools, tool_choice: 'required' }, ['tool_choice']],
  'the same at Baidu': ['baidu-wenxin', { messages: many(1), tools, tool_choice: 'required' }, ['tool_choice']],
  'a seed out of reach': ['tencent-hunyuan', { messages: many(1), seed: 70_000 }, ['seed']],
  'a schema, and one of two penalties': [
    'baidu-wenxin',
    {
      messages: many(1),
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } },
      frequency_penalty: 1,
      presence_penalty: 1,
    },
    ['presence_penalty', 'response_format.json_schema'],
  ],
};
for (const [what, [id, body, lost]] of Object.entries(reduced)) {
  test(`it is noted that ${id} is not told: ${what}`, () => assert.equal(told(id, body).lost, lost));
}

test('Cohere gets its thoughts back, as plans where the model does not reason', () => {
  const planned = { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [call] };
  const thought = { role: 'assistant', content: 'Sunny.', reasoning_content: 'hm' };
  const spoken = (model: string, message: JsonObject) =>
    told('cohere-chat', { model, messages: [message] }).body.messages;
  const thinking = { type: 'thinking', thinking: 'hm' };
  const reasons = 'command-a-reasoning-08-2025';
  const calls = { role: 'assistant', tool_calls: [call] };
  assert.equal(spoken(reasons, planned), [{ ...calls, content: [thinking] }]);
  assert.equal(spoken(reasons, thought), [
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Sunny.' }] },
  ]);
  assert.equal(spoken('command-a-03-2025', planned), [{ ...calls, tool_plan: 'hm' }]);
  assert.equal(spoken('command-a-03-2025', thought), [{ role: 'assistant', content: 'Sunny.' }]);
});

test('refusals of earlier turns are told as text', () => {
  const messages = [
    ...many(1),
    { role: 'assistant', content: null, refusal: 'No.' },
    { role: 'user', content: 'Why?' },
  ];
  const { body, lost } = told('cohere-chat', { messages });
  assert.equal(body.messages, [messages[0], { role: 'assistant', content: 'No.' }, messages[2]]);
  assert.equal(lost, []);
});

test('instructions stay with the first turn that a Coze bot is still told', () => {
  const { body } = told('coze-chat', { messages: [{ role: 'system', content: 'Be brief.' }, ...many(103)] });
  const turns = Array.isArray(body.additional_messages) ? body.additional_messages : [];
  assert.is(turns.length, 100);
  assert.equal(
    turns.slice(0, 2).map((turn) => isObject(turn) && turn.content),
    ['turn 3', 'Be brief.\n\nturn 4'],
  );
});

test('Dify is given the files of all turns, unless it keeps the conversation', () => {
  const messages: JsonObject[] = [
    { role: 'user', content: [text, { type: 'image_url', image_url: { url: 'https://files.example/1.png' } }] },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: [text, { type: 'image_url', image_url: { url: 'https://files.example/2.png' } }] },
  ];
  const files = [1, 2].map((at) => ({
    type: 'image',
    transfer_method: 'remote_url',
    url: `https://files.example/${at}.png`,
  }));
  assert.equal(told('dify-chat', { messages }).body.files, files);
  assert.equal(told('dify-chat', { messages, conversation_id: 'c' }).body.files, files.slice(1));
});

test('Baidu is told of a first word of the assistant, and offered no functions where none may be called', () => {
  const messages = [{ role: 'assistant', content: 'Hello.' }, ...many(1)];
  const { body, lost } = told('baidu-wenxin', { messages, tools, tool_choice: 'none' });
  assert.equal(body.messages, [{ role: 'user', content: '...' }, messages[0], messages[1]]);
  assert.is(body.functions, undefined);
  assert.equal(lost, []);
});

test('marks of what is to be cached reach no vendor that has no place for them, and are named', () => {
  const cache_control = { type: 'ephemeral' };
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' }, cache_control };
  const marked = {
    messages: [
      { role: 'system', content: [{ ...text, cache_control }] },
      { role: 'user', content: [text, { ...text, cache_control }] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'seen', cache_control },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } }, cache_control }],
  };
  for (const id of ['dashscope-chat', 'cohere-chat', 'ollama-chat', 'tencent-hunyuan'] as const) {
    const { body, lost } = told(id, marked);
    assert.not.match(JSON.stringify(body), /cache_control/, id);
    assert.equal(lost, ['cache_control', 'tools.cache_control'], id);
  }
  const plain = told('cohere-chat', { messages: [{ role: 'user', content: [text] }] });
  assert.equal([plain.body.messages, plain.lost], [[{ role: 'user', content: 'look' }], []]);
});

test.run();
