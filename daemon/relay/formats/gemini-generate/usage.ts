/**
 * `usageMetadata` in both directions: on this wire thoughts stand beside the visible output, and what tools read
 * beside the prompt (relay.md 7.2, 14.1).
 */
import { emptyUsage, MAX_TOKENS, type ToolCounts, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asObjects, asTexts, asWord } from '../fields.ts';
import { overlayReport } from '../usage-reports.ts';

/** Reads a `usageMetadata` object; undefined when it is missing or says nothing but zeros. */
export function readGeminiUsage(value: Json | undefined): Usage | undefined {
  const wire = asObject(value);
  if (wire === undefined) return undefined;
  const usage = emptyUsage();
  const asked = tokenCount(wire.promptTokenCount);
  const tools = tokenCount(wire.toolUsePromptTokenCount);
  usage.reasoning = tokenCount(wire.thoughtsTokenCount);
  usage.prompt = Math.min(asked + tools, MAX_TOKENS);
  usage.cached = tokenCount(wire.cachedContentTokenCount);
  const rest = tokenCount(tokenCount(wire.totalTokenCount) - asked - tools);
  const visible = wire.candidatesTokenCount;
  usage.completion =
    typeof visible === 'number'
      ? Math.min(tokenCount(visible) + usage.reasoning, MAX_TOKENS)
      : Math.max(rest, usage.reasoning);
  const cached = wire.cacheTokensDetails;
  usage.promptAudio = Math.max(0, modality(wire.promptTokensDetails, 'AUDIO') - modality(cached, 'AUDIO'));
  usage.promptImage = Math.max(0, modality(wire.promptTokensDetails, 'IMAGE') - modality(cached, 'IMAGE'));
  usage.completionAudio = modality(wire.candidatesTokensDetails, 'AUDIO');
  usage.completionImage = modality(wire.candidatesTokensDetails, 'IMAGE');
  return usage.prompt === 0 && usage.completion === 0 ? undefined : usage;
}

function modality(details: Json | undefined, word: string): number {
  return tokenCount(asObjects(details).find((entry) => entry.modality === word)?.tokenCount);
}

/** Reads the reports of one stream: each is cumulative, but may leave out thoughts or tools that an earlier one had. */
export function geminiUsageReader(): (piece: JsonObject) => Usage | undefined {
  let report: JsonObject = {};
  return (piece) => {
    const latest = asObject(piece.usageMetadata);
    if (latest === undefined) return undefined;
    report = overlayReport(report, latest);
    return readGeminiUsage(report);
  };
}

/** Usage of a whole answer. */
export function findGeminiUsage(body: Json): Usage | undefined {
  const fields = asObject(body);
  const usage = readGeminiUsage(fields?.usageMetadata);
  const tools = fields && findSearches(fields);
  return usage === undefined || tools === undefined ? usage : { ...usage, tools };
}

/**
 * Searches that grounded an answer or a piece of it, whether or not it reports usage: one per answer up to 2.x, one per
 * distinct query from 3.x on (relay.md 14.1, providers/gemini.md). Undefined where there were none.
 */
export function findSearches(fields: JsonObject): ToolCounts | undefined {
  const queries = asObjects(fields.candidates).flatMap((candidate) =>
    asTexts(asObject(candidate.groundingMetadata)?.webSearchQueries),
  );
  const isNewer = /gemini-([3-9]|\d\d)/.test(asWord(fields.modelVersion) ?? '');
  const searches = isNewer ? new Set(queries).size : Math.min(queries.length, 1);
  return searches === 0 ? undefined : { google_search: searches };
}

/** What a Gemini client is shown. */
export function encodeGeminiUsage(usage: Usage): JsonObject {
  const wire: JsonObject = {
    promptTokenCount: usage.prompt,
    candidatesTokenCount: Math.max(0, usage.completion - usage.reasoning),
    totalTokenCount: usage.prompt + usage.completion,
  };
  if (usage.reasoning > 0) wire.thoughtsTokenCount = usage.reasoning;
  if (usage.cached > 0) wire.cachedContentTokenCount = usage.cached;
  return wire;
}
