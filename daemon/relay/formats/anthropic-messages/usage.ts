/**
 * Anthropic's `usage` in both directions. On this wire `input_tokens` leaves out what was read from and written to
 * a cache; the canonical prompt contains all three (relay.md 14.1).
 */
import { addUsage, emptyUsage, MAX_TOKENS, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asObjects } from '../fields.ts';
import { overlayReport } from '../usage-reports.ts';

/**
 * Reads a `usage` object; undefined when it is missing or says nothing but zeros. Of the steps that it lists, those that
 * summed up the conversation are charged for and left out of its counts of the whole (`BetaIterationsUsage` of the
 * vendor's SDK, read 2026-11). What another model advised is left out as well, but has a price of its own.
 */
export function readAnthropicUsage(value: Json | undefined): Usage | undefined {
  const wire = asObject(value);
  if (wire === undefined) return undefined;
  const summaries = asObjects(wire.iterations).filter(({ type }) => type === 'compaction');
  const usage = summaries.map(readCounts).reduce(addUsage, readCounts(wire));
  return usage.prompt === 0 && usage.completion === 0 ? undefined : usage;
}

function readCounts(wire: JsonObject): Usage {
  const usage = emptyUsage();
  const written = tokenCount(wire.cache_creation_input_tokens);
  const split = asObject(wire.cache_creation);
  usage.cached = tokenCount(wire.cache_read_input_tokens);
  usage.cacheCreation1h = tokenCount(split?.ephemeral_1h_input_tokens);
  const named5m = tokenCount(split?.ephemeral_5m_input_tokens);
  usage.cacheCreation5m = Math.max(named5m, written - usage.cacheCreation1h, 0);
  const creation = usage.cacheCreation5m + usage.cacheCreation1h;
  usage.prompt = Math.min(tokenCount(wire.input_tokens) + usage.cached + creation, MAX_TOKENS);
  usage.completion = tokenCount(wire.output_tokens);
  usage.reasoning = tokenCount(asObject(wire.output_tokens_details)?.thinking_tokens);
  const searches = tokenCount(asObject(wire.server_tool_use)?.web_search_requests);
  if (searches > 0) usage.tools.claude_web_search = searches;
  return usage;
}

/**
 * A later report over an earlier one. A prompt of 0 overwrites where the same report names a cache: all of it was read
 * from there.
 */
export function overlayUsage(earlier: JsonObject, later: JsonObject | undefined): JsonObject {
  const merged = overlayReport(earlier, later);
  if (later?.input_tokens === 0 && tokenCount(later.cache_read_input_tokens) > 0) merged.input_tokens = 0;
  return merged;
}

/**
 * What the event that opens a stream reports: the prompt. Its few output tokens stand for what is still to come; who
 * reports no more than them has not counted the answer.
 */
export function openingReport(message: JsonObject | undefined): JsonObject | undefined {
  const report = asObject(message?.usage);
  return report && { ...report, output_tokens: 0 };
}

/** True for the block that brings what a search found: the search ran, and one that failed costs nothing. */
export function isSearchResult(block: JsonObject | undefined): boolean {
  return block?.type === 'web_search_tool_result' && asObject(block.content)?.type !== 'web_search_tool_result_error';
}

/** Usage of a whole answer. */
export function findAnthropicUsage(body: Json): Usage | undefined {
  return readAnthropicUsage(asObject(body)?.usage);
}

/** Reads the reports of one stream (`message_start`, `message_delta`): the later ones say less of the prompt than the first. */
export function anthropicUsageReader(): (event: JsonObject) => Usage | undefined {
  let report: JsonObject = {};
  return (event) => {
    report = overlayUsage(report, asObject(event.usage) ?? openingReport(asObject(event.message)));
    return readAnthropicUsage(report);
  };
}

/** What an Anthropic client is shown. */
export function encodeAnthropicUsage(usage: Usage): JsonObject {
  const written = usage.cacheCreation5m + usage.cacheCreation1h;
  const wire: JsonObject = {
    input_tokens: Math.max(0, usage.prompt - usage.cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: usage.cached,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheCreation5m,
      ephemeral_1h_input_tokens: usage.cacheCreation1h,
    },
    output_tokens: usage.completion,
  };
  if (usage.reasoning > 0) wire.output_tokens_details = { thinking_tokens: usage.reasoning };
  const searches = usage.tools.claude_web_search ?? usage.tools.web_search;
  if (searches !== undefined) wire.server_tool_use = { web_search_requests: searches };
  return wire;
}
