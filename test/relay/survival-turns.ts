/** The part of `survival-features.ts` that is about turns: calls, their results, and marks along the conversation. */
import type { Json, JsonObject } from '../../daemon/relay/json.ts';
import { png } from '../conformance/conversion-samples.ts';
import { at, list } from '../support/checkers/answer.ts';
import type { Feature } from './survival-features.ts';

const schema = { type: 'object', properties: { at: { type: 'integer' } } };
const chatCall = (id: string, n: number) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: `{"at":${n}}` },
});

/** Two calls in one turn beside words, and a result for each: text, then what `second` is. */
function chatTurns(second: Json): JsonObject {
  return {
    tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'Looking', tool_calls: [chatCall('call_a', 1), chatCall('call_b', 2)] },
      { role: 'tool', tool_call_id: 'call_a', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_b', content: second },
    ],
  };
}

function responsesTurns(second: Json): JsonObject {
  const call = (call_id: string, n: number) => ({
    type: 'function_call',
    call_id,
    name: 'look',
    arguments: `{"at":${n}}`,
  });
  return {
    tools: [{ type: 'function', name: 'look', parameters: schema }],
    input: [
      { role: 'user', content: 'go' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking' }] },
      call('call_a', 1),
      call('call_b', 2),
      { type: 'function_call_output', call_id: 'call_a', output: 'sunny' },
      { type: 'function_call_output', call_id: 'call_b', output: second },
    ],
  };
}

function anthropicTurns(second: Json, more: JsonObject = {}): JsonObject {
  const call = (id: string, n: number) => ({ type: 'tool_use', id, name: 'look', input: { at: n } });
  return {
    tools: [{ name: 'look', input_schema: schema }],
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'text', text: 'Looking' }, call('call_a', 1), call('call_b', 2)] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_a', content: 'sunny' },
          { type: 'tool_result', tool_use_id: 'call_b', content: second, ...more },
        ],
      },
    ],
  };
}

function geminiTurns(second: JsonObject): JsonObject {
  const call = (id: string, n: number) => ({ functionCall: { id, name: 'look', args: { at: n } } });
  const result = (id: string, rest: JsonObject) => ({ functionResponse: { id, name: 'look', ...rest } });
  return {
    tools: [{ functionDeclarations: [{ name: 'look', parameters: schema }] }],
    contents: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [{ text: 'Looking' }, call('call_a', 1), call('call_b', 2)] },
      { role: 'user', parts: [result('call_a', { response: { result: 'sunny' } }), result('call_b', second)] },
    ],
  };
}

/** `name(input)` of each call and the words of each result, in the order of the wire. */
const loop: Feature['read'] = {
  'openai-chat': (body) =>
    list(at(body, 'messages')).flatMap((message) => [
      ...list(at(message, 'tool_calls')).map((call) => `${at(call, 'id')} ${at(call, 'function', 'arguments')}`),
      ...(at(message, 'role') === 'tool' ? [`${at(message, 'tool_call_id')}: ${at(message, 'content')}`] : []),
    ]),
  'openai-responses': (body) =>
    list(at(body, 'input')).flatMap((item) => {
      if (at(item, 'type') === 'function_call') return [`${at(item, 'call_id')} ${at(item, 'arguments')}`];
      if (at(item, 'type') !== 'function_call_output') return [];
      const output = at(item, 'output');
      return [`${at(item, 'call_id')}: ${typeof output === 'string' ? output : at(output, 0, 'text')}`];
    }),
  'anthropic-messages': (body) =>
    list(at(body, 'messages'))
      .flatMap((message) => list(at(message, 'content')))
      .flatMap((block) => {
        if (at(block, 'type') === 'tool_use') return [`${at(block, 'id')} ${JSON.stringify(at(block, 'input'))}`];
        if (at(block, 'type') !== 'tool_result') return [];
        const content = at(block, 'content');
        return [`${at(block, 'tool_use_id')}: ${typeof content === 'string' ? content : at(content, 0, 'text')}`];
      }),
  'gemini-generate': (body) =>
    list(at(body, 'contents'))
      .flatMap((content) => list(at(content, 'parts')))
      .flatMap((part) => {
        const call = at(part, 'functionCall');
        // Older models of this wire know no ids: order and name pair a call with its result.
        if (call !== undefined) return [`${at(call, 'name')} ${JSON.stringify(at(call, 'args'))}`];
        const result = at(part, 'functionResponse');
        return result === undefined ? [] : [`${at(result, 'name')}: ${at(result, 'response', 'result')}`];
      }),
};

const wholeLoop = ['call_a {"at":1}', 'call_b {"at":2}', 'call_a: sunny', 'call_b: rainy'];
const namedLoop = ['look {"at":1}', 'look {"at":2}', 'look: sunny', 'look: rainy'];

/** Words of the assistant beside its calls. */
const beside: Feature['read'] = {
  'openai-chat': (body) => at(body, 'messages', 1, 'content'),
  'openai-responses': (body) => at(body, 'input', 1, 'content', 0, 'text'),
  'anthropic-messages': (body) => at(body, 'messages', 1, 'content', 0, 'text'),
  'gemini-generate': (body) => at(body, 'contents', 1, 'parts', 0, 'text'),
};

const turns = {
  'openai-chat': chatTurns('rainy'),
  'openai-responses': responsesTurns('rainy'),
  'anthropic-messages': anthropicTurns('rainy'),
  'gemini-generate': geminiTurns({ response: { result: 'rainy' } }),
};

const everywhere = (value: Json): Feature['arrives'] => ({
  'openai-chat': { reads: value },
  'openai-responses': { reads: value },
  'anthropic-messages': { reads: value },
  'gemini-generate': { reads: value },
});

/** How often the picture stands on the wire, whatever the wire calls its place. */
const pictures = (body: Json): number => JSON.stringify(body).split(png).length - 1;

const cache = { type: 'ephemeral', ttl: '1h' };
const marks = (body: Json): number => JSON.stringify(body).split('"ephemeral"').length - 1;
const marked = { type: 'text', text: 'hi', cache_control: cache };

export const turnFeatures: readonly Feature[] = [
  {
    name: 'parallel calls and their results',
    asked: turns,
    read: loop,
    arrives: { ...everywhere(wholeLoop), 'gemini-generate': { reads: namedLoop } },
  },
  { name: 'words beside calls', asked: turns, read: beside, arrives: everywhere('Looking') },
  {
    name: 'a picture in a result',
    asked: {
      'openai-responses': responsesTurns([{ type: 'input_image', image_url: `data:image/png;base64,${png}` }]),
      'anthropic-messages': anthropicTurns([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      ]),
      'gemini-generate': geminiTurns({
        response: { result: '' },
        parts: [{ inlineData: { mimeType: 'image/png', data: png } }],
      }),
    },
    read: {
      'openai-chat': pictures,
      'openai-responses': pictures,
      'anthropic-messages': pictures,
      'gemini-generate': pictures,
    },
    arrives: everywhere(1),
  },
  {
    name: 'a result that is an error',
    asked: { 'anthropic-messages': anthropicTurns('rainy', { is_error: true }) },
    read: {
      'openai-chat': (body) => at(body, 'messages', 3, 'content'),
      'openai-responses': (body) => at(body, 'input', 5, 'output'),
      'anthropic-messages': (body) => at(body, 'messages', 2, 'content', 1, 'is_error'),
      'gemini-generate': (body) => at(body, 'contents', 2, 'parts', 1, 'functionResponse', 'response'),
    },
    arrives: {
      'openai-chat': { reads: 'Error: rainy' },
      'openai-responses': { reads: 'Error: rainy' },
      'anthropic-messages': { reads: true },
      'gemini-generate': { reads: { error: 'rainy' } },
    },
  },
  {
    name: 'cache marks on system, message and tool',
    asked: {
      'openai-chat': {
        messages: [
          { role: 'system', content: [marked] },
          { role: 'user', content: [marked] },
        ],
        tools: [{ type: 'function', function: { name: 'look', parameters: schema }, cache_control: cache }],
      },
      'anthropic-messages': {
        system: [marked],
        messages: [{ role: 'user', content: [marked] }],
        tools: [{ name: 'look', input_schema: schema, cache_control: cache }],
      },
    },
    read: {
      'openai-chat': marks,
      'openai-responses': marks,
      'anthropic-messages': marks,
      'gemini-generate': marks,
    },
    arrives: {
      'openai-chat': { loses: 'cache_control' },
      'openai-responses': { loses: 'cache_control' },
      'anthropic-messages': { reads: 3 },
      'gemini-generate': { loses: 'cache_control' },
    },
    except: { 'openai-chat > openai-chat': { reads: 3 } },
  },
];
