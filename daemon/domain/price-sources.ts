/**
 * Lists of prices that others publish, read as figures of the price maps. Pure; what a list says and the maps cannot hold
 * is left out, and its model is named.
 */
import { type PriceMapKey, priceMaps } from '../contract/price-options.ts';
import type { PriceSyncView } from '../contract/price-work.ts';

/** What a list says of a model; figures that it does not name are absent. */
export type SourceFigures = { readonly [Key in PriceMapKey]?: number };

export interface PriceSource {
  readonly format: PriceSyncView['format'];
  /** Models with a price, as the list names them. */
  readonly models: ReadonlyMap<string, SourceFigures>;
  /** Models with a figure that is none that the maps hold: text, negative, too large. */
  readonly unread: ReadonlySet<string>;
}

type Json = Readonly<Record<string, unknown>>;

/** USD per token at which the model ratio is 1: $2 a million. */
const usdPerTokenAndRatio = 2 / 1_000_000;
const largestFigure = 1_000_000;

/** Undefined for what is none of the lists that are known. */
export function readPriceSource(content: unknown): PriceSource | undefined {
  const whole = membersOf(content);
  if (!whole) return undefined;
  // This family's export stands in an envelope.
  const ratios = [whole, membersOf(whole.data)].find(
    (one) => one && (hasMap(one, 'model_ratio') || hasMap(one, 'model_price')),
  );
  const unread = new Set<string>();
  if (ratios) return { format: 'ratios', models: readRatios(ratios, unread), unread };
  if (Array.isArray(whole.data)) return { format: 'openrouter', models: readOpenRouter(whole.data, unread), unread };
  const models = readLiteLlm(whole, unread);
  return models.size === 0 ? undefined : { format: 'litellm', models, unread };
}

/** Names of the maps in this project's price file, and where the family's export has another. */
const mapNames: Readonly<Record<PriceMapKey, readonly string[]>> = {
  ModelRatio: ['model_ratio'],
  CompletionRatio: ['completion_ratio'],
  CacheRatio: ['cache_ratio'],
  CacheCreationRatio: ['cache_creation_ratio', 'create_cache_ratio'],
  AudioRatio: ['audio_ratio'],
  AudioCompletionRatio: ['audio_completion_ratio'],
  ImageRatio: ['image_ratio'],
  ImageCompletionRatio: ['image_completion_ratio'],
  ModelPrice: ['model_price'],
};

function readRatios(whole: Json, unread: Set<string>): Map<string, SourceFigures> {
  const models = new Map<string, { [Key in PriceMapKey]?: number }>();
  for (const map of priceMaps) {
    const found = mapNames[map].map((name) => membersOf(whole[name])).find((members) => members !== undefined);
    for (const [name, value] of Object.entries(found ?? {})) {
      const figure = told(value, name, unread);
      if (figure === undefined) continue;
      const figures = models.get(name) ?? {};
      figures[map] = figure;
      models.set(name, figures);
    }
  }
  return priced(models);
}

/**
 * LiteLLM's `model_prices_and_context_window.json`: USD a token by model.
 * Source: docs.litellm.ai/docs/provider_registration/add_model_pricing, read 2026-11. Prices of long prompts, of tools
 * and by the second are left out.
 */
function readLiteLlm(whole: Json, unread: Set<string>): Map<string, SourceFigures> {
  const models = new Map<string, SourceFigures>();
  for (const [name, value] of Object.entries(whole)) {
    const entry = membersOf(value);
    if (!entry || name === 'sample_spec' || typeof entry.litellm_provider !== 'string') continue;
    const isSpoken = entry.mode === undefined || ['chat', 'completion', 'responses'].includes(String(entry.mode));
    const of = (member: string) => told(entry[member], name, unread);
    const output = of('output_cost_per_token');
    models.set(
      name,
      ratiosOf(
        {
          input: of('input_cost_per_token'),
          // Embeddings and their like have no output, and say that it costs nothing.
          output: output === 0 && !isSpoken ? undefined : output,
          cacheRead: of('cache_read_input_token_cost'),
          cacheWrite: of('cache_creation_input_token_cost'),
          audioInput: of('input_cost_per_audio_token'),
          audioOutput: of('output_cost_per_audio_token'),
          imageInput: of('input_cost_per_image_token'),
          imageOutput: of('output_cost_per_image_token'),
          perCall: entry.mode === 'image_generation' ? of('output_cost_per_image') : undefined,
        },
        name,
        unread,
      ),
    );
  }
  return priced(models);
}

/**
 * OpenRouter's `GET /api/v1/models`: USD a token as text; a price that varies is negative.
 * Source: openrouter.ai/docs, "Pricing" of a model, read 2026-11.
 */
function readOpenRouter(list: readonly unknown[], unread: Set<string>): Map<string, SourceFigures> {
  const models = new Map<string, SourceFigures>();
  for (const item of list) {
    const entry = membersOf(item);
    const pricing = membersOf(entry?.pricing);
    if (!entry || !pricing || typeof entry.id !== 'string') continue;
    const { id } = entry;
    const of = (name: string) => {
      const value = pricing[name];
      return told(typeof value === 'string' ? Number(value) : value, id, unread);
    };
    models.set(
      id,
      ratiosOf(
        {
          input: of('prompt'),
          output: of('completion'),
          cacheRead: of('input_cache_read'),
          cacheWrite: of('input_cache_write'),
          audioInput: of('audio'),
          audioOutput: of('audio_output'),
          imageInput: undefined,
          imageOutput: undefined,
          perCall: undefined,
        },
        id,
        unread,
      ),
    );
  }
  return priced(models);
}

/** USD a token, or a call; undefined where a list says nothing. */
interface Costs {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly audioInput: number | undefined;
  readonly audioOutput: number | undefined;
  readonly imageInput: number | undefined;
  readonly imageOutput: number | undefined;
  readonly perCall: number | undefined;
}

/**
 * Costs as ratios. Without a price of the prompt nothing can be said by token; and a price of 0 for all of it is how
 * lists say that they do not know, so that nothing becomes free by it.
 */
function ratiosOf(costs: Costs, name: string, unread: Set<string>): SourceFigures {
  const { input, perCall } = costs;
  if (input === undefined || input === 0) return perCall === undefined || perCall === 0 ? {} : { ModelPrice: perCall };
  const over = (cost: number | undefined, base: number | undefined = input) =>
    cost === undefined || base === undefined || base === 0 ? undefined : rounded(cost / base);
  const ratios: Readonly<Partial<Record<PriceMapKey, number | undefined>>> = {
    ModelRatio: rounded(input / usdPerTokenAndRatio),
    CompletionRatio: over(costs.output),
    CacheRatio: over(costs.cacheRead),
    CacheCreationRatio: over(costs.cacheWrite),
    AudioRatio: over(costs.audioInput),
    AudioCompletionRatio: over(costs.audioOutput, costs.audioInput),
    ImageRatio: over(costs.imageInput),
    ImageCompletionRatio: over(costs.imageOutput),
  };
  const found: { [Key in PriceMapKey]?: number } = {};
  for (const map of priceMaps) {
    const figure = told(ratios[map], name, unread);
    if (figure !== undefined) found[map] = figure;
  }
  return found;
}

/** Those with a price, not only with ratios to one. */
function priced(models: ReadonlyMap<string, SourceFigures>): Map<string, SourceFigures> {
  return new Map(
    [...models].filter(([, { ModelRatio, ModelPrice }]) => ModelRatio !== undefined || ModelPrice !== undefined),
  );
}

/** Without the digits that binary fractions add to a quotient. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

/** A price or ratio; undefined for anything that the price maps would refuse. */
function figureOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= largestFigure ? value : undefined;
}

/** As `figureOf`; a model that loses a figure by it is noted. */
function told(value: unknown, name: string, unread: Set<string>): number | undefined {
  const figure = figureOf(value);
  if (figure === undefined && value !== undefined && value !== null) unread.add(name);
  return figure;
}

function membersOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function hasMap(whole: Json, name: string): boolean {
  return membersOf(whole[name]) !== undefined;
}
