/**
 * What of a request must survive, feature by feature (issue 4, item 3): how each dialect asks for it, and where its
 * words stand on each upstream's wire. Written by hand from the vendors' references, so that no codec is its own judge.
 */
import type { Dialect } from '../../daemon/relay/canonical/chat.ts';
import type { Json, JsonObject } from '../../daemon/relay/json.ts';
import { png } from '../conformance/conversion-samples.ts';
import { at, list } from '../support/checkers/answer.ts';

/** What arrives: the value read from the wire, a refusal with 400, or the field that the log row names. */
export type Fate = { readonly reads: Json } | { readonly loses: string } | 'refused';

export interface Feature {
  readonly name: string;
  /** Members of each dialect's request; a dialect that has no word for it is left out. */
  readonly asked: Partial<Record<Dialect, JsonObject>>;
  readonly read: Readonly<Record<Dialect, (body: Json) => Json | undefined>>;
  readonly arrives: Readonly<Record<Dialect, Fate>>;
  /** Where one client's words come to something else, by `client > upstream`. */
  readonly except?: Readonly<Record<string, Fate>>;
}

const pdf = 'JVBERi0xLjc=';
const wav = 'UklGRiQAAABXQVZFZm10IA==';
const schema = { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] };

const chatTool = { type: 'function', function: { name: 'look', parameters: schema } };
const responsesTool = { type: 'function', name: 'look', parameters: schema };
const anthropicTool = { name: 'look', input_schema: schema };
const geminiTool = { functionDeclarations: [{ name: 'look', parameters: schema }] };
const tools: Readonly<Record<Dialect, JsonObject>> = {
  'openai-chat': { tools: [chatTool] },
  'openai-responses': { tools: [responsesTool] },
  'anthropic-messages': { tools: [anthropicTool] },
  'gemini-generate': { tools: [geminiTool] },
};

const chatUser = (...content: Json[]) => ({ messages: [{ role: 'user', content }] });
const responsesUser = (...content: Json[]) => ({ input: [{ type: 'message', role: 'user', content }] });
const geminiUser = (...parts: Json[]) => ({ contents: [{ role: 'user', parts }] });

const firstPart = {
  'openai-chat': (body: Json) => at(body, 'messages', 0, 'content', 0),
  'openai-responses': (body: Json) => at(body, 'input', 0, 'content', 0),
  'anthropic-messages': (body: Json) => at(body, 'messages', 0, 'content', 0),
  'gemini-generate': (body: Json) => at(body, 'contents', 0, 'parts', 0),
} as const;

const member =
  (...path: (string | number)[]) =>
  (body: Json) =>
    at(body, ...path);

/** The same member name in every dialect but one place in Gemini's. */
function everywhere(name: string, gemini: string): Feature['read'] {
  return {
    'openai-chat': member(name),
    'openai-responses': member(name),
    'anthropic-messages': member(name),
    'gemini-generate': member('generationConfig', gemini),
  };
}

function systemText(body: Json): Json {
  return list(at(body, 'messages')).flatMap((message) =>
    at(message, 'role') === 'user' ? [] : (at(message, 'content') ?? []),
  );
}

export const features: readonly Feature[] = [
  {
    name: 'system and developer prompts, in order',
    asked: {
      'openai-chat': {
        messages: [
          { role: 'system', content: 'one' },
          { role: 'developer', content: 'two' },
          { role: 'user', content: 'hi' },
        ],
      },
      'openai-responses': {
        instructions: 'one',
        input: [
          { role: 'developer', content: 'two' },
          { role: 'user', content: 'hi' },
        ],
      },
      'anthropic-messages': {
        system: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
      'gemini-generate': { systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] } },
    },
    read: {
      'openai-chat': (body) => JSON.stringify(systemText(body)).match(/one|two/g) ?? [],
      'openai-responses': (body) => JSON.stringify(at(body, 'instructions')).match(/one|two/g) ?? [],
      'anthropic-messages': (body) => JSON.stringify(at(body, 'system')).match(/one|two/g) ?? [],
      'gemini-generate': (body) => JSON.stringify(at(body, 'systemInstruction')).match(/one|two/g) ?? [],
    },
    arrives: {
      'openai-chat': { reads: ['one', 'two'] },
      'openai-responses': { reads: ['one', 'two'] },
      'anthropic-messages': { reads: ['one', 'two'] },
      'gemini-generate': { reads: ['one', 'two'] },
    },
    // The native lane leaves the developer's words where the client put them.
    except: { 'openai-responses > openai-responses': { reads: ['one'] } },
  },
  {
    name: 'one forced tool',
    asked: {
      'openai-chat': { ...tools['openai-chat'], tool_choice: { type: 'function', function: { name: 'look' } } },
      'openai-responses': { ...tools['openai-responses'], tool_choice: { type: 'function', name: 'look' } },
      'anthropic-messages': { ...tools['anthropic-messages'], tool_choice: { type: 'tool', name: 'look' } },
      'gemini-generate': {
        ...tools['gemini-generate'],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
      },
    },
    read: {
      'openai-chat': member('tool_choice'),
      'openai-responses': member('tool_choice'),
      'anthropic-messages': member('tool_choice'),
      'gemini-generate': member('toolConfig', 'functionCallingConfig'),
    },
    arrives: {
      'openai-chat': { reads: { type: 'function', function: { name: 'look' } } },
      'openai-responses': { reads: { type: 'function', name: 'look' } },
      'anthropic-messages': { reads: { type: 'tool', name: 'look' } },
      'gemini-generate': { reads: { mode: 'ANY', allowedFunctionNames: ['look'] } },
    },
  },
  {
    name: 'tools that may not be used now',
    asked: {
      'openai-chat': { ...tools['openai-chat'], tool_choice: 'none' },
      'openai-responses': { ...tools['openai-responses'], tool_choice: 'none' },
      'anthropic-messages': { ...tools['anthropic-messages'], tool_choice: { type: 'none' } },
      'gemini-generate': { ...tools['gemini-generate'], toolConfig: { functionCallingConfig: { mode: 'NONE' } } },
    },
    read: {
      'openai-chat': member('tool_choice'),
      'openai-responses': member('tool_choice'),
      'anthropic-messages': member('tool_choice', 'type'),
      'gemini-generate': member('toolConfig', 'functionCallingConfig', 'mode'),
    },
    arrives: {
      'openai-chat': { reads: 'none' },
      'openai-responses': { reads: 'none' },
      'anthropic-messages': { reads: 'none' },
      'gemini-generate': { reads: 'NONE' },
    },
  },
  {
    name: 'one call at a time',
    asked: {
      'openai-chat': { ...tools['openai-chat'], parallel_tool_calls: false },
      'openai-responses': { ...tools['openai-responses'], parallel_tool_calls: false },
      'anthropic-messages': {
        ...tools['anthropic-messages'],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
    },
    read: {
      'openai-chat': member('parallel_tool_calls'),
      'openai-responses': member('parallel_tool_calls'),
      'anthropic-messages': member('tool_choice', 'disable_parallel_tool_use'),
      'gemini-generate': () => undefined,
    },
    arrives: {
      'openai-chat': { reads: false },
      'openai-responses': { reads: false },
      'anthropic-messages': { reads: true },
      'gemini-generate': { loses: 'parallel_tool_calls' },
    },
  },
  {
    name: 'stop strings',
    asked: {
      'openai-chat': { stop: ['END', 'FIN'] },
      'anthropic-messages': { stop_sequences: ['END', 'FIN'] },
      'gemini-generate': { generationConfig: { stopSequences: ['END', 'FIN'] } },
    },
    read: {
      ...everywhere('stop', 'stopSequences'),
      'anthropic-messages': member('stop_sequences'),
    },
    arrives: {
      'openai-chat': { reads: ['END', 'FIN'] },
      'openai-responses': { loses: 'stop' },
      'anthropic-messages': { reads: ['END', 'FIN'] },
      'gemini-generate': { reads: ['END', 'FIN'] },
    },
  },
  {
    name: 'an answer by a JSON schema',
    asked: {
      'openai-chat': { response_format: { type: 'json_schema', json_schema: { name: 'output', schema } } },
      'openai-responses': { text: { format: { type: 'json_schema', name: 'output', schema } } },
      'anthropic-messages': { output_config: { format: { type: 'json_schema', schema } } },
      'gemini-generate': { generationConfig: { responseMimeType: 'application/json', responseSchema: schema } },
    },
    read: {
      'openai-chat': member('response_format', 'json_schema', 'schema'),
      'openai-responses': member('text', 'format', 'schema'),
      'anthropic-messages': member('output_config', 'format', 'schema'),
      'gemini-generate': member('generationConfig', 'responseSchema'),
    },
    arrives: {
      'openai-chat': { reads: schema },
      'openai-responses': { reads: schema },
      // Its grammar takes no open object.
      'anthropic-messages': { reads: { ...schema, additionalProperties: false } },
      'gemini-generate': { reads: schema },
    },
    except: { 'anthropic-messages > anthropic-messages': { reads: schema } },
  },
  {
    name: 'an image inline',
    asked: {
      'openai-chat': chatUser({ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }),
      'openai-responses': responsesUser({ type: 'input_image', image_url: `data:image/png;base64,${png}` }),
      'anthropic-messages': chatUser({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }),
      'gemini-generate': geminiUser({ inlineData: { mimeType: 'image/png', data: png } }),
    },
    read: {
      'openai-chat': (body) => at(firstPart['openai-chat'](body), 'image_url', 'url'),
      'openai-responses': (body) => at(firstPart['openai-responses'](body), 'image_url'),
      'anthropic-messages': (body) => at(firstPart['anthropic-messages'](body), 'source'),
      'gemini-generate': (body) => at(firstPart['gemini-generate'](body), 'inlineData'),
    },
    arrives: {
      'openai-chat': { reads: `data:image/png;base64,${png}` },
      'openai-responses': { reads: `data:image/png;base64,${png}` },
      'anthropic-messages': { reads: { type: 'base64', media_type: 'image/png', data: png } },
      'gemini-generate': { reads: { mimeType: 'image/png', data: png } },
    },
  },
  {
    name: 'a PDF',
    asked: {
      'openai-chat': chatUser({
        type: 'file',
        file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
      }),
      'openai-responses': responsesUser({
        type: 'input_file',
        filename: 'a.pdf',
        file_data: `data:application/pdf;base64,${pdf}`,
      }),
      'anthropic-messages': chatUser({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: pdf },
      }),
      'gemini-generate': geminiUser({ inlineData: { mimeType: 'application/pdf', data: pdf } }),
    },
    read: {
      'openai-chat': (body) => at(firstPart['openai-chat'](body), 'file', 'file_data'),
      'openai-responses': (body) => at(firstPart['openai-responses'](body), 'file_data'),
      'anthropic-messages': (body) => at(firstPart['anthropic-messages'](body), 'source', 'data'),
      'gemini-generate': (body) => at(firstPart['gemini-generate'](body), 'inlineData', 'data'),
    },
    arrives: {
      'openai-chat': { reads: `data:application/pdf;base64,${pdf}` },
      'openai-responses': { reads: `data:application/pdf;base64,${pdf}` },
      'anthropic-messages': { reads: pdf },
      'gemini-generate': { reads: pdf },
    },
  },
  {
    name: 'audio',
    asked: {
      'openai-chat': chatUser({ type: 'input_audio', input_audio: { data: wav, format: 'wav' } }),
      'openai-responses': responsesUser({ type: 'input_audio', input_audio: { data: wav, format: 'wav' } }),
      'gemini-generate': geminiUser({ inlineData: { mimeType: 'audio/wav', data: wav } }),
    },
    read: {
      'openai-chat': (body) => at(firstPart['openai-chat'](body), 'input_audio'),
      'openai-responses': (body) => at(firstPart['openai-responses'](body), 'input_audio'),
      'anthropic-messages': () => undefined,
      'gemini-generate': (body) => at(firstPart['gemini-generate'](body), 'inlineData'),
    },
    arrives: {
      'openai-chat': { reads: { data: wav, format: 'wav' } },
      'openai-responses': { reads: { data: wav, format: 'wav' } },
      'anthropic-messages': 'refused',
      'gemini-generate': { reads: { mimeType: 'audio/wav', data: wav } },
    },
  },
  {
    name: 'several answers',
    asked: { 'openai-chat': { n: 2 }, 'gemini-generate': { generationConfig: { candidateCount: 2 } } },
    read: everywhere('n', 'candidateCount'),
    arrives: {
      'openai-chat': { reads: 2 },
      'openai-responses': 'refused',
      'anthropic-messages': 'refused',
      'gemini-generate': { reads: 2 },
    },
  },
  {
    name: 'a seed',
    asked: { 'openai-chat': { seed: 7 }, 'gemini-generate': { generationConfig: { seed: 7 } } },
    read: everywhere('seed', 'seed'),
    arrives: {
      'openai-chat': { reads: 7 },
      'openai-responses': { loses: 'seed' },
      'anthropic-messages': { loses: 'seed' },
      'gemini-generate': { reads: 7 },
    },
  },
  {
    name: 'log probabilities',
    asked: {
      'openai-chat': { logprobs: true, top_logprobs: 3 },
      'openai-responses': { include: ['message.output_text.logprobs'], top_logprobs: 3 },
      'gemini-generate': { generationConfig: { responseLogprobs: true, logprobs: 3 } },
    },
    read: everywhere('top_logprobs', 'logprobs'),
    arrives: {
      'openai-chat': { reads: 3 },
      'openai-responses': { reads: 3 },
      'anthropic-messages': { loses: 'top_logprobs' },
      'gemini-generate': { reads: 3 },
    },
  },
  {
    name: 'metadata',
    asked: { 'openai-chat': { metadata: { a: 'b' } }, 'openai-responses': { metadata: { a: 'b' } } },
    read: everywhere('metadata', 'metadata'),
    arrives: {
      'openai-chat': { reads: { a: 'b' } },
      'openai-responses': { reads: { a: 'b' } },
      'anthropic-messages': { loses: 'metadata' },
      'gemini-generate': { loses: 'metadata' },
    },
  },
  {
    name: 'a service tier, where the channel allows it',
    asked: {
      'openai-chat': { service_tier: 'default' },
      'openai-responses': { service_tier: 'default' },
      'anthropic-messages': { service_tier: 'standard_only' },
    },
    read: everywhere('service_tier', 'serviceTier'),
    arrives: {
      'openai-chat': { reads: 'default' },
      'openai-responses': { reads: 'default' },
      'anthropic-messages': { reads: 'standard_only' },
      'gemini-generate': { loses: 'service_tier' },
    },
  },
];
