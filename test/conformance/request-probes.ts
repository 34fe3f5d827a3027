/**
 * One probe per feature that a request may have: how it is asked for, and how to see whether it is still
 * there after a conversion.
 */
import type { ChatItem, ChatRequest, ChatTool, ContentPart, Dialect } from '../../daemon/relay/canonical/chat.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { call, type Probe, png, second, textOf } from './conversion-samples.ts';

const hello: ChatItem = { type: 'user', parts: [{ type: 'text', text: 'Hello' }] };
const result = {
  type: 'tool-result',
  kind: 'function',
  callId: 'call_1',
  name: 'look',
  parts: [{ type: 'text', text: 'seen' }],
} as const;
const tool = {
  kind: 'function',
  name: 'look',
  parameters: { type: 'object', properties: { at: { type: 'integer' } } },
} as const;

function user(...parts: ContentPart[]): Partial<ChatRequest> {
  return { items: [{ type: 'user', parts }] };
}

function partsOf(request: ChatRequest): ContentPart[] {
  return request.items.flatMap((item) => (item.type === 'user' || item.type === 'system' ? item.parts : []));
}

/** A medium by what it is and where it stands. */
function medium(request: ChatRequest, type: ContentPart['type']): unknown {
  const part = partsOf(request).find((entry) => entry.type === type);
  return part !== undefined && 'source' in part ? part.source : undefined;
}

function itemsOf<T extends ChatItem['type']>(request: ChatRequest, type: T): Extract<ChatItem, { type: T }>[] {
  return request.items.filter((item): item is Extract<ChatItem, { type: T }> => item.type === type);
}

export const requestProbes: readonly Probe<ChatRequest>[] = [
  {
    name: 'system prompt',
    make: () => ({
      items: [{ type: 'system', role: 'system', parts: [{ type: 'text', text: 'Be kind' }], apart: true }, hello],
    }),
    see: (request) => textOf(itemsOf(request, 'system').flatMap((item) => [...item.parts])) || undefined,
  },
  {
    name: 'several system texts, in order',
    make: () => ({
      items: [
        { type: 'system', role: 'system', parts: [{ type: 'text', text: 'one' }], apart: true },
        { type: 'system', role: 'system', parts: [{ type: 'text', text: 'two' }], apart: true },
        hello,
      ],
    }),
    see: (request) =>
      textOf(itemsOf(request, 'system').flatMap((item) => [...item.parts])).replace(/\s/g, '') || undefined,
  },
  {
    name: 'developer role',
    make: () => ({ items: [{ type: 'system', role: 'developer', parts: [{ type: 'text', text: 'Be kind' }] }, hello] }),
    see: (request) => itemsOf(request, 'system')[0]?.role,
  },
  {
    name: 'image, inline',
    make: () => user({ type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: png } }),
    see: (request) => medium(request, 'image'),
  },
  {
    name: 'image by address',
    make: () => user({ type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } }),
    see: (request) => {
      const part = partsOf(request).find((entry) => entry.type === 'image');
      return part?.type === 'image' && part.source.kind === 'url' ? part.source.url : undefined;
    },
  },
  {
    name: 'image detail',
    make: () => user({ type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: png }, detail: 'low' }),
    see: (request) => partsOf(request).flatMap((part) => (part.type === 'image' ? [part.detail] : []))[0],
  },
  {
    name: 'PDF, inline',
    make: () =>
      user({
        type: 'document',
        source: { kind: 'inline', mediaType: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.pdf',
      }),
    see: (request) => medium(request, 'document'),
  },
  {
    name: 'name of a file',
    make: () =>
      user({
        type: 'document',
        source: { kind: 'inline', mediaType: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.pdf',
      }),
    see: (request) => partsOf(request).flatMap((part) => (part.type === 'document' ? [part.title] : []))[0],
  },
  {
    name: 'text document',
    make: () => user({ type: 'document', source: { kind: 'text', text: 'facts' }, title: 'a.txt' }),
    see: (request) => medium(request, 'document') ?? (textOf(partsOf(request)).includes('facts') ? 'facts' : undefined),
  },
  {
    name: 'audio, inline',
    make: () =>
      user({ type: 'audio', source: { kind: 'inline', mediaType: 'audio/wav', data: 'UklGRg==' }, format: 'wav' }),
    see: (request) => medium(request, 'audio'),
  },
  {
    name: 'video by address',
    make: () =>
      user({ type: 'video', source: { kind: 'url', url: 'https://example.com/a.mp4', mediaType: 'video/mp4' } }),
    see: (request) => (partsOf(request).some((part) => part.type === 'video') ? 'video' : undefined),
  },
  {
    name: 'file by id',
    make: (dialect) => user({ type: 'document', source: { kind: 'file-id', id: 'file_1', owner: dialect } }),
    see: (request) => {
      const part = partsOf(request).find((entry) => entry.type === 'document');
      return part?.type === 'document' && part.source.kind === 'file-id' ? part.source.id : undefined;
    },
  },
  {
    name: 'cache marks',
    make: () => user({ type: 'text', text: 'long', cache: { ttl: '1h' } }),
    see: (request) => partsOf(request).flatMap((part) => ('cache' in part ? [part.cache] : []))[0],
  },
  {
    name: 'function tools',
    make: () => ({ tools: [tool] }),
    see: (request) =>
      request.tools.flatMap((entry) => (entry.kind === 'function' ? [[entry.name, entry.parameters]] : []))[0],
  },
  {
    name: 'strict tools',
    make: () => ({ tools: [{ ...tool, strict: true }] }),
    see: (request) => request.tools.some((entry) => entry.kind === 'function' && entry.strict === true) || undefined,
  },
  {
    name: 'custom (free text) tools',
    make: () => ({ tools: [{ kind: 'custom', name: 'patch' }] }),
    see: (request) =>
      request.tools.flatMap((entry) => (entry.kind === 'custom' || entry.kind === 'function' ? [entry.kind] : []))[0],
  },
  {
    name: 'tools in a namespace',
    make: () => ({ tools: [{ ...tool, namespace: 'files' }] }),
    see: (request) =>
      request.tools.flatMap((entry) => (entry.kind === 'function' ? [[entry.namespace, entry.name]] : []))[0],
  },
  {
    name: 'parallel tool calls and their results',
    make: () => ({ tools: [tool], items: [hello, call, second, result, { ...result, callId: 'call_2' }] }),
    see: (request) => [
      itemsOf(request, 'tool-call').map((item) => item.input),
      itemsOf(request, 'tool-result').map((item) => textOf(item.parts)),
    ],
  },
  {
    name: 'text beside tool calls',
    make: () => ({
      tools: [tool],
      items: [hello, { type: 'assistant', parts: [{ type: 'text', text: 'Looking' }] }, call, result],
    }),
    see: (request) => textOf(itemsOf(request, 'assistant').flatMap((item) => [...item.parts])) || undefined,
  },
  {
    name: 'images in tool results',
    make: () => ({
      tools: [tool],
      items: [
        hello,
        call,
        { ...result, parts: [{ type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: png } }] },
      ],
    }),
    see: (request) => {
      const inResult = itemsOf(request, 'tool-result').some((item) => item.parts.some((part) => part.type === 'image'));
      if (inResult) return 'in the result';
      return medium(request, 'image') === undefined ? undefined : 'in the user message after it';
    },
  },
  {
    name: 'failed tool results',
    make: () => ({ tools: [tool], items: [hello, call, { ...result, isError: true }] }),
    see: (request) => {
      const [item] = itemsOf(request, 'tool-result');
      if (item?.isError === true) return 'flag';
      return item !== undefined && textOf(item.parts).startsWith('Error: ') ? 'in words' : undefined;
    },
  },
  {
    name: 'tool choice: required',
    make: () => ({ tools: [tool], toolChoice: { mode: 'required' } }),
    see: (request) => request.toolChoice,
  },
  {
    name: 'tool choice: one tool',
    make: () => ({ tools: [tool], toolChoice: { mode: 'required', names: ['look'] } }),
    see: (request) => request.toolChoice,
  },
  {
    name: 'tool choice: none',
    make: () => ({ tools: [tool], toolChoice: { mode: 'none' } }),
    see: (request) => request.toolChoice,
  },
  {
    name: 'parallel tool calls switched off',
    make: () => ({ tools: [tool], parallelToolCalls: false }),
    see: (request) => request.parallelToolCalls,
  },
  {
    name: 'reasoning of an earlier turn, unsigned',
    make: () => ({
      tools: [tool],
      items: [hello, { type: 'reasoning', texts: ['thought'], form: 'full' }, call, result],
    }),
    see: (request) => itemsOf(request, 'reasoning')[0]?.texts[0],
  },
  { name: 'token limit', make: () => ({ maxTokens: 1000 }), see: (request) => request.maxTokens },
  {
    name: 'temperature',
    make: () => ({ sampling: { temperature: 0.5 } }),
    see: (request) => request.sampling.temperature,
  },
  {
    name: 'temperature above 1',
    make: () => ({ sampling: { temperature: 1.5 } }),
    see: (request) => request.sampling.temperature,
  },
  { name: 'top_p', make: () => ({ sampling: { topP: 0.5 } }), see: (request) => request.sampling.topP },
  { name: 'top_k', make: () => ({ sampling: { topK: 20 } }), see: (request) => request.sampling.topK },
  { name: 'seed', make: () => ({ sampling: { seed: 7 } }), see: (request) => request.sampling.seed },
  {
    name: 'penalties',
    make: () => ({ sampling: { presencePenalty: 0.5, frequencyPenalty: 0.25 } }),
    see: ({ sampling }) =>
      sampling.presencePenalty === undefined ? undefined : [sampling.presencePenalty, sampling.frequencyPenalty],
  },
  {
    name: 'logit bias',
    make: () => ({ sampling: { logitBias: { 50: 1 } } }),
    see: (request) => request.sampling.logitBias,
  },
  {
    name: 'log probabilities',
    make: () => ({ sampling: { logprobs: true, topLogprobs: 3 } }),
    see: ({ sampling }) => (sampling.logprobs === undefined ? undefined : [sampling.logprobs, sampling.topLogprobs]),
  },
  { name: 'stop strings', make: () => ({ stop: ['END'] }), see: (request) => request.stop },
  { name: 'six stop strings', make: () => ({ stop: ['1', '2', '3', '4', '5', '6'] }), see: (request) => request.stop },
  { name: 'several answers (n)', make: () => ({ n: 2 }), see: (request) => request.n },
  { name: 'JSON object output', make: () => ({ output: { kind: 'json-object' } }), see: seeOutput },
  {
    name: 'JSON schema output',
    make: () => ({ output: { kind: 'json-schema', name: 'output', schema: tool.parameters } }),
    see: seeOutput,
  },
  {
    name: 'reasoning effort',
    make: () => ({ reasoning: { effort: 'high' } }),
    see: (request) => request.reasoning?.effort ?? request.reasoning?.mode,
  },
  { name: 'reasoning switched off', make: switchOff, see: seeOff },
  {
    name: 'thinking budget',
    make: () => ({ reasoning: { mode: 'enabled', budgetTokens: 5000 }, maxTokens: 10_000 }),
    see: (request) => request.reasoning?.budgetTokens ?? request.reasoning?.effort,
  },
  { name: 'verbosity', make: () => ({ verbosity: 'low' }), see: (request) => request.verbosity },
  { name: 'image output', make: () => ({ modalities: ['text', 'image'] }), see: (request) => request.modalities },
  {
    name: 'web search',
    make: (dialect) => ({ webSearch: {}, tools: searchTools[dialect] }),
    see: (request) => (request.webSearch === undefined ? undefined : 'search'),
  },
  { name: 'metadata', make: () => ({ metadata: { a: 'b' } }), see: (request) => request.metadata },
  { name: 'end user', make: () => ({ user: 'u1' }), see: (request) => request.user },
  {
    name: 'service tier',
    make: () => ({ serviceTier: 'flex' }),
    see: (request) => request.serviceTier ?? request.extensions['openai-responses']?.service_tier,
  },
  { name: 'prompt cache key', make: () => ({ promptCacheKey: 'k' }), see: (request) => request.promptCacheKey },
];

/** How each dialect that has no option for it asks for a search. */
const searchTools: Readonly<Record<Dialect, ChatTool[]>> = {
  'openai-chat': [],
  'openai-responses': [searchTool('openai-responses', 'web_search', { type: 'web_search' })],
  'anthropic-messages': [
    searchTool('anthropic-messages', 'web_search_20250305', { type: 'web_search_20250305', name: 'web_search' }),
  ],
  'gemini-generate': [searchTool('gemini-generate', 'googleSearch', { googleSearch: {} })],
};

function searchTool(dialect: Dialect, name: string, settings: JsonObject): ChatTool {
  return { kind: 'hosted', hosted: 'web-search', dialect, name, settings };
}

/** A schema asked for in words counts as a change. */
function seeOutput(request: ChatRequest): unknown {
  if (request.output !== undefined)
    return request.output.kind === 'json-schema' ? request.output.schema : request.output;
  return /JSON/.test(textOf(partsOf(request))) ? 'in words' : undefined;
}

function switchOff(dialect: Dialect): Partial<ChatRequest> {
  if (dialect !== 'anthropic-messages') return { reasoning: { effort: 'none' } };
  return { reasoning: { mode: 'disabled', raw: { dialect, value: { type: 'disabled' } } } };
}

function seeOff({ reasoning, dialect }: ChatRequest): unknown {
  // Anthropic's models think only when they are told to.
  if (reasoning === undefined) return dialect === 'anthropic-messages' ? 'off' : undefined;
  const isOff = reasoning.mode === 'disabled' || reasoning.effort === 'none' || reasoning.budgetTokens === 0;
  return isOff ? 'off' : reasoning.effort;
}
