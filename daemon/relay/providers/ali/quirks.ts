/** How DashScope's compatible mode differs from OpenAI. Source: providers/ali.md, read 2026-11. */
import { asList, asObject, entryOf, inexpressible } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { clampField, developerToSystem, removeFields, renameField } from '../wire-edits.ts';

/** A name that ends so asks for search. */
const searchSuffix = '-internet';

/** True for a name of Tollgate's own, which the compatible chat and the vendor's own one have a word for. */
export function asksForSearch(model: string): boolean {
  return model.endsWith(searchSuffix);
}

/** How a model is told to think: by level, by budget, by a switch, or not at all because it always does. */
const byLevel = /^qwen3\.8|^deepseek-v4|^glm-5/;
const bySwitch = /^deepseek-v3|^kimi-k2\.[56]|^qwen-flash|^qwen-turbo/;
const always = /^kimi-k3|^deepseek-r1|^minimax-m2|^qwq|^qvq/;
const byBudget = /^qwen/;
/** Open weights that refuse to think without a stream. */
const openWeights = /^qwen3-(?:\d+b|235b|next)/;

const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

const mostAnswers = 4;

/** Any other is refused. */
const greatestSeed = 2 ** 31 - 1;

const unknown = ['logit_bias', 'user', 'store', 'metadata', 'service_tier', 'frequency_penalty'];

export function fitQwen(body: JsonObject, call: UpstreamCall): void {
  const { format, stream } = call;
  if (format === 'dashscope-chat') fitParameters(body, call);
  if (format === 'openai-embeddings') {
    removeFields(body, ['user']);
    // The one form that it knows: who wants another gets the vectors packed.
    if (body.encoding_format !== undefined) body.encoding_format = 'float';
  }
  if (format !== 'openai-chat') return;
  if (typeof body.model === 'string' && asksForSearch(body.model)) {
    body.model = body.model.slice(0, -searchSuffix.length);
    body.enable_search = true;
  }
  const model = typeof body.model === 'string' ? body.model.toLowerCase() : '';
  developerToSystem(body);
  removeFields(body, unknown);
  renameField(body, 'max_completion_tokens', 'max_tokens');
  // Its ends are refused: 0 and 1 of one, 2 of the other.
  clampField(body, 'top_p', { min: 0.001, max: 0.999 });
  clampField(body, 'temperature', { min: 0, max: 1.99 });
  clampField(body, 'presence_penalty', { min: -2, max: 2 });
  clampField(body, 'top_logprobs', { min: 0, max: 5 });
  if (typeof body.seed === 'number' && (body.seed < 0 || body.seed > greatestSeed)) delete body.seed;
  if (body.tool_choice === 'required') body.tool_choice = 'auto';
  if (asList(body.tools).length > 0) delete body.n;
  if (typeof body.n === 'number' && body.n > mostAnswers) {
    throw inexpressible('n', `this model gives at most ${mostAnswers} answers`);
  }
  fitThinking(body, model);
  if (stream || !openWeights.test(model)) return;
  body.enable_thinking = false;
  delete body.thinking_budget;
}

/** The same rules, where everything but the model stands among the parameters. */
function fitParameters(body: JsonObject, call: UpstreamCall): void {
  const flat: JsonObject = { ...asObject(body.parameters), model: body.model ?? '' };
  fitQwen(flat, { ...call, format: 'openai-chat' });
  const { model = '', ...parameters } = flat;
  body.model = model;
  body.parameters = parameters;
}

function fitThinking(body: JsonObject, model: string): void {
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string') return;
  if (byLevel.test(model)) {
    if (effort === 'none') body.enable_thinking ??= false;
    return;
  }
  delete body.reasoning_effort;
  if (always.test(model)) return;
  if (!bySwitch.test(model) && !byBudget.test(model)) return;
  body.enable_thinking ??= effort !== 'none';
  const budget = entryOf(budgets, effort);
  if (budget !== undefined && !bySwitch.test(model)) body.thinking_budget ??= budget;
}
