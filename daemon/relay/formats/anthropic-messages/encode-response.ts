/**
 * The canonical answer as a whole message. This format gives one answer: choice 0.
 */

import { argumentsObject } from '../../canonical/arguments.ts';
import type {
  Annotation,
  ChatRequest,
  ChatResponse,
  ContentPart,
  Finish,
  OutputItem,
  Seal,
} from '../../canonical/chat.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { anthropicCallId, ToolNames } from '../../canonical/tool-names.ts';
import { emptyUsage } from '../../canonical/usage.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { functionInput } from '../client-tools.ts';
import { asObject } from '../fields.ts';
import { urlOfSource } from '../media.ts';
import { anthropicTier } from '../service-tier.ts';
import { encodeAnthropicUsage } from './usage.ts';
import { stopWords } from './wire.ts';

export function encodeResponse(response: ChatResponse, request: ChatRequest, scope: Scope): Json {
  const choice = response.choices.find((entry) => entry.index === 0) ?? response.choices[0];
  const names = new ToolNames(request.tools);
  const content = (choice?.items ?? []).flatMap((item) => encodeItem(item, names));
  const finish = choice?.finish ?? { reason: 'stop' };
  const refused = choice?.items.some(
    (item) => item.type === 'assistant' && item.parts.some((part) => part.type === 'refusal'),
  );
  return {
    id: response.id ?? scope.newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: scope.model,
    content: content.length === 0 ? [{ type: 'text', text: '' }] : content,
    ...encodeFinish(finish.reason === 'stop' && refused === true ? { ...finish, reason: 'refusal' } : finish),
    usage: { ...encodeAnthropicUsage(response.usage ?? emptyUsage()), ...servedBy(response.serviceTier) },
  };
}

/** The tier in `usage`, where the upstream tells one that this dialect has a word for. */
export function servedBy(serviceTier: string | undefined): JsonObject {
  const tier = serviceTier === undefined ? undefined : anthropicTier(serviceTier);
  return tier === undefined ? {} : { service_tier: tier };
}

/** `stop_reason` with its companions; a reason of this very dialect keeps its own word. */
export function encodeFinish(finish: Finish): JsonObject {
  const known = finish.raw?.dialect === 'anthropic-messages' && finish.reason === 'other';
  const told: JsonObject = {
    stop_reason: known && finish.raw !== undefined ? finish.raw.word : stopWords[finish.reason],
    stop_sequence: finish.stopSequence ?? null,
  };
  if (finish.details !== undefined) told.stop_details = finish.details;
  return told;
}

function encodeItem(item: OutputItem, names: ToolNames): JsonObject[] {
  switch (item.type) {
    case 'reasoning': {
      const text = item.texts.join('\n\n');
      const signature = item.seal === undefined ? '' : wrapSeal(item.seal, 'anthropic-messages');
      if (item.seal !== undefined && isHidden(item.seal, text)) return [redactedBlock(signature)];
      return text === '' && signature === '' ? [] : [{ type: 'thinking', thinking: text, signature }];
    }
    case 'assistant':
      return item.parts.flatMap(encodePart);
    case 'tool-call': {
      const block: JsonObject = {
        type: 'tool_use',
        id: anthropicCallId(item.callId),
        name: names.find(item.name).name,
        input: argumentsObject(functionInput(item.kind, item.input)),
      };
      // This block has no place for a signature, so one goes before it; `seal.ts` tells how it comes back.
      if (item.seal === undefined) return [block];
      return [redactedBlock(wrapSeal(item.seal, 'anthropic-messages')), block];
    }
    case 'hosted': {
      const raw = asObject(item.raw);
      if (item.dialect === 'anthropic-messages' && raw !== undefined) return [raw];
      return item.text === undefined ? [] : [{ type: 'text', text: item.text }];
    }
  }
}

/** The seal is all there is of the thought: the vendor's own hidden ones, and wordless ones of other vendors. */
export function isHidden(seal: Seal, text: string): boolean {
  return seal.redacted === true || (text === '' && seal.origin !== 'anthropic-messages');
}

export function redactedBlock(data: string): JsonObject {
  return { type: 'redacted_thinking', data };
}

function encodePart(part: ContentPart): JsonObject[] {
  switch (part.type) {
    case 'text': {
      if (part.text === '') return [];
      const block: JsonObject = { type: 'text', text: part.text };
      const citations = (part.annotations ?? []).flatMap((entry) => encodeCitation(entry) ?? []);
      if (citations.length > 0) block.citations = citations;
      return [block];
    }
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'image':
      return [{ type: 'text', text: `![image](${urlOfSource(part.source) ?? ''})` }];
    case 'audio':
      return part.transcript === undefined ? [] : [{ type: 'text', text: part.transcript }];
    case 'foreign': {
      const raw = asObject(part.raw);
      return part.dialect === 'anthropic-messages' && raw !== undefined ? [raw] : [];
    }
    default:
      return [];
  }
}

/** A citation of this dialect as it came, any other web citation in the form of a search result. */
export function encodeCitation(annotation: Annotation): JsonObject | undefined {
  if (annotation.raw?.dialect === 'anthropic-messages') return asObject(annotation.raw.value);
  if (annotation.kind === 'other') return undefined;
  return {
    type: 'web_search_result_location',
    url: annotation.url,
    title: annotation.title ?? null,
    encrypted_index: '',
    cited_text: annotation.citedText ?? '',
  };
}
