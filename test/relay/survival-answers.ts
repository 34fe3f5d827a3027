/** Answers of each upstream in its own words, and where each client's wire must say the same. Written by hand. */
import type { Dialect } from '../../daemon/relay/canonical/chat.ts';
import type { Json, JsonObject } from '../../daemon/relay/json.ts';
import { at, list } from '../support/checkers/answer.ts';

export interface AnswerFeature {
  readonly name: string;
  readonly read: Readonly<Record<Dialect, (body: Json) => Json | undefined>>;
  /** By client dialect; `{loses}` names the field in the header. */
  readonly arrives: Readonly<Record<Dialect, Json>>;
  /** By `upstream > client`. */
  readonly except?: Readonly<Record<string, Json>>;
}

function chat(message: JsonObject, rest: JsonObject = {}, choice: JsonObject = {}): JsonObject {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const only = { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice };
  return { id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices: [only], usage, ...rest };
}

function responses(output: Json[], rest: JsonObject = {}): JsonObject {
  const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
  return { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', output, usage, ...rest };
}

const spoken = (part: JsonObject) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [], ...part }],
});

function messages(content: Json[], rest: JsonObject = {}): JsonObject {
  const usage = { input_tokens: 100, output_tokens: 20 };
  const stop = { stop_reason: 'end_turn', stop_sequence: null };
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, ...stop, usage, ...rest };
}

function gemini(parts: Json[], rest: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
  const candidate = { content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...rest };
  return { candidates: [candidate], usageMetadata, modelVersion: 'm', responseId: 'r1', ...more };
}

export const plainAnswers: Readonly<Record<Dialect, JsonObject>> = {
  'openai-chat': chat({ content: 'Hi' }),
  'openai-responses': responses([spoken({})]),
  'anthropic-messages': messages([{ type: 'text', text: 'Hi' }]),
  'gemini-generate': gemini([{ text: 'Hi' }]),
};

const call = (id: string, n: number) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: `{"at":${n}}` },
});
const token = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] };
const page = { url: 'https://a.example/', title: 'A' };

/** The same answer by each upstream that can give it. */
export const answers: Readonly<Record<string, Partial<Record<Dialect, JsonObject>>>> = {
  'thought, words and two calls': {
    'openai-chat': chat(
      { content: 'Hi', reasoning_content: 'Hm', tool_calls: [call('call_a', 1), call('call_b', 2)] },
      {},
      { finish_reason: 'tool_calls' },
    ),
    'openai-responses': responses([
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
      spoken({}),
      { id: 'fc_1', type: 'function_call', call_id: 'call_a', name: 'look', arguments: '{"at":1}' },
      { id: 'fc_2', type: 'function_call', call_id: 'call_b', name: 'look', arguments: '{"at":2}' },
    ]),
    'anthropic-messages': messages(
      [
        { type: 'thinking', thinking: 'Hm', signature: 'S' },
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'call_a', name: 'look', input: { at: 1 } },
        { type: 'tool_use', id: 'call_b', name: 'look', input: { at: 2 } },
      ],
      { stop_reason: 'tool_use' },
    ),
    'gemini-generate': gemini([
      { text: 'Hm', thought: true },
      { text: 'Hi' },
      { functionCall: { id: 'call_a', name: 'look', args: { at: 1 } } },
      { functionCall: { id: 'call_b', name: 'look', args: { at: 2 } } },
    ]),
  },
  'usage with what was read from a cache': {
    'openai-chat': chat(
      { content: 'Hi' },
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 20,
          total_tokens: 120,
          prompt_tokens_details: { cached_tokens: 40 },
        },
      },
    ),
    'openai-responses': responses([spoken({})], {
      usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 20, total_tokens: 120 },
    }),
    'anthropic-messages': messages([{ type: 'text', text: 'Hi' }], {
      usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 20 },
    }),
    'gemini-generate': gemini(
      [{ text: 'Hi' }],
      {},
      {
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 40,
          candidatesTokenCount: 20,
          totalTokenCount: 120,
        },
      },
    ),
  },
  'usage with what was written to a cache, by lifetime': {
    'anthropic-messages': messages([{ type: 'text', text: 'Hi' }], {
      usage: {
        input_tokens: 50,
        cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
        output_tokens: 20,
      },
    }),
  },
  'a refusal': {
    'openai-chat': chat({ content: null, refusal: 'No' }),
    'openai-responses': responses([
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'refusal', refusal: 'No' }],
      },
    ]),
  },
  'a cited page': {
    'openai-chat': chat({
      content: 'Hi',
      annotations: [{ type: 'url_citation', url_citation: { ...page, start_index: 0, end_index: 2 } }],
    }),
    'openai-responses': responses([
      spoken({ annotations: [{ type: 'url_citation', ...page, start_index: 0, end_index: 2 }] }),
    ]),
    'anthropic-messages': messages([
      { type: 'text', text: 'Hi', citations: [{ type: 'web_search_result_location', ...page, cited_text: 'Hi' }] },
    ]),
    'gemini-generate': gemini([{ text: 'Hi' }], {
      groundingMetadata: { groundingChunks: [{ web: { uri: page.url, title: 'A' } }] },
    }),
  },
  'log probabilities': {
    'openai-chat': chat({ content: 'Hi' }, {}, { logprobs: { content: [token] } }),
    'openai-responses': responses([spoken({ logprobs: [token] })]),
    'gemini-generate': gemini([{ text: 'Hi' }], {
      logprobsResult: { chosenCandidates: [{ token: 'Hi', logProbability: -0.5 }], topCandidates: [] },
    }),
  },
  'the tier that served it': {
    'openai-chat': chat({ content: 'Hi' }, { service_tier: 'default' }),
    'openai-responses': responses([spoken({})], { service_tier: 'default' }),
    'anthropic-messages': messages([{ type: 'text', text: 'Hi' }], {
      usage: { input_tokens: 100, output_tokens: 20, service_tier: 'standard' },
    }),
  },
};

const callsOf: AnswerFeature['read'] = {
  'openai-chat': (body) => [
    at(body, 'choices', 0, 'message', 'reasoning_content') ?? '',
    at(body, 'choices', 0, 'message', 'content') ?? '',
    ...list(at(body, 'choices', 0, 'message', 'tool_calls')).map(
      (entry) => `${at(entry, 'id')} ${at(entry, 'function', 'arguments')}`,
    ),
    at(body, 'choices', 0, 'finish_reason') ?? '',
  ],
  'openai-responses': (body) => [
    ...list(at(body, 'output')).map((item) => {
      if (at(item, 'type') === 'reasoning') return at(item, 'summary', 0, 'text') ?? '';
      if (at(item, 'type') === 'message') return at(item, 'content', 0, 'text') ?? '';
      return `${at(item, 'call_id')} ${at(item, 'arguments')}`;
    }),
    at(body, 'status') ?? '',
  ],
  'anthropic-messages': (body) => [
    ...list(at(body, 'content')).map(
      (block) =>
        at(block, 'thinking') ?? at(block, 'text') ?? `${at(block, 'id')} ${JSON.stringify(at(block, 'input'))}`,
    ),
    at(body, 'stop_reason') ?? '',
  ],
  'gemini-generate': (body) => [
    ...list(at(body, 'candidates', 0, 'content', 'parts')).map((part) => {
      const told = at(part, 'functionCall');
      return told === undefined ? (at(part, 'text') ?? '') : `${at(told, 'id')} ${JSON.stringify(at(told, 'args'))}`;
    }),
    at(body, 'candidates', 0, 'finishReason') ?? '',
  ],
};

const said = ['Hm', 'Hi', 'call_a {"at":1}', 'call_b {"at":2}'];

const usageOf: AnswerFeature['read'] = {
  'openai-chat': (body) => [
    at(body, 'usage', 'prompt_tokens') ?? 0,
    at(body, 'usage', 'prompt_tokens_details', 'cached_tokens') ?? 0,
    at(body, 'usage', 'completion_tokens') ?? 0,
  ],
  'openai-responses': (body) => [
    at(body, 'usage', 'input_tokens') ?? 0,
    at(body, 'usage', 'input_tokens_details', 'cached_tokens') ?? 0,
    at(body, 'usage', 'output_tokens') ?? 0,
  ],
  'anthropic-messages': (body) => [
    at(body, 'usage', 'input_tokens') ?? 0,
    at(body, 'usage', 'cache_read_input_tokens') ?? 0,
    at(body, 'usage', 'output_tokens') ?? 0,
  ],
  'gemini-generate': (body) => [
    at(body, 'usageMetadata', 'promptTokenCount') ?? 0,
    at(body, 'usageMetadata', 'cachedContentTokenCount') ?? 0,
    at(body, 'usageMetadata', 'candidatesTokenCount') ?? 0,
  ],
};

export const answerFeatures: readonly AnswerFeature[] = [
  {
    name: 'thought, words and two calls',
    read: callsOf,
    arrives: {
      'openai-chat': [...said, 'tool_calls'],
      'openai-responses': [...said, 'completed'],
      'anthropic-messages': [...said, 'tool_use'],
      'gemini-generate': [...said, 'STOP'],
    },
  },
  {
    name: 'usage with what was read from a cache',
    read: usageOf,
    arrives: {
      'openai-chat': [100, 40, 20],
      'openai-responses': [100, 40, 20],
      // This dialect leaves cached tokens out of its input.
      'anthropic-messages': [60, 40, 20],
      'gemini-generate': [100, 40, 20],
    },
  },
  {
    name: 'usage with what was written to a cache, by lifetime',
    read: {
      'openai-chat': (body) => at(body, 'usage', 'prompt_tokens'),
      'openai-responses': (body) => at(body, 'usage', 'input_tokens_details', 'cache_write_tokens'),
      'anthropic-messages': (body) => at(body, 'usage', 'cache_creation'),
      'gemini-generate': () => undefined,
    },
    arrives: {
      'openai-chat': 80,
      'openai-responses': 30,
      'anthropic-messages': { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      'gemini-generate': { loses: 'answer.usage.cache_creation' },
    },
  },
  {
    name: 'a refusal',
    read: {
      'openai-chat': (body) => at(body, 'choices', 0, 'message', 'refusal'),
      'openai-responses': (body) => at(body, 'output', 0, 'content', 0, 'refusal'),
      'anthropic-messages': (body) => [at(body, 'content', 0, 'text') ?? '', at(body, 'stop_reason') ?? ''],
      'gemini-generate': (body) => [
        at(body, 'candidates', 0, 'content', 'parts', 0, 'text') ?? '',
        at(body, 'candidates', 0, 'finishReason') ?? '',
      ],
    },
    arrives: {
      'openai-chat': 'No',
      'openai-responses': 'No',
      'anthropic-messages': ['No', 'refusal'],
      'gemini-generate': ['No', 'SAFETY'],
    },
  },
  {
    name: 'a cited page',
    read: {
      'openai-chat': (body) => at(body, 'choices', 0, 'message', 'annotations', 0, 'url_citation', 'url'),
      'openai-responses': (body) => at(body, 'output', 0, 'content', 0, 'annotations', 0, 'url'),
      'anthropic-messages': (body) => at(body, 'content', 0, 'citations', 0, 'url'),
      'gemini-generate': (body) => at(body, 'candidates', 0, 'groundingMetadata', 'groundingChunks', 0, 'web', 'uri'),
    },
    arrives: {
      'openai-chat': page.url,
      'openai-responses': page.url,
      'anthropic-messages': page.url,
      'gemini-generate': page.url,
    },
  },
  {
    name: 'log probabilities',
    read: {
      'openai-chat': (body) => at(body, 'choices', 0, 'logprobs', 'content', 0, 'logprob'),
      'openai-responses': (body) => at(body, 'output', 0, 'content', 0, 'logprobs', 0, 'logprob'),
      'anthropic-messages': () => undefined,
      'gemini-generate': (body) => at(body, 'candidates', 0, 'logprobsResult', 'chosenCandidates', 0, 'logProbability'),
    },
    arrives: {
      'openai-chat': -0.5,
      'openai-responses': -0.5,
      'anthropic-messages': { loses: 'answer.logprobs' },
      'gemini-generate': -0.5,
    },
  },
  {
    name: 'the tier that served it',
    read: {
      'openai-chat': (body) => at(body, 'service_tier'),
      'openai-responses': (body) => at(body, 'service_tier'),
      'anthropic-messages': (body) => at(body, 'usage', 'service_tier'),
      'gemini-generate': () => 'this dialect has no word for it',
    },
    arrives: {
      'openai-chat': 'default',
      'openai-responses': 'default',
      'anthropic-messages': 'standard',
      'gemini-generate': 'this dialect has no word for it',
    },
  },
];
