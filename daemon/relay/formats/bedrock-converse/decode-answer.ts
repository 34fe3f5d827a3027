/** A whole answer of Bedrock's in the words of Messages. */
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, entryOf } from '../fields.ts';

/** Words of this wire that Messages does not have; the others are the same. */
const stopWords: Readonly<Record<string, string>> = {
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
  malformed_model_output: 'end_turn',
  malformed_tool_use: 'end_turn',
};

export function stopWordOf(reason: Json | undefined): string {
  const word = asWord(reason) ?? 'end_turn';
  return entryOf(stopWords, word) ?? word;
}

/** The message; a body without one stays as it is. */
export function messageOf(body: JsonObject): JsonObject {
  const message = asObject(asObject(body.output)?.message);
  const usage = usageOf(body.usage);
  if (message === undefined) return usage === undefined ? body : { ...body, usage };
  return {
    type: 'message',
    role: 'assistant',
    content: asObjects(message.content).flatMap(blocksOf),
    stop_reason: stopWordOf(body.stopReason),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Nothing for what the host's own tools did: nobody who reads Messages knows them. */
function blocksOf(block: JsonObject): JsonObject[] {
  const text = asText(block.text);
  if (text !== undefined) return [{ type: 'text', text }];
  const call = asObject(block.toolUse);
  if (call !== undefined) {
    if (call.type === 'server_tool_use') return [];
    return [{ type: 'tool_use', id: call.toolUseId ?? '', name: call.name ?? '', input: call.input ?? {} }];
  }
  const cited = asObject(block.citationsContent);
  if (cited !== undefined) {
    const citations = asObjects(cited.citations).map(citationOf);
    const said = asObjects(cited.content)
      .flatMap((part) => asText(part.text) ?? [])
      .join('');
    return [{ type: 'text', text: said, citations }];
  }
  const thought = asObject(block.reasoningContent);
  return thought === undefined ? [] : [thoughtOf(thought)];
}

function thoughtOf(thought: JsonObject): JsonObject {
  const hidden = asWord(thought.redactedContent);
  if (hidden !== undefined) return { type: 'redacted_thinking', data: hidden };
  const { text, signature } = asObject(thought.reasoningText) ?? {};
  const block: JsonObject = { type: 'thinking', thinking: text ?? '' };
  if (asWord(signature) !== undefined) block.signature = signature ?? '';
  return block;
}

/** Where a statement comes from: a page of the web or one of the search results, else a place in a document. */
export function citationOf(citation: JsonObject): JsonObject {
  const [place] = Object.entries(asObject(citation.location) ?? {});
  const url = asWord(asObject(place?.[1])?.url) ?? asWord(citation.source);
  const quoted = asObjects(citation.sourceContent)
    .flatMap((part) => asText(part.text) ?? [])
    .join('');
  const made: JsonObject = { type: url === undefined ? 'char_location' : 'search_result_location', cited_text: quoted };
  if (asWord(citation.title) !== undefined) made.title = citation.title ?? '';
  if (url !== undefined) made.source = url;
  return made;
}

/** Its counts of the prompt leave out what the cache gave and took, as those of Messages do. */
export function usageOf(value: Json | undefined): JsonObject | undefined {
  const usage = asObject(value);
  if (asNumber(usage?.inputTokens) === undefined && asNumber(usage?.outputTokens) === undefined) return undefined;
  const wire: JsonObject = {
    input_tokens: usage?.inputTokens ?? 0,
    output_tokens: usage?.outputTokens ?? 0,
    cache_read_input_tokens: usage?.cacheReadInputTokens ?? 0,
    cache_creation_input_tokens: usage?.cacheWriteInputTokens ?? 0,
  };
  const long = asObjects(usage?.cacheDetails).find((entry) => entry.ttl === '1h');
  if (long !== undefined) wire.cache_creation = { ephemeral_1h_input_tokens: long.inputTokens ?? 0 };
  return wire;
}
