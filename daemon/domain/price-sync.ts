/**
 * Taking prices over from a list that others publish (REQ-20): what would change, within the limits that the operator
 * sets, and all of it or nothing. Never removes an entry, never turns a price by token into one by call or back.
 */
import { RE2JS } from 're2js';
import type { OptionKey, OptionsView, OptionValue, OptionValues } from '../contract/options.ts';
import { priceMaps } from '../contract/price-options.ts';
import { TollgateError } from '../errors.ts';
import type { Actor } from './actor.ts';
import type { OptionService } from './options.ts';
import { changedMaps, changesOf, type PriceChange } from './price-edits.ts';
import { type PriceSource, readPriceSource, type SourceFigures } from './price-sources.ts';
import { type Price, priceBookOf } from './pricing.ts';

export interface PriceSyncWish {
  /** Where the list is, or the list itself. */
  readonly from: { readonly url: string } | { readonly content: unknown };
  /** Patterns of names, with `*` and `?`; none means all. */
  readonly only: readonly string[];
  readonly except: readonly string[];
  /** Largest rise of any price of a model, in percent; undefined for any. */
  readonly maxRise: number | undefined;
  /** What becomes of models that have no entry yet. */
  readonly newModels: 'add' | 'skip';
  readonly note: string;
}

/** What is not taken over of a model. */
export interface LeftOut {
  readonly name: string;
  /**
   * `kind`: one side is by token and the other by call. `new`: it has no entry yet. `unread`: a figure of it is no price;
   * the others are taken over.
   */
  readonly reason: 'kind' | 'new' | 'unread';
}

export interface PriceSyncPlan {
  readonly format: PriceSource['format'];
  /** Models with a price in the list. */
  readonly listed: number;
  readonly changes: readonly PriceChange[];
  readonly leftOut: readonly LeftOut[];
  /** Models of the changes that become dearer than the limit allows, with their rise in percent; from 0 it is endless. */
  readonly over: readonly { readonly name: string; readonly rise: number }[];
}

export interface PriceSyncDeps {
  readonly options: Pick<OptionService, 'edit'>;
  readonly current: () => OptionsView;
  /** The text at an address, through the egress guard. Rejects when there is none; the reason is for operators. */
  readonly fetchText: (url: string) => Promise<string>;
}

/** Nobody has as many; and one save must not fill a database. */
const mostListed = 20_000;
const toldModels = 10;

export class PriceSync {
  readonly #deps: PriceSyncDeps;

  constructor(deps: PriceSyncDeps) {
    this.#deps = deps;
  }

  /** What a sync would do now. Throws `price_source_failed`, `price_source_unknown`. */
  async plan(wish: PriceSyncWish): Promise<PriceSyncPlan> {
    return planOf(await this.#read(wish), wish, this.#deps.current());
  }

  /**
   * Does it, from the prices of that moment. Throws `price_source_failed`, `price_source_unknown`, `price_rise_exceeded`.
   */
  async apply(actor: Actor, wish: PriceSyncWish): Promise<{ plan: PriceSyncPlan; version: number | undefined }> {
    const source = await this.#read(wish);
    let plan = planOf(source, wish, this.#deps.current());
    const version = await this.#deps.options.edit(actor, priceMaps, {
      version: { cause: 'sync', note: wish.note },
      change: (now) => {
        plan = planOf(source, wish, now);
        refuseRise(plan, wish);
        return changedMaps(plan.changes, now);
      },
    });
    return { plan, version };
  }

  async #read({ from }: PriceSyncWish): Promise<PriceSource> {
    const source = readPriceSource('url' in from ? await this.#fetch(from.url) : from.content);
    if (source && source.models.size <= mostListed) return source;
    throw new TollgateError('price_source_unknown', {}, { field: 'url' in from ? 'url' : 'content' });
  }

  async #fetch(url: string): Promise<unknown> {
    let text: string;
    try {
      text = await this.#deps.fetchText(url);
    } catch (cause) {
      throw new TollgateError('price_source_failed', {}, { field: 'url', cause });
    }
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new TollgateError('price_source_unknown', {}, { field: 'url', cause });
    }
  }
}

function refuseRise({ over }: PriceSyncPlan, { maxRise = 0 }: PriceSyncWish): void {
  if (over.length === 0) return;
  const names = over.slice(0, toldModels).map(({ name }) => name);
  throw new TollgateError(
    'price_rise_exceeded',
    {
      percent: maxRise,
      count: over.length,
      models: names.join(', ') + (over.length > toldModels ? ', …' : ''),
    },
    { field: 'max_rise' },
  );
}

function planOf({ format, models, unread }: PriceSource, wish: PriceSyncWish, now: OptionsView): PriceSyncPlan {
  const only = wish.only.map(patternOf);
  const except = wish.except.map(patternOf);
  const isWanted = (name: string) =>
    (only.length === 0 || only.some((pattern) => pattern.matches(name))) &&
    !except.some((pattern) => pattern.matches(name));
  const changes: PriceChange[] = [];
  const leftOut: LeftOut[] = [...unread]
    .filter(isWanted)
    .sort()
    .map((name) => ({ name, reason: 'unread' }));
  for (const [name, figures] of [...models].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (!isWanted(name)) continue;
    const before = priceOf(now, name);
    const isByCall = figures.ModelPrice !== undefined;
    const wished = isByCall ? { ModelPrice: figures.ModelPrice } : figures;
    const differing = changesOf(name, without(wished, before), now);
    if (differing.length === 0) continue;
    const isNew = !Object.hasOwn(now.get('ModelRatio'), name) && !Object.hasOwn(now.get('ModelPrice'), name);
    if (before && (before.mode === 'fixed') !== isByCall) leftOut.push({ name, reason: 'kind' });
    else if (isNew && wish.newModels === 'skip') leftOut.push({ name, reason: 'new' });
    else changes.push(...(isNew ? changesOf(name, wished, now) : differing));
  }
  const whole = withFollowing(changes, models, now);
  return { format, listed: models.size, changes: whole, leftOut, over: risesOver(whole, wish.maxRise, now) };
}

/** Some ratios follow others while they have no entry: what would follow away from the list is written down as well. */
function withFollowing(
  changes: readonly PriceChange[],
  models: ReadonlyMap<string, SourceFigures>,
  now: OptionsView,
): PriceChange[] {
  const next = overlaid(now, changedMaps(changes, now));
  return [...new Set(changes.map(({ name }) => name))].flatMap((name) => {
    const figures = models.get(name);
    const price = priceOf(next, name);
    const following = !figures || price?.mode !== 'token' ? [] : changesOf(name, without(figures, price), next);
    return [...changes.filter((change) => change.name === name), ...following];
  });
}

function overlaid(options: OptionsView, values: OptionValues): OptionsView {
  return {
    get<K extends OptionKey>(key: K): OptionValue<K> {
      return values[key] ?? options.get(key);
    },
  };
}

/** Figures without those that are in force already by a rule or default: writing them down would change nothing. */
function without(figures: SourceFigures, inForceBy: Price | undefined): SourceFigures {
  const ratios = inForceBy?.mode === 'token' ? inForceBy.rates.ratios : undefined;
  if (!ratios) return figures;
  const inForce: SourceFigures = {
    ModelRatio: ratios.model,
    CompletionRatio: ratios.completion,
    CacheRatio: ratios.cache,
    CacheCreationRatio: ratios.cacheCreation,
    AudioRatio: ratios.audio,
    AudioCompletionRatio: ratios.audioCompletion,
    ImageRatio: ratios.image,
    ImageCompletionRatio: ratios.imageCompletion,
  };
  return Object.fromEntries(priceMaps.flatMap((map) => (figures[map] === inForce[map] ? [] : [[map, figures[map]]])));
}

/** Models that these changes turn from a price by token into one by call, or back. */
export function kindFlipsOf(changes: readonly PriceChange[], now: OptionsView): string[] {
  const next = overlaid(now, changedMaps(changes, now));
  return [...new Set(changes.map(({ name }) => name))].filter((name) => {
    const [before, after] = [priceOf(now, name), priceOf(next, name)];
    return before !== undefined && after !== undefined && before.mode !== after.mode;
  });
}

/** Models that become dearer than that, by any of their prices: of prompts, answers, cached tokens, sounds, pictures. */
export function risesOver(
  changes: readonly PriceChange[],
  maxRise: number | undefined,
  now: OptionsView,
): PriceSyncPlan['over'] {
  if (maxRise === undefined) return [];
  const next = overlaid(now, changedMaps(changes, now));
  return [...new Set(changes.map(({ name }) => name))].flatMap((name) => {
    const [before, after] = [priceOf(now, name), priceOf(next, name)];
    if (!before || !after) return [];
    const old = pricesOf(before);
    const rise = Math.max(...pricesOf(after).map((price, at) => riseOf(old[at] ?? 0, price)));
    return rise > maxRise ? [{ name, rise }] : [];
  });
}

/** Percent, to a millionth: what binary fractions add is no rise. */
function riseOf(before: number, after: number): number {
  if (after <= before) return 0;
  return before === 0 ? Number.MAX_SAFE_INTEGER : Math.round((after / before - 1) * 1e8) / 1e6;
}

function pricesOf(price: Price): readonly number[] {
  if (price.mode === 'fixed') return [price.price];
  const { model, completion, cache, cacheCreation, audio, audioCompletion, image, imageCompletion } =
    price.rates.ratios;
  const weights = [1, completion, cache, cacheCreation, audio, audio * audioCompletion, image, imageCompletion];
  return weights.map((weight) => weight * model);
}

function priceOf(options: OptionsView, name: string): Price | undefined {
  return priceBookOf(options).find({ client: name, bare: name }, { unpriced: false });
}

/** `*` stands for anything, `?` for one character; run by an engine of linear time. */
function patternOf(pattern: string): RE2JS {
  const source = RE2JS.quote(pattern).replaceAll('\\*', '.*').replaceAll('\\?', '.');
  return RE2JS.compile(`^${source}$`, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
}
