/** What a model costs a group, in exact dollars (console.md 6.17), and what a call would be charged. */
import type { PriceView } from '../../../daemon/contract/pricing.ts';
import { Decimal } from '../../../daemon/domain/decimal.ts';
import { billOf } from '../../billing/bill.ts';

/** Quota of a dollar at which a model ratio of 1 is $2 a million tokens. */
const usualQuotaPerUnit = 500_000;

const million = Decimal.of(1_000_000);

export interface TokenPrices {
  /** Prompt tokens from which these prices hold; 0 for the ordinary ones. */
  readonly inputOver: number;
  readonly outputOver: number | undefined;
  /** Each as `$2.00`, for a million tokens. */
  readonly prompt: string;
  readonly completion: string;
}

/** What the caller pays for the model in a group: by a rate rule, where one fits, whatever the group. */
export function factorOf({ rate_ratio }: PriceView, groupRatio: number): number {
  return rate_ratio ?? groupRatio;
}

interface TokenRatios {
  readonly model_ratio: number;
  readonly completion_ratio: number;
}

function tokenPrices({ model_ratio, completion_ratio }: TokenRatios, groupRatio: number, quotaPerUnit: number) {
  const perMillion = million.dividedBy(Decimal.of(quotaPerUnit > 0 ? quotaPerUnit : usualQuotaPerUnit), 12);
  const prompt = Decimal.of(model_ratio).times(Decimal.of(groupRatio)).times(perMillion);
  return { prompt, completion: prompt.times(Decimal.of(completion_ratio)) };
}

/** The ordinary prices, then those of long prompts. */
export function pricesByToken(model: PriceView, groupRatio: number, quotaPerUnit: number): readonly TokenPrices[] {
  return [{ ...model, input_over: 0 }, ...(model.tiers ?? [])].map((tier) => {
    const { prompt, completion } = tokenPrices(tier, factorOf(model, groupRatio), quotaPerUnit);
    return {
      inputOver: tier.input_over,
      outputOver: 'output_over' in tier ? tier.output_over : undefined,
      prompt: dollarText(prompt),
      completion: dollarText(completion),
    };
  });
}

export const priceByCall = (model: PriceView, groupRatio: number): string =>
  dollarText(Decimal.of(model.model_price).times(Decimal.of(factorOf(model, groupRatio))));

/** For sorting: dollars a call, or for a million tokens of prompt. */
export function sortedPrice(model: PriceView, groupRatio: number, quotaPerUnit: number): number {
  const factor = factorOf(model, groupRatio);
  return model.quota_type === 1
    ? model.model_price * factor
    : tokenPrices(model, factor, quotaPerUnit).prompt.toNumber();
}

/** `$2.00`, `$0.075`: at least two decimals, without zeros that say nothing. */
export function dollarText(amount: Decimal): string {
  const [whole = '0', decimals = ''] = amount.roundTo(9).toString().split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return `$${grouped}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
}

export interface PlannedCall {
  readonly input: number;
  /** Of the input; never more than it. */
  readonly cached: number;
  readonly output: number;
}

/** Quota that a call would be charged, by the arithmetic that explains the rows of the log. */
export function plannedCharge(model: PriceView, call: PlannedCall, groupRatio: number, quotaPerUnit: number): number {
  const tier = tierOf(model, call);
  const facts = {
    group_ratio: factorOf(model, groupRatio),
    model_price: model.quota_type === 1 ? model.model_price : -1,
    model_ratio: tier.model_ratio,
    completion_ratio: tier.completion_ratio,
    cache_ratio: tier.cache_ratio ?? model.cache_ratio ?? 1,
    cache_tokens: Math.min(call.cached, call.input),
  };
  const row = {
    quota: 0,
    prompt_tokens: call.input,
    completion_tokens: call.output,
    other: JSON.stringify(facts),
  };
  return billOf(row, quotaPerUnit)?.quota ?? 0;
}

/** The highest tier that the call is over, else the model's ordinary ratios. */
function tierOf(model: PriceView, { input, output }: PlannedCall) {
  const over = (model.tiers ?? []).filter((tier) => input > tier.input_over && output > (tier.output_over ?? -1));
  return over.sort((one, other) => other.input_over - one.input_over)[0] ?? model;
}
