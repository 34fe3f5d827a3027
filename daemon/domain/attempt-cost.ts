/**
 * What an attempt costs the operator (REQ-7): the list price of what it used, times the part of it that the operator pays
 * on its channel. Exact as charges are, and rounded as they are.
 */
import { Decimal } from './decimal.ts';
import { type ChargeInput, computeCharge, type GroupRatio } from './pricing.ts';

const LIST_PRICE: GroupRatio = { ratio: 1, exact: Decimal.ONE, missing: false };

/** The part of the list price that the operator pays on a channel, by its setting `cost_ratio`: in a group ratio's place. */
export function costShareOf({ setting }: { readonly setting: Readonly<Record<string, unknown>> }): GroupRatio {
  const ratio = setting.cost_ratio;
  if (typeof ratio !== 'number' || !Number.isFinite(ratio) || ratio < 0 || ratio === 1) return LIST_PRICE;
  return { ratio, exact: Decimal.of(ratio), missing: false };
}

/** Whole quota units. A price by call is due once something came. */
export function attemptCost(input: Omit<ChargeInput, 'group'> & { readonly share: GroupRatio }): number {
  const { share, ...used } = input;
  return computeCharge({ ...used, group: share }).quota;
}
