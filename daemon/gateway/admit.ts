/**
 * Step 4: may this request run, and what is held for it (relay.md 1.1 steps 6 to 13).
 */

import type { OptionsView } from '../contract/options.ts';
import type { ChannelPick } from '../domain/channel-selection.ts';
import {
  type GroupRatio,
  type ImageSpec,
  type Price,
  type PriceBook,
  priceBookOf,
  reservationAmount,
} from '../domain/pricing.ts';
import { type RateRule, rateTableOf } from '../domain/rate-rules.ts';
import { TollgateError } from '../errors.ts';
import type { Capability } from '../relay/format.ts';
import { audioTokens } from '../relay/formats/openai-transcription/usage.ts';
import type { Json } from '../relay/json.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import type { Caller } from './authenticate.ts';
import { type Exchange, isFreeOfCharge } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import { bareOn, isPayable, listedPrice } from './listed-price.ts';
import { acceptsUnpriced } from './model-list.ts';
import type { PromptCounter } from './prompt-counter.ts';
import type { Route, Router } from './route.ts';

/** What admission decided; the facts that hold and charge share. */
export interface Admission {
  readonly route: Route;
  /** The name to route by. */
  readonly model: string;
  readonly book: PriceBook;
  /** Price of the hold; the charge uses the chosen channel's names. */
  readonly price: Price;
  readonly group: GroupRatio;
  /** Stands for the ratio of whatever group serves; undefined where no rule fits. */
  readonly rate: RateRule | undefined;
  /** Estimate that the hold covers. */
  readonly promptTokens: number;
  /** Quota to take before the call; 0 for free models. */
  readonly held: number;
}

/** A place in the rate windows, given back when the request fails (relay.md 17.5). */
export interface LimitTicket {
  /** `X-RateLimit-*` headers for the answer, names and values. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Requests left in the tightest window. */
  readonly remaining: number;
  /** Tells how the request ended; a failure gives the success slot back. */
  finish(outcome: 'success' | 'failure' | 'refused'): void;
}

/** The request limits of this installation. Throws `rate_limited:*` with a retry time. */
export interface RequestLimits {
  take(exchange: Exchange, caller: Caller): LimitTicket | undefined | Promise<LimitTicket | undefined>;
  /** Of a question that an upstream is asked, and nobody pays for. */
  takeQuestion(exchange: Exchange, caller: Caller): LimitTicket | undefined | Promise<LimitTicket | undefined>;
}

/** Words that may not be sent. Throws `sensitive_words_detected`. */
export interface WordFilter {
  check(exchange: Exchange, inspection: Inspection): void | Promise<void>;
  close(): Promise<void>;
}

export interface AdmitDeps {
  readonly router: Router;
  readonly words: WordFilter;
  readonly prompts: PromptCounter;
  /** Told once, while prices stay as they are, of a group that calls are made in and that has no ratio. */
  readonly groupWithoutRatio: (group: string) => void;
}

/** Refusals that need no body (relay.md 17.8). */
export function refuseBrowserExtensions({ request, view }: Exchange): void {
  refuseExtensionOrigin(request.headers.origin, view.options);
}

/** Throws `browser_extension_blocked` for the `Origin` of an extension where the operator wants that. */
export function refuseExtensionOrigin(origin: string | undefined, options: OptionsView): void {
  if (origin === undefined || !origin.includes('extension') || !origin.includes('://')) return;
  if (options.get('global.block_browser_extension_enabled')) throw new TollgateError('browser_extension_blocked');
}

/**
 * Finds the model's channels and price and works out what must be held; `hold` then takes it. Throws the codes of
 * relay.md 4.1 for models and prices. A promise only where something must be looked up elsewhere.
 */
export function admit(
  deps: AdmitDeps,
  exchange: Exchange,
  request: { caller: Caller; inspection: Inspection; origin?: ChannelPick | undefined; isFree?: boolean },
): Admission | Promise<Admission> {
  const { caller, inspection, origin, isFree = false } = request;
  if (caller.allowedModels !== undefined && !caller.allowedModels.has(inspection.model)) {
    throw new TollgateError('model_not_allowed', { model: inspection.model }, { field: 'model' });
  }
  // Work that goes on needs no stand-in: it has a channel, whatever that offers.
  const model = origin === undefined ? routedModel(exchange.view, inspection.model) : inspection.model;
  const opening = deps.router.open({ exchange, caller, inspection, model, origin });
  // One after the other: a prompt refused at once would leave a look-up behind whose failure nobody hears.
  const goOn = (route: Route): Admission | Promise<Admission> => {
    const checking = deps.words.check(exchange, inspection);
    const price = () => priced(deps, exchange, { caller, inspection, model, route, isFree });
    return checking instanceof Promise ? checking.then(price) : price();
  };
  return opening instanceof Promise ? opening.then(goOn) : goOn(opening);
}

function priced(
  deps: AdmitDeps,
  exchange: Exchange,
  asked: { caller: Caller; inspection: Inspection; model: string; route: Route; isFree: boolean },
): Admission {
  const { caller, inspection, model, route, isFree } = asked;
  const book = priceBookOf(exchange.view.options);
  const price = isFree ? book.free(model) : priceOf(exchange, { caller, model, book, route });
  const rate = rateOf(exchange.view, caller, model);
  const group = rate ?? book.groupRatio(caller.user.group, route.firstGroup);
  tellOfMissing(deps, group, route.firstGroup);
  const promptTokens = promptOf(deps, exchange, { inspection, price });
  const free = isFreeOfCharge(exchange.endpoint);
  const held = free ? 0 : reservationAmount({ price, group, promptTokens, ...outputOf(exchange, inspection) });
  return { route, model, book, price, group, rate, promptTokens, held };
}

/** Ratios that are missing and were told of: each lives as long as its book of prices. */
const told = new WeakSet<GroupRatio>();

/** Tells of a group that serves and has no ratio. */
export function tellOfMissing(deps: Pick<AdmitDeps, 'groupWithoutRatio'>, ratio: GroupRatio, group: string): void {
  if (!ratio.missing || told.has(ratio)) return;
  told.add(ratio);
  deps.groupWithoutRatio(group);
}

/** The rate rule of calls of this model by this caller. */
function rateOf(
  { rateRules }: Pick<Snapshot, 'rateRules'>,
  { user, token }: Pick<Caller, 'user' | 'token'>,
  model: string,
): RateRule | undefined {
  if (rateRules === undefined) return undefined;
  return rateTableOf(rateRules).find({ tokenId: token?.id, userId: user.id, userGroup: user.group, model });
}

/** The factor of the request while this group serves it: of its rate rule if it has one. */
export function ratioIn({ rate, book }: Pick<Admission, 'rate' | 'book'>, caller: Caller, group: string): GroupRatio {
  return rate ?? book.groupRatio(caller.user.group, group);
}

/** Who pays a hold of this request. */
export function holdOf(exchange: Exchange, caller: Caller, hold: { amount: number; group: string }) {
  return {
    requestId: exchange.id,
    userId: caller.user.id,
    tokenId: caller.token?.id ?? 0,
    tokenLimited: isTokenLimited(caller),
    amount: hold.amount,
    group: hold.group,
  };
}

/** True when the key's own remaining quota is held and charged too. */
export function isTokenLimited(caller: Caller): boolean {
  return caller.token !== undefined && !caller.token.unlimitedQuota;
}

/** What user and key may spend, as last known. */
export function balanceOf({ user, token }: Caller): number {
  return token === undefined || token.unlimitedQuota ? user.quota : Math.min(user.quota, token.remainQuota);
}

/** A model that nobody offers may have a stand-in (C34). */
export function routedModel(view: Snapshot, model: string): string {
  const aliases = view.options.get('ModelFallbackAlias');
  if (view.channels.offers(model)) return model;
  if (Object.hasOwn(aliases, model)) return aliases[model] ?? model;
  return Object.hasOwn(aliases, '*') ? (aliases['*'] ?? model) : model;
}

/** Calls that are answered in tokens of output. */
const SPOKEN: ReadonlySet<Capability> = new Set(['chat', 'completions', 'edits', 'realtime', 'responses-compact']);

/** Calls that are answered in images. */
const DRAWN: ReadonlySet<Capability> = new Set(['images', 'image-edits', 'image-variations']);

/** The part of a hold that covers output; nothing for answers without output tokens. */
export function outputOf(exchange: Exchange, inspection: Inspection) {
  const { capability } = exchange.endpoint;
  if (DRAWN.has(capability)) return { images: imagesOf(inspection) };
  if (!SPOKEN.has(capability)) return {};
  const mode: 'streamed' | 'whole' = inspection.stream ? 'streamed' : 'whole';
  return { output: { mode, maxTokens: inspection.maxTokens, choices: inspection.choices } };
}

/** What is read: audio by its length, text for some voices by its characters, all else by its tokens. */
function promptOf(deps: AdmitDeps, { endpoint }: Exchange, asked: { inspection: Inspection; price: Price }): number {
  const { inspection, price } = asked;
  if (inspection.audio !== undefined) return audioTokens(inspection.audio.seconds);
  if (endpoint.capability === 'speech' && price.billingModel.startsWith('tts')) {
    return typeof inspection.json.input === 'string' ? [...inspection.json.input].length : 0;
  }
  return deps.prompts.estimate(endpoint.format, inspection, price);
}

/** What images are held for, as the client describes them. */
function imagesOf({ choices, json }: Inspection): ImageSpec & { readonly count: number } {
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
  return { count: choices, size: text(json.size), quality: text(json.quality) };
}

/** The price under the names that are known before a channel is chosen, else under those of the first that has one. */
function priceOf(exchange: Exchange, asked: { caller: Caller; model: string; book: PriceBook; route: Route }): Price {
  const { caller, model, book, route } = asked;
  const candidates = route.candidatesOf(route.firstGroup);
  const { priceEnding } = exchange.endpoint;
  const price = listedPrice(book, { model, priceEnding }, candidates);
  if (price !== undefined && isPayable(price, exchange.endpoint)) return price;
  const bare = bareOn(candidates, model);
  const fallback =
    isFreeOfCharge(exchange.endpoint) || acceptsUnpriced(exchange.view, caller, exchange.endpoint)
      ? book.find({ client: model, bare }, { unpriced: true })
      : undefined;
  if (fallback === undefined) throw new TollgateError('model_not_priced', { model }, { field: 'model' });
  return fallback;
}
