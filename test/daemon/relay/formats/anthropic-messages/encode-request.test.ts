import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatItem, ChatRequest, ReasoningControl } from '../../../../../daemon/relay/canonical/chat.ts';
import type { Scope } from '../../../../../daemon/relay/format.ts';
import { anthropicMessages } from '../../../../../daemon/relay/formats/anthropic-messages/index.ts';
import type { Json, JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';
import { isRefusal } from '../../../../support/refusal-code.ts';

const test = suite('Messages request encoder');

const hello: ChatItem = { type: 'user', parts: [{ type: 'text', text: 'Hello' }] };
const tool = { kind: 'function', name: 'f' } as const;

function encode(part: Partial<ChatRequest>, traits: NonNullable<Scope['traits']> = {}): { body: Json; lost: string[] } {
  const scope = testScope(traits);
  const request = { ...anyRequest, stream: false, model: 'claude-sonnet-4-5', items: [hello], ...part };
  return { body: anthropicMessages.encodeRequest(request, scope), lost: scope.lost };
}

function turns(...items: ChatItem[]): Json {
  return at(encode({ items }).body, 'messages') ?? null;
}

test('merges neighbouring turns by appending blocks', () => {
  assert.equal(turns(hello, { type: 'user', parts: [{ type: 'text', text: 'again' }] }), [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'text', text: 'again' },
      ],
    },
  ]);
});

test('puts the results of parallel calls into one user turn, before its words', () => {
  const call = { type: 'tool-call', kind: 'function', name: 'f', input: '' } as const;
  const result = { type: 'tool-result', kind: 'function' } as const;
  const told = turns(
    hello,
    { ...call, callId: 'a' },
    { ...call, callId: 'b', input: '{"x":' },
    { ...result, callId: 'a', parts: [{ type: 'text', text: 'one' }] },
    { ...result, callId: 'b', parts: [], isError: true },
    { type: 'user', parts: [{ type: 'text', text: 'go on' }] },
  );
  assert.equal(list(told).slice(1), [
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
        { type: 'tool_use', id: 'b', name: 'f', input: { _raw: '{"x":' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'one' },
        { type: 'tool_result', tool_use_id: 'b', content: '', is_error: true },
        { type: 'text', text: 'go on' },
      ],
    },
  ]);
});

test('keeps images inside a result', () => {
  const png = 'iVBORw0KGgo=';
  const told = turns(
    hello,
    { type: 'tool-call', kind: 'function', callId: 'a', name: 'f', input: '{}' },
    {
      type: 'tool-result',
      kind: 'function',
      callId: 'a',
      parts: [{ type: 'image', source: { kind: 'inline', mediaType: 'image/jpeg', data: png } }],
    },
  );
  // The declared type was wrong; the bytes tell.
  assert.equal(at(told, 2, 'content', 0, 'content'), [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
  ]);
});

test('opens a conversation that does not begin with the user', () => {
  assert.equal(at(turns({ type: 'assistant', parts: [{ type: 'text', text: 'Hi ' }] }), 0), {
    role: 'user',
    content: [{ type: 'text', text: '...' }],
  });
  assert.is(list(turns({ type: 'system', role: 'system', parts: [{ type: 'text', text: 'x' }] })).length, 1);
});

test('notes what was said to Gemini, and stop strings that the vendor refuses', () => {
  const extensions = { 'gemini-generate': { safety_settings: [] } };
  const { body, lost } = encode({ dialect: 'openai-chat', extensions, stop: ['\n', 'END'] });
  assert.equal([at(body, 'stop_sequences'), lost], [['END'], ['extra_body.google', 'stop']]);
});

test('drops blank text and the white space after the last words of the assistant', () => {
  const told = turns(hello, {
    type: 'assistant',
    parts: [
      { type: 'text', text: '  ' },
      { type: 'text', text: 'Hi  ' },
    ],
  });
  assert.equal(at(told, 1, 'content'), [{ type: 'text', text: 'Hi' }]);
});

test('writes system texts as blocks in order, with their cache marks', () => {
  const items: ChatItem[] = [
    { type: 'system', role: 'system', parts: [{ type: 'text', text: 'a', cache: { ttl: '1h' } }] },
    hello,
    { type: 'system', role: 'developer', parts: [{ type: 'text', text: 'b' }] },
  ];
  assert.equal(at(encode({ items }).body, 'system'), [
    { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
    { type: 'text', text: 'b' },
  ]);
});

test('names a limit where the client named none', () => {
  assert.is(at(encode({}).body, 'max_tokens'), 8192);
  assert.is(at(encode({}, { defaultMaxTokens: 4096 }).body, 'max_tokens'), 4096);
});

test('holds the sampling knobs to what the model takes', () => {
  assert.is(at(encode({ sampling: { temperature: 1.7 } }).body, 'temperature'), 1);
  const both = encode({ sampling: { temperature: 0.5, topP: 0.5 } });
  assert.equal(both.lost, ['top_p']);
  const old = encode({ model: 'claude-3-7-sonnet-20250219', sampling: { temperature: 0.5, topP: 0.5 } });
  assert.is(at(old.body, 'top_p'), 0.5);
  const newest = encode({ model: 'claude-opus-5', sampling: { temperature: 0.5, topK: 3 } });
  assert.equal(newest.lost.sort(), ['temperature', 'top_k']);
  const whole = encode({ model: 'claude-fable-5', sampling: { temperature: 1, topP: 1 } });
  assert.equal([at(whole.body, 'top_p'), whole.lost], [undefined, []]);
  assert.is(at(encode({ model: 'claude-fable-5', sampling: { topP: 0.995 } }).body, 'top_p'), 0.995);
});

test('gives an effort a budget below the limit, and takes away what thinking forbids', () => {
  const { body, lost } = encode({
    reasoning: { effort: 'high' },
    maxTokens: 2000,
    sampling: { temperature: 0.2 },
    tools: [tool],
    toolChoice: { mode: 'required' },
  });
  assert.equal(at(body, 'thinking'), { type: 'enabled', budget_tokens: 1600 });
  assert.is(at(body, 'max_tokens'), 2000);
  assert.equal(at(body, 'tool_choice'), { type: 'auto' });
  assert.equal(lost.sort(), ['temperature', 'tool_choice']);
});

test('raises a limit that leaves no room for the least budget', () => {
  const { body } = encode({ reasoning: { effort: 'low' }, maxTokens: 100 });
  assert.is(at(body, 'max_tokens'), 1280);
  assert.equal(at(body, 'thinking'), { type: 'enabled', budget_tokens: 1024 });
});

test('asks for no thoughts where the turn that goes on begins without one, which the vendor refuses', () => {
  const call: ChatItem = { type: 'tool-call', kind: 'function', callId: 'c1', name: 'f', input: '{}' };
  const result: ChatItem = { type: 'tool-result', kind: 'function', callId: 'c1', parts: [] };
  const thought = (origin: 'anthropic-messages' | 'gemini-generate'): ChatItem => {
    return { type: 'reasoning', texts: ['Hm'], form: 'full', seal: { origin, data: 'S' } };
  };
  const answer: ChatItem = { type: 'assistant', parts: [{ type: 'text', text: 'Done' }] };
  const thinks = (...items: ChatItem[]) => {
    const { body, lost } = encode({ items, reasoning: { effort: 'high' }, sampling: { temperature: 0.5 } });
    assert.is(at(body, 'thinking') === undefined, at(body, 'temperature') === 0.5);
    assert.is(at(body, 'thinking') === undefined, lost.includes('reasoning_effort'));
    return at(body, 'thinking') !== undefined;
  };
  assert.not.ok(thinks(hello, call, result));
  assert.not.ok(thinks(hello, thought('gemini-generate'), call, result));
  assert.not.ok(thinks(hello, thought('anthropic-messages'), answer, hello, call, result));
  assert.ok(thinks(hello, thought('anthropic-messages'), call, result));
  assert.ok(thinks(hello, thought('anthropic-messages'), call, result, { ...call }, { ...result }));
  assert.ok(thinks(hello, call, result, answer, hello));
  const adaptive = encode({ model: 'claude-opus-4-6', items: [hello, call, result], reasoning: { effort: 'high' } });
  assert.equal(at(adaptive.body, 'thinking'), { type: 'adaptive' });
});

test('lets models from 4.6 on think adaptively', () => {
  const { body } = encode({ model: 'claude-opus-4-6', reasoning: { effort: 'minimal' } });
  assert.equal(at(body, 'thinking'), { type: 'adaptive' });
  assert.equal(at(body, 'output_config'), { effort: 'low' });
  assert.equal(at(encode({ model: 'claude-opus-4-6', reasoning: { effort: 'none' } }).body, 'thinking'), {
    type: 'disabled',
  });
  assert.is(at(encode({ model: 'claude-opus-5-5', reasoning: { effort: 'none' } }).body, 'thinking'), undefined);
});

test('asks newer models for the thoughts that they hide, unless the client wants none', () => {
  const thinks = (model: string, reasoning: ReasoningControl) => {
    const { body, lost } = encode({ dialect: 'openai-chat', model, reasoning });
    return [at(body, 'thinking'), at(body, 'output_config'), lost];
  };
  const shown = { type: 'adaptive', display: 'summarized' };
  const high = { effort: 'high' };
  assert.equal(thinks('claude-opus-4-7', { effort: 'high', summary: 'auto' }), [shown, high, []]);
  assert.equal(thinks('claude-opus-4-7', { mode: 'adaptive' }), [shown, undefined, []]);
  assert.equal(thinks('claude-opus-4-6', { effort: 'high' }), [{ type: 'adaptive' }, high, []]);
  const hidden = { type: 'adaptive', display: 'omitted' };
  assert.equal(thinks('claude-opus-4-6', { effort: 'high', show: false }), [hidden, high, []]);
  const budget = { type: 'enabled', budget_tokens: 2000, display: 'omitted' };
  assert.equal(thinks('claude-sonnet-4-5', { budgetTokens: 2000, show: false }), [budget, undefined, []]);
  assert.equal(thinks('claude-opus-4-6', { effort: 'none', show: false }), [{ type: 'disabled' }, undefined, []]);
});

test('forces no tool on models that think whatever they are told, and quiets those that think unasked', () => {
  const forced = { tools: [tool], toolChoice: { mode: 'required', names: ['f'] } } as const;
  for (const model of ['claude-opus-5-5', 'claude-sonnet-5-5-20260901', 'claude-fable-5-1']) {
    const { body, lost } = encode({ model, ...forced });
    assert.equal(at(body, 'tool_choice'), { type: 'auto' }, model);
    assert.is(at(body, 'thinking'), undefined, model);
    assert.equal(lost, ['tool_choice'], model);
  }
  const quiet = encode({ model: 'claude-opus-5', ...forced });
  assert.equal(at(quiet.body, 'tool_choice'), { type: 'tool', name: 'f' });
  assert.equal(at(quiet.body, 'thinking'), { type: 'disabled' });
  assert.equal(quiet.lost, []);
  const asked = encode({ model: 'claude-opus-5', ...forced, reasoning: { effort: 'high' } });
  assert.equal(at(asked.body, 'tool_choice'), { type: 'auto' });
  assert.is(at(encode({ model: 'claude-opus-5', tools: [tool] }).body, 'thinking'), undefined);
});

test('passes on the thinking that an Anthropic client wrote', () => {
  const value = { type: 'enabled', budget_tokens: 2000, display: 'omitted' };
  const raw = { dialect: 'anthropic-messages', value } as const;
  const { body } = encode({
    dialect: 'anthropic-messages',
    reasoning: { mode: 'enabled', budgetTokens: 2000, raw },
    maxTokens: 4000,
  });
  assert.equal(at(body, 'thinking'), value);
});

test('demands JSON of models that keep to a schema, and asks the others in words', () => {
  const output = { kind: 'json-schema', schema: { type: 'object', additionalProperties: false } } as const;
  assert.equal(at(encode({ output }).body, 'output_config', 'format'), { type: 'json_schema', schema: output.schema });
  const old = encode({ output, model: 'claude-3-7-sonnet-20250219' }).body;
  assert.match(String(at(old, 'system', 0, 'text')), /JSON schema:\n\{"type":"object"/);
});

test('closes the objects of another vendor’s schema, and tells in words what the grammar refuses', () => {
  const held = (schema: JsonObject, part: Partial<ChatRequest> = {}) =>
    at(encode({ output: { kind: 'json-schema', schema }, ...part }).body, 'output_config', 'format', 'schema');
  const inner = { type: ['object', 'null'], properties: { on: { type: 'string', format: 'date' } } };
  const open = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      age: { type: 'integer', minimum: 0, maximum: 150, description: 'in years' },
      tags: { type: 'array', items: { oneOf: [{ $ref: '#/definitions/tag' }, inner] }, minItems: 2 },
      sort: { enum: ['a', null] },
    },
    additionalProperties: true,
    definitions: { tag: { properties: { code: { type: 'string', pattern: '^x', format: 'phone' } } } },
  };
  assert.equal(held(open), {
    type: 'object',
    properties: {
      age: { type: 'integer', description: 'in years\n\n{"minimum":0,"maximum":150}' },
      tags: {
        type: 'array',
        items: { anyOf: [{ $ref: '#/definitions/tag' }, { ...inner, additionalProperties: false }] },
        description: '{"minItems":2}',
      },
      sort: { enum: ['a', null] },
    },
    definitions: {
      tag: {
        properties: { code: { type: 'string', description: '{"pattern":"^x","format":"phone"}' } },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  });
  assert.equal(held(open, { dialect: 'anthropic-messages' }), open);
  // Closed, a map and an object of any members would stay empty.
  for (const map of [{ type: 'object' }, { type: 'object', additionalProperties: { type: 'number' } }]) {
    const schema = { type: 'object', properties: { map } };
    assert.is(held(schema), undefined);
    const { body } = encode({ output: { kind: 'json-schema', schema } });
    assert.match(String(at(body, 'system', 0, 'text')), JSON.stringify(schema));
  }
});

test('writes every tool choice', () => {
  const choose = (part: Partial<ChatRequest>) => at(encode({ tools: [tool], ...part }).body, 'tool_choice');
  assert.equal(choose({ toolChoice: { mode: 'required' } }), { type: 'any' });
  assert.equal(choose({ toolChoice: { mode: 'required', names: ['f'] } }), { type: 'tool', name: 'f' });
  assert.equal(choose({ toolChoice: { mode: 'none' }, parallelToolCalls: false }), { type: 'none' });
  assert.equal(choose({ parallelToolCalls: false }), { type: 'auto', disable_parallel_tool_use: true });
});

test('offers only the allowed tools where none is forced', () => {
  const tools = [tool, { kind: 'function', name: 'g' }] as const;
  const { body } = encode({ tools, toolChoice: { mode: 'auto', names: ['g'] } });
  assert.equal(
    list(at(body, 'tools')).map((entry) => at(entry, 'name')),
    ['g'],
  );
  assert.equal(at(body, 'tool_choice'), { type: 'auto' });
});

test('gives tools an object schema and a legal name', () => {
  const tools = [{ kind: 'function', name: 'a.b', parameters: { properties: {} }, strict: true }] as const;
  assert.equal(at(encode({ tools }).body, 'tools', 0), {
    name: 'a_b',
    input_schema: { properties: {}, type: 'object' },
    strict: true,
  });
});

test('offers search as the tool of this vendor', () => {
  const { body } = encode({ webSearch: { contextSize: 'low', location: { country: 'DE' } } });
  assert.equal(at(body, 'tools', 0), {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: 1,
    user_location: { type: 'approximate', country: 'DE' },
  });
});

test('notes names and sound of earlier turns, and not that the model once declined', () => {
  const refusal = { type: 'refusal', text: 'No.' } as const;
  assert.equal(encode({ items: [hello, { type: 'assistant', parts: [refusal] }, hello] }).lost, []);
  const audio = {
    type: 'audio',
    source: { kind: 'inline', mediaType: 'audio/wav', data: '' },
    transcript: 'Hi',
  } as const;
  const spoken = encode({ items: [{ ...hello, name: 'bob' }, { type: 'assistant', parts: [audio] }, hello] });
  assert.equal(spoken.lost, ['messages.name', 'assistant.audio']);
});

test('refuses several answers, sound and foreign files', () => {
  assert.throws(() => encode({ n: 2 }), isRefusal('convert_request_failed', 'n'));
  assert.throws(() => encode({ modalities: ['text', 'audio'] }), isRefusal('convert_request_failed', 'modalities'));
  const audio = { kind: 'inline', mediaType: 'audio/wav', data: '' } as const;
  const file = { kind: 'file-id', id: 'f', owner: 'openai-responses' } as const;
  for (const [part, field] of [
    [{ type: 'audio', source: audio }, 'audio'],
    [{ type: 'image', source: file }, 'image'],
    [{ type: 'document', source: file }, 'file'],
  ] as const) {
    const items = [{ type: 'user', parts: [part] }] as const;
    assert.throws(() => encode({ items }), isRefusal('convert_request_failed', field), field);
  }
});

test('tells the end user only where that is allowed', () => {
  assert.equal(encode({ user: 'u' }).lost, ['user']);
  assert.equal(at(encode({ user: 'u' }, { identity: true }).body, 'metadata'), { user_id: 'u' });
});

test('lets the user show what pictures the model made, for none but users may', () => {
  const drawn: ChatItem = {
    type: 'assistant',
    parts: [{ type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: 'iVBORw0KGgo=' } }],
  };
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  const text = { type: 'text', text: 'Hello' };
  assert.equal(turns(hello, drawn, hello), [{ role: 'user', content: [text, { type: 'image', source }, text] }]);
});

test.run();
