/** What the orders of a filter come to, by currency: money of different currencies is never added. */
import type { TopUpSum } from '../store/top-ups.ts';
import { Decimal } from './decimal.ts';

export interface OrderFigures {
  readonly count: number;
  readonly amount: number;
  readonly quota: number;
  /** Exact decimal. */
  readonly money: string;
}

export interface OrderTotal {
  readonly currency: string;
  readonly all: OrderFigures;
  /** Those that were credited. */
  readonly paid: OrderFigures;
}

/** In the order in which the currencies come. */
export function totalsOf(sums: readonly TopUpSum[]): OrderTotal[] {
  return [...new Set(sums.map(({ currency }) => currency))].map((currency) => {
    const own = sums.filter((sum) => sum.currency === currency);
    return { currency, all: together(own), paid: together(own.filter(({ status }) => status === 'success')) };
  });
}

function together(sums: readonly TopUpSum[]): OrderFigures {
  const add = (figure: 'count' | 'amount' | 'quota') => sums.reduce((total, sum) => total + sum[figure], 0);
  const millionths = sums.reduce((total, sum) => total + sum.millionths, 0n);
  return { count: add('count'), amount: add('amount'), quota: add('quota'), money: moneyText(millionths) };
}

/** Two decimals, and more only where there are any. */
function moneyText(millionths: bigint): string {
  const exact = new Decimal(millionths, 6);
  const short = exact.roundTo(2);
  return (exact.isGreaterThan(short) || short.isGreaterThan(exact) ? exact : short).toString();
}
