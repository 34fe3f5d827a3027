/** What the attempts of a request cost the operator, whoever pays for its answer (REQ-7). */
import { attemptCost, costShareOf } from '../domain/attempt-cost.ts';
import { type Charge, type GroupRatio, type ImageSpec, type Price, priceBookOf } from '../domain/pricing.ts';
import type { AttemptEntry } from '../domain/usage-log-facts.ts';
import type { Usage } from '../relay/canonical/usage.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import { namesOn } from './call-template.ts';
import { type Exchange, isFreeOfCharge } from './exchange.ts';
import type { Trail } from './trail.ts';

/** The request whose attempts are priced. */
interface Tried {
  readonly exchange: Exchange;
  readonly trail: Trail;
  readonly admission: { readonly model: string; readonly price: Price };
}

/** What was billed for an answer. */
interface Billed {
  readonly price: Price;
  readonly group: GroupRatio;
  readonly usage: Usage;
  readonly image: ImageSpec | undefined;
  /** Undefined where the client is charged nothing for it. */
  readonly charge: Charge | undefined;
}

const NONE: readonly AttemptEntry[] = [];

/** The cost of the answer: what was billed for it is worked out anew only where the client pays another ratio. */
export function answerCost(channel: ChannelView, { price, group, usage, image, charge }: Billed): number {
  const share = costShareOf(channel);
  if (charge !== undefined && share.ratio === group.ratio) return charge.quota;
  return attemptCost(image === undefined ? { price, share, usage } : { price, share, usage, image });
}

/** Notes in the trail what failed attempts cost whose upstreams had reported usage; returns those that cost anything. */
export function priceFailures(tried: Tried): readonly AttemptEntry[] {
  let costly: AttemptEntry[] | undefined;
  for (const attempt of tried.trail.attempts) {
    if (attempt.status === 200 || attempt.usage === undefined) continue;
    attempt.cost = failureCost(tried, attempt, attempt.usage);
    if (attempt.cost === 0) continue;
    costly ??= [];
    costly.push(attempt);
  }
  return costly ?? NONE;
}

/** At the price under the names of the channel that failed. A price by call is due once any output is known of. */
function failureCost({ exchange, admission }: Tried, attempt: AttemptEntry, usage: Usage): number {
  const { view, endpoint } = exchange;
  const channel = view.channels.get(attempt.channel);
  if (channel === undefined || isFreeOfCharge(endpoint)) return 0;
  const { model } = admission;
  const names = namesOn(channel, model);
  const price =
    priceBookOf(view.options).find(
      { client: model, bare: names?.bare ?? model, upstream: names?.upstream, ending: endpoint.priceEnding },
      { unpriced: false },
    ) ?? admission.price;
  const { image, parts = 0 } = attempt;
  if (price.mode === 'fixed' && usage.completion === 0 && parts === 0) return 0;
  const used = { price, share: costShareOf(channel), usage };
  return attemptCost(image === undefined ? used : { ...used, image });
}
