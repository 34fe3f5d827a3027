/**
 * What OpenAI's reasoning models refuse, on the wire shape, so that both lanes can apply it.
 * Source: relay.md 12.3 and the vendor's parameter tables, read 2026-08.
 */
import type { Effort } from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject } from '../fields.ts';

/** o-series, gpt-5 and gpt-6: they know `max_completion_tokens` only and refuse sampling knobs. */
export function isReasoningModel(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1);
  return /^(o[134]|gpt-[56])(\b|[-.])/.test(name) && !/^gpt-5(\.\d+)?-chat/.test(name);
}

/** Of the reasoning models only gpt-5's take sampling knobs, and those only while they do not reason. */
export function keepsSampling(model: string, effort: Json | undefined): boolean {
  return !isReasoningModel(model) || (effort === 'none' && /(^|\/)gpt-5/.test(model));
}

/** Models, of whatever vendor, that are known to understand `reasoning_effort` on their chat endpoint. */
export function knowsEffort(model: string): boolean {
  if (isReasoningModel(model)) return true;
  return /gpt-oss|grok-(3-mini|[4-9])|gemini-(2\.5|[3-9])|claude-|magistral|deepseek-(v[3-9]|r)|qwen([3-9]|-(plus|flash|turbo))|ernie-.*-vl|glm-[4-9]|doubao-seed-\d|kimi-k(2\.[5-9]|[3-9])|minimax-m\d|spark-x|reason|thinking/i.test(
    model,
  );
}

/**
 * The word that comes nearest to no thought at all. OpenAI's reasoning models before gpt-5.1, its coding models and its
 * pro models refuse `none`. Sources: github.com/openai/codex/issues/6647, the vendor's model pages, read 2026-11.
 */
export function leastEffort(model: string): Effort {
  const name = model.slice(model.lastIndexOf('/') + 1);
  if (/^(o[134]\b|gpt-5.*-codex)/.test(name)) return 'low';
  if (/^gpt-5[^-]*-pro/.test(name)) return name.startsWith('gpt-5-') ? 'high' : 'medium';
  return /^gpt-5(-|$)/.test(name) ? 'minimal' : 'none';
}

/** Models that nothing keeps from thinking, among those that take no word for how much. */
export function alwaysThinks(model: string): boolean {
  return /minimax-m[12]|kimi-k(2[.p]7|[3-9])|deepseek-r1|q[wv]q|gpt-6(-astra|\.1-sol)|grok-(4|code|build)(?!.*non-r)/i.test(
    model,
  );
}

const samplingFields = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
] as const;
const knobs = [...samplingFields, 'stop'] as const;

/** The first reasoning models still ended their answers where they were told to. */
function refusedKnobs(model: string): readonly (typeof knobs)[number][] {
  return /(^|\/)o1/.test(model) ? samplingFields : knobs;
}

/**
 * Rewrites the body for its model and returns the names of what had to go. Changes `body`; a second pass finds
 * nothing left to do.
 */
export function fitReasoningModel(body: JsonObject, model: string): string[] {
  if (!isReasoningModel(model)) return [];
  const dropped: string[] = [];
  renameSystem(body, model);
  if (body.max_tokens !== undefined) {
    if (body.max_completion_tokens === undefined) body.max_completion_tokens = body.max_tokens;
    delete body.max_tokens;
  }
  if (!keepsSampling(model, body.reasoning_effort)) {
    for (const field of refusedKnobs(model)) {
      const value = body[field];
      // The default value says nothing, so leaving it out loses nothing.
      if (value === undefined) continue;
      delete body[field];
      const usual = field === 'temperature' || field === 'top_p' ? 1 : 0;
      if (value !== usual && value !== null && value !== false) dropped.push(field);
    }
  }
  return dropped;
}

/** The o-series calls its system message `developer`; the first two of it knew neither. */
function renameSystem(body: JsonObject, model: string): void {
  if (!/(^|\/)o[134]/.test(model) || !Array.isArray(body.messages)) return;
  const first = asObject(body.messages[0]);
  if (first?.role !== 'system') return;
  const role = /(^|\/)o1-(mini|preview)/.test(model) ? 'user' : 'developer';
  body.messages = [{ ...first, role }, ...body.messages.slice(1)];
}
