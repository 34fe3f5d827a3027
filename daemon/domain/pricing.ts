/**
 * What a call may cost and what it did cost (relay.md 15.4 to 15.6). Exact decimals, rounded once, never negative.
 * Pure: prices come from the options snapshot, usage from the relay.
 */
import type { LongContextTier, OptionsView } from '../contract/options.ts';
import type { ToolImage, ToolName, Usage } from '../relay/canonical/usage.ts';
import { Decimal } from './decimal.ts';
import { type FixedPrice, type GroupRatio, type Price, PriceBook, type TokenPrice } from './price-book.ts';
import { fixedPriceRules } from './price-file.ts';
import type { ImageSpec } from './price-images.ts';
import { countOf, type TokenRates, type TokenRatios } from './price-rates.ts';
import { pricedTools } from './price-tools.ts';

export type { GroupRatio, Price, PriceBook, PriceNames } from './price-book.ts';
export type { ImageSpec } from './price-images.ts';

/** Largest charge of one request; more is cut and flagged. */
export const MAX_CHARGE = 2_147_483_647;
/** Output tokens a choice that the first hold covers: whole answers, and streams, which are extended (D17, D20). */
export const HELD_OUTPUT_TOKENS = { whole: 4096, streamed: 512 } as const;

const CAP = BigInt(MAX_CHARGE);
/** USD that one unit of model ratio costs an image, where a model has a ratio but its upstream reports no usage. */
const USD_PER_IMAGE_AND_RATIO = Decimal.of(0.0025);
const TOKENS_PER_MINUTE = 1000;

export interface ReservationInput {
  readonly price: Price;
  readonly group: GroupRatio;
  /** Counted or estimated prompt tokens; characters for models billed by them. */
  readonly promptTokens: number;
  /** Undefined when the answer has no output tokens (embeddings, moderation, images by piece, ...). */
  readonly output?: {
    readonly mode: 'whole' | 'streamed';
    /** As the client asked; undefined or 0 when it did not. */
    readonly maxTokens?: number | undefined;
    /** `n` of the request. */
    readonly choices: number;
  };
  /** An image request: how many are asked for, and what they look like. */
  readonly images?: ImageSpec & { readonly count: number };
}

export interface ChargeInput {
  readonly price: Price;
  readonly group: GroupRatio;
  readonly usage: Usage;
  /** An image request: what the images look like, by the upstream's word if it gave one. */
  readonly image?: ImageSpec;
}

/** The surcharge for one kind of tool, of images for one look; it has its own log row. */
export interface ToolCharge {
  readonly name: ToolName;
  readonly count: number;
  /** As the option states it: USD for `per` calls or pieces. */
  readonly price: number;
  readonly per: 1 | 1000;
  /** What was made, where its price is that of the table of images. */
  readonly image?: ToolImage;
  readonly quota: number;
}

/** What a request costs, in quota. `quota` is `main` plus the tools, 0 to `MAX_CHARGE`. */
export interface Charge {
  readonly quota: number;
  /** Quota of the main log row. */
  readonly main: number;
  readonly tools: readonly ToolCharge[];
  /** The true amount was larger than `MAX_CHARGE`. */
  readonly saturated: boolean;
  /** The ratios applied, tier included; undefined for a fixed price. */
  readonly ratios: TokenRatios | undefined;
  readonly tier: LongContextTier | undefined;
  /** USD before the group ratio, where it follows from what pictures or searches cost and not from tokens or one price. */
  readonly usd: number | undefined;
}

const books = new WeakMap<OptionsView, PriceBook>();

/** The price book of an options snapshot; built once per snapshot. */
export function priceBookOf(options: OptionsView): PriceBook {
  let book = books.get(options);
  if (!book) {
    book = new PriceBook({
      tables: {
        modelRatio: options.get('ModelRatio'),
        completionRatio: options.get('CompletionRatio'),
        cacheRatio: options.get('CacheRatio'),
        cacheCreationRatio: options.get('CacheCreationRatio'),
        modelPrice: options.get('ModelPrice'),
        audioRatio: options.get('AudioRatio'),
        audioCompletionRatio: options.get('AudioCompletionRatio'),
        imageRatio: options.get('ImageRatio'),
        imageCompletionRatio: options.get('ImageCompletionRatio'),
        groupRatio: options.get('GroupRatio'),
        groupGroupRatio: options.get('GroupGroupRatio'),
        completionRatioRules: options.get('CompletionRatioRules'),
        longContextTiers: options.get('LongContextTiers'),
        toolPrice: options.get('ToolPrice'),
        imagePriceTable: options.get('ImagePriceTable'),
      },
      rules: fixedPriceRules(),
      quotaPerUnit: options.get('QuotaPerUnit'),
      preConsumedQuota: options.get('PreConsumedQuota'),
      version: options.priceVersion,
    });
    books.set(options, book);
  }
  return book;
}

/** True when calls at this price take no hold and need no balance. */
export function isFree(price: Price, group: GroupRatio): boolean {
  if (group.exact.isZero()) return true;
  return price.mode === 'fixed' ? price.exact.isZero() : price.rates.isFree;
}

/** The quota to hold before the call: 0 for free models, else at least 1 and at most `MAX_CHARGE`. */
export function reservationAmount(input: ReservationInput): number {
  if (isFree(input.price, input.group)) return 0;
  const amount =
    input.price.mode === 'fixed' ? fixedReservation(input.price, input) : tokenReservation(input.price, input);
  return clamp(amount < 1n ? 1n : amount);
}

/** The charge for what was used. */
export function computeCharge(input: ChargeInput): Charge {
  const { price, group } = input;
  const rates = price.mode === 'token' ? ratesFor(price, input.usage.prompt, input.usage.completion) : undefined;
  const usd = usdOf(input);
  const cost =
    usd !== undefined
      ? usd.times(price.site.quotaPerUnit)
      : price.mode === 'token'
        ? tokenCost(rates?.rates ?? price.rates, input)
        : price.exact.times(price.site.quotaPerUnit);
  let main = cost.times(group.exact).round();
  const tools = toolCharges(input);
  const total = tools.reduce((sum, tool) => sum + tool.quota, main);
  const metered = countOf(input.usage.prompt) + countOf(input.usage.completion) > 0;
  if (total === 0n && price.mode === 'token' && metered && !isFree(price, group)) {
    main = 1n;
  }
  const rows = cutToCap(main, tools);
  return {
    quota: rows.quota,
    main: rows.main,
    tools: rows.tools,
    saturated: total > CAP,
    ratios: rates?.rates.ratios,
    tier: rates?.tier,
    usd: usd?.toNumber(),
  };
}

/** What a running request would be charged if it ended now; compared with the hold on every event with output. */
export function runningCost(input: ChargeInput): number {
  return computeCharge(input).quota;
}

/** Quota to add to a hold that output has used up: up to the running cost plus a tenth, at least 5000 (15.8). */
export function extensionAmount(input: { readonly running: number; readonly held: number }): number {
  return input.running + Math.max(Math.ceil(input.running / 10), 5000) - input.held;
}

/** The output tokens of one further slice of a stream cost this much quota: the least extension worth asking for (D20). */
export function sliceAmount(input: Pick<ReservationInput, 'price' | 'group'>): number {
  if (input.price.mode === 'fixed') return 0;
  const { model, completion } = input.price.rates;
  return clamp(model.times(completion).times(input.group.exact).timesInteger(HELD_OUTPUT_TOKENS.streamed).ceil());
}

/** Tokens of audio billed by its length: whole seconds, 1000 tokens a minute, rounded half up (5.8). */
export function durationTokens(seconds: number): number {
  return Math.round((countOf(Math.ceil(seconds)) * TOKENS_PER_MINUTE) / 60);
}

function tokenReservation(price: TokenPrice, input: ReservationInput): bigint {
  const { group, output } = input;
  if (input.images) {
    return imageUsd(price, input.images, 'hold').times(price.site.quotaPerUnit).times(group.exact).round();
  }
  const cap = output ? HELD_OUTPUT_TOKENS[output.mode] : 0;
  const perChoice = output?.maxTokens && output.maxTokens > 0 ? Math.min(output.maxTokens, cap) : cap;
  const held = countOf(perChoice) * Math.max(1, countOf(output?.choices));
  const prompt = Math.max(countOf(input.promptTokens), price.site.preConsumedQuota);
  const { rates } = ratesFor(price, input.promptTokens, held);
  const tokens = rates.completion.timesInteger(held).plus(Decimal.ONE.timesInteger(prompt));
  return tokens.times(rates.model).times(group.exact).ceil();
}

function fixedReservation(price: FixedPrice, input: ReservationInput): bigint {
  const usd = input.images
    ? price.site.images
        .price(price.billingModel, price.exact, input.images, 'hold')
        .timesInteger(countOf(input.images.count))
    : price.exact;
  return usd.times(price.site.quotaPerUnit).times(input.group.exact).round();
}

/** USD of what is billed by pictures or searches; undefined for what is billed by tokens or at one price. */
function usdOf({ price, usage, image }: ChargeInput): Decimal | undefined {
  const { units } = usage;
  const images = image && { ...image, count: countOf(units.images) };
  if (price.mode === 'token') {
    const isByUnit = units.characters !== undefined || units.seconds !== undefined;
    return images === undefined || isByUnit || isMetered(usage) ? undefined : imageUsd(price, images, 'bill');
  }
  if (images) {
    return price.site.images.price(price.billingModel, price.exact, images, 'bill').timesInteger(images.count);
  }
  const searches = countOf(units.searchUnits);
  return searches > 1 ? price.exact.timesInteger(searches) : undefined;
}

/** Quota before the group ratio. */
function tokenCost(rates: TokenRates, { usage }: ChargeInput): Decimal {
  const { characters, seconds } = usage.units;
  if (characters !== undefined) return rates.model.timesInteger(countOf(characters));
  if (seconds !== undefined) return rates.model.timesInteger(countOf(usage.prompt) || durationTokens(seconds));
  return rates.cost(usage);
}

function isMetered(usage: Usage): boolean {
  return usage.source !== 'estimated' && countOf(usage.prompt) + countOf(usage.completion) > 0;
}

/** USD of images by a model that has only a ratio, where the upstream reports no usage. */
function imageUsd(price: TokenPrice, images: ImageSpec & { count: number }, purpose: 'hold' | 'bill'): Decimal {
  const base = USD_PER_IMAGE_AND_RATIO.times(price.rates.model);
  return price.site.images.price(price.billingModel, base, images, purpose).timesInteger(countOf(images.count));
}

/** The last tier that the prompt (and where it says so, the answer) exceeds; else the price's own rates. */
function ratesFor(price: TokenPrice, prompt: number, completion: number) {
  const found = price.tiers.findLast(
    ({ tier }) => prompt > tier.input_over && (tier.output_over === undefined || completion > tier.output_over),
  );
  return { rates: found?.rates ?? price.rates, tier: found?.tier };
}

interface ExactToolCharge extends Omit<ToolCharge, 'quota'> {
  readonly quota: bigint;
}

function toolCharges({ price, group, usage }: ChargeInput): ExactToolCharge[] {
  return pricedTools(price.site, price.billingModel, usage.tools).map(({ usd, each, ...tool }) => {
    const exact = each.timesInteger(tool.count).times(price.site.quotaPerUnit).times(group.exact);
    return { ...tool, price: usd, quota: exact.roundTo(6).round() };
  });
}

/** Rows whose sum stays within `MAX_CHARGE`: the main row first, then each tool takes what is left. */
function cutToCap(main: bigint, tools: readonly ExactToolCharge[]): Pick<Charge, 'quota' | 'main' | 'tools'> {
  const mainQuota = clamp(main);
  let quota = mainQuota;
  const rows = tools.map((tool) => {
    const left = MAX_CHARGE - quota;
    const share = tool.quota > BigInt(left) ? left : Number(tool.quota);
    quota += share;
    return { ...tool, quota: share };
  });
  return { quota, main: mainQuota, tools: rows };
}

function clamp(amount: bigint): number {
  if (amount <= 0n) return 0;
  return amount > CAP ? MAX_CHARGE : Number(amount);
}
