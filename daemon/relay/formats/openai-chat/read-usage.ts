/**
 * `usage` of the OpenAI chat wire in both directions, with the dialects of compatible servers (relay.md 14.1).
 */
import { emptyUsage, MAX_TOKENS, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asObjects } from '../fields.ts';

/** Reads a `usage` object; undefined when it is missing or says nothing but zeros. */
export function readOpenAiUsage(value: Json | undefined): Usage | undefined {
  const wire = asObject(value);
  if (wire === undefined) return undefined;
  const flat = asObject(wire.input_tokens_details);
  const input = asObject(wire.prompt_tokens_details) ?? flat ?? {};
  const output = asObject(wire.completion_tokens_details) ?? asObject(wire.output_tokens_details) ?? {};
  const total = tokenCount(wire.total_tokens);
  const reasoning = tokenCount(output.reasoning_tokens ?? wire.reasoning_tokens);
  let prompt = firstCount(wire.prompt_tokens, wire.input_tokens);
  let completion = firstCount(wire.completion_tokens, wire.output_tokens);
  if (prompt === 0 && completion === 0 && total === 0) return undefined;
  const isSum = prompt === 0 && completion === 0;
  // One of everything, also in sum: a constant (FastGPT), which says nothing.
  if (prompt === 1 && completion === 1 && total === 1) return undefined;
  // Some vendors count reasoning beside the completion (xAI): seen by a completion smaller than its part,
  // or by a total that has all three.
  const isInTotal = reasoning > 0 && total === prompt + completion + reasoning;
  const isBeside = isInTotal || (completion < reasoning && !countsWhole(wire));
  if (isBeside) completion += reasoning;
  if (prompt === 0 && total > 0) prompt = Math.max(0, total - completion);
  const cached = firstCount(
    input.cached_tokens,
    input.cache_read_input_tokens,
    wire.prompt_cache_hit_tokens,
    wire.cached_tokens,
    flat?.cached_tokens,
  );
  // Some vendors leave what was read from a cache out of the prompt.
  if (cached > prompt) prompt += cached;
  // And some their audio (Mistral).
  const audio = tokenCount(input.audio_tokens);
  if (audio > prompt) prompt += audio;
  const usage = emptyUsage();
  if (isSum) usage.undivided = true;
  usage.prompt = Math.min(prompt, MAX_TOKENS);
  usage.cached = cached;
  usage.cacheCreation5m = firstCount(
    input.cache_write_tokens,
    input.cached_creation_tokens,
    input.cache_creation_tokens,
    wire.cache_creation_input_tokens,
  );
  usage.promptAudio = audio;
  usage.promptImage = tokenCount(input.image_tokens);
  usage.completion = Math.min(completion, MAX_TOKENS);
  usage.reasoning = Math.min(reasoning, usage.completion);
  usage.completionAudio = tokenCount(output.audio_tokens);
  usage.completionImage = tokenCount(output.image_tokens);
  return usage;
}

/**
 * OpenRouter bills its completion and estimates the part that is reasoning, which may come out larger (recorded: 317 of 289,
 * its own cost for 289). Vercel's gateway borrows its words, and does bill the sum: it alone tells what the market asks.
 */
function countsWhole({ is_byok, market_cost }: JsonObject): boolean {
  return typeof is_byok === 'boolean' && market_cost === undefined;
}

function firstCount(...values: (Json | undefined)[]): number {
  for (const value of values) {
    const count = tokenCount(value);
    if (count > 0) return count;
  }
  return 0;
}

/** Usage found in a whole answer or one chunk, wherever this server puts it. */
export function findUsage(body: Json): Usage | undefined {
  const fields = asObject(body);
  if (fields === undefined) return undefined;
  const [first] = Array.isArray(fields.choices) ? fields.choices : [];
  return (
    readOpenAiUsage(fields.usage) ??
    readOpenAiUsage(asObject(fields.x_groq)?.usage) ??
    readOpenAiUsage(asObject(first)?.usage) ??
    readBotUsage(asObject(fields.bot_usage))
  );
}

/** Applications that ask several models report each (Ark). */
function readBotUsage(wire: JsonObject | undefined): Usage | undefined {
  const parts = asObjects(wire?.model_usage);
  const sum = (name: string) => parts.reduce((total, part) => total + tokenCount(part[name]), 0);
  return readOpenAiUsage({ prompt_tokens: sum('prompt_tokens'), completion_tokens: sum('completion_tokens') });
}

/** What a chat client is shown. */
export function encodeUsage(usage: Usage): JsonObject {
  const input: JsonObject = { cached_tokens: usage.cached, audio_tokens: usage.promptAudio };
  const written = usage.cacheCreation5m + usage.cacheCreation1h;
  if (written > 0) input.cache_write_tokens = written;
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    prompt_tokens_details: input,
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.completionAudio,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
