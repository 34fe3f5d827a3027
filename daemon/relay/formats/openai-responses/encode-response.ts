/**
 * The canonical answer as a response object (relay.md 5.10, 13.5). This format gives one answer: choice 0.
 */
import type {
  AssistantItem,
  ChatRequest,
  ChatResponse,
  ContentPart,
  Finish,
  OutputItem,
  TokenLogprob,
} from '../../canonical/chat.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { moved, withAnnotations } from '../../canonical/text-places.ts';
import { ToolNames } from '../../canonical/tool-names.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { callFor } from '../client-tools.ts';
import { asObject, asObjects, parseJson } from '../fields.ts';
import { openAiTier } from '../service-tier.ts';
import { encodeCall, encodeOutputParts, encodeReasoning, encodeTokens, outputText } from './encode-items.ts';
import { encodeOutputFormat, encodeToolChoice, encodeToolList } from './encode-request.ts';
import { itemPrefixes } from './wire.ts';

export function encodeResponse(response: ChatResponse, request: ChatRequest, scope: Scope): Json {
  const choice = response.choices.find((entry) => entry.index === 0) ?? response.choices[0];
  const names = new ToolNames(request.tools);
  const items = withAnnotations(choice?.items ?? [], (annotation, start) => moved(annotation, -start));
  const output = items.flatMap((item) => encodeItem(item, names, scope));
  const last = items.at(-1);
  const cut = output.at(-1);
  if (cut?.status === 'completed' && choice !== undefined && last !== undefined)
    cut.status = endOf(choice.finish, last.type === 'tool-call' ? last.input : undefined);
  if (choice?.logprobs !== undefined) tellOdds(output, choice.logprobs);
  if (output.length === 0) {
    output.push(messageItem({ id: scope.newId('msg_') }, 'completed', [outputText('', [])]));
  }
  return {
    ...skeleton(request, scope, response.id ?? scope.newId('resp_'), response.created ?? scope.now()),
    ...ending(choice?.finish ?? { reason: 'stop' }),
    output,
    usage: encodeResponsesUsage(response.usage),
    ...tierOf(response),
  };
}

/** The tier that served the request, where the upstream tells. */
export function tierOf({ serviceTier }: Pick<ChatResponse, 'serviceTier'>): JsonObject {
  return serviceTier === undefined ? {} : { service_tier: openAiTier(serviceTier) };
}

/** Odds belong to no part of the canonical answer, so the first text takes all. */
function tellOdds(output: readonly JsonObject[], logprobs: readonly TokenLogprob[]): void {
  const texts = output.flatMap((item) => asObjects(item.content)).filter((part) => part.type === 'output_text');
  const [first] = texts;
  if (first !== undefined) first.logprobs = encodeTokens(logprobs);
}

/** The response object of an answer that has not begun, with the request's fields repeated. */
export function skeleton(request: ChatRequest, scope: Scope, id: string, created: number): JsonObject {
  const { reasoning, sampling, toolChoice, tools, verbosity } = request;
  const unheard = { lose: () => undefined };
  const format = request.output === undefined ? { type: 'text' } : encodeOutputFormat(request.output);
  const system = request.items.flatMap((item) => (item.type === 'system' && item.apart === true ? item.parts : []));
  const instructions = system.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return {
    id,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: instructions === '' ? null : instructions,
    max_output_tokens: request.maxTokens ?? null,
    model: scope.model,
    output: [],
    parallel_tool_calls: request.parallelToolCalls ?? true,
    previous_response_id: null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    store: false,
    temperature: sampling.temperature ?? 1,
    text: verbosity === undefined ? { format } : { format, verbosity },
    tool_choice: encodeToolChoice(toolChoice, tools, unheard) ?? 'auto',
    tools: encodeToolList(tools, unheard),
    top_p: sampling.topP ?? 1,
    truncation: 'disabled',
    usage: null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

/** `status` and `incomplete_details` of an answer that came to its end. */
export function ending(finish: Finish): JsonObject {
  switch (finish.reason) {
    case 'length':
    case 'context-window':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'content-filter':
    case 'refusal':
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    default:
      return { status: 'completed', incomplete_details: null };
  }
}

/** How an item ends: `incomplete` when the stream broke off within it, or a limit cut it. */
export type ItemEnd = 'completed' | 'incomplete';

/** How the last item of an answer ends; a call whose `input` is whole JSON was said to its end before the limit. */
export function endOf({ reason }: Finish, input?: string): ItemEnd {
  const isCut = reason === 'length' || reason === 'context-window' || reason === 'content-filter';
  return isCut && (input === undefined || parseJson(input) === undefined) ? 'incomplete' : 'completed';
}

/** What a Responses client is shown of usage; null when there is none. */
export function encodeResponsesUsage(usage: Usage | undefined): Json {
  if (usage === undefined) return null;
  const input: JsonObject = { cached_tokens: usage.cached };
  const written = usage.cacheCreation5m + usage.cacheCreation1h;
  if (written > 0) input.cache_write_tokens = written;
  return {
    input_tokens: usage.prompt,
    input_tokens_details: input,
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.prompt + usage.completion,
  };
}

export function messageItem(
  { id, phase }: { readonly id: string; readonly phase?: string | undefined },
  status: 'in_progress' | ItemEnd,
  content: JsonObject[],
): JsonObject {
  const item = { id, type: 'message', status, role: 'assistant', content };
  return phase === undefined ? item : { ...item, phase };
}

function encodeItem(item: OutputItem, names: ToolNames, scope: Scope): JsonObject[] {
  switch (item.type) {
    case 'reasoning': {
      const sealed = item.seal === undefined ? undefined : wrapSeal(item.seal, 'openai-responses');
      return [{ id: item.id ?? scope.newId('rs_'), ...encodeReasoning(item, sealed) }];
    }
    case 'assistant':
      return encodeSaid(item, scope);
    case 'tool-call': {
      const call = encodeCall(callFor(item, names));
      const id = item.id ?? scope.newId(itemPrefixes[item.kind]);
      const items: JsonObject[] = [{ id, ...call, status: 'completed' }];
      // A call has no place for a seal here, so a thought without words carries it.
      if (item.seal !== undefined) items.unshift(sealItem(scope, wrapSeal(item.seal, 'openai-responses')));
      return items;
    }
    case 'hosted': {
      const raw = asObject(item.raw);
      if (item.text !== undefined)
        return [messageItem({ id: scope.newId('msg_') }, 'completed', [outputText(item.text, [])])];
      // The picture stands beside it and becomes an item of its own.
      return item.dialect === 'openai-responses' && raw !== undefined && item.name !== 'image_generation_call'
        ? [raw]
        : [];
    }
  }
}

/** Messages and the pictures between them, in their order. The upstream's id goes to the first. */
function encodeSaid({ id, phase, parts }: AssistantItem, scope: Scope): JsonObject[] {
  const items: JsonObject[] = [];
  let words: ContentPart[] = [];
  const newId = (prefix: string) => (items.length === 0 && id !== undefined ? id : scope.newId(prefix));
  const settle = () => {
    const content = encodeOutputParts(words);
    words = [];
    if (content.length > 0) items.push(messageItem({ id: newId('msg_'), phase }, 'completed', content));
  };
  for (const part of parts) {
    if (part.type === 'image' && part.source.kind === 'inline') {
      settle();
      items.push(imageItem(newId('ig_'), part.source.mediaType, part.source.data));
    } else words.push(part);
  }
  settle();
  return items;
}

export function sealItem(scope: Scope, sealed: string): JsonObject {
  return { id: scope.newId('rs_'), ...encodeReasoning({ texts: [], form: 'summary' }, sealed) };
}

export function imageItem(id: string, mediaType: string, data: string): JsonObject {
  const format = mediaType.split('/')[1] ?? 'png';
  return { id, type: 'image_generation_call', status: 'completed', output_format: format, result: data };
}
