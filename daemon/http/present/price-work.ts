/** Versions of prices, synchronised lists, and past charges by other prices on the wire. */
import type {
  PriceDifferenceView,
  PriceRerateView,
  PriceSyncView,
  PriceVersionView,
} from '../../contract/price-work.ts';
import type { PriceVersion } from '../../domain/price-history.ts';
import type { RerateReport } from '../../domain/price-rerate.ts';
import type { PriceSyncPlan } from '../../domain/price-sync.ts';
import type { PriceDifference } from '../../domain/price-versions.ts';
import { presentPriceChange } from './prices.ts';

export function presentPriceVersion(record: PriceVersion): PriceVersionView {
  const { id, before, createdAt, actorName, cause, note, models, modelCount } = record;
  const names: unknown = JSON.parse(models);
  return {
    version: id,
    before,
    created_at: createdAt,
    created_by: actorName,
    cause,
    note,
    models: Array.isArray(names) ? names.map(String) : [],
    model_count: modelCount,
  };
}

export function presentPriceDifference({ option, name, before, after }: PriceDifference): PriceDifferenceView {
  return { option, name, old: before ?? null, new: after ?? null };
}

/** @param version made by it; undefined while nothing is changed */
export function presentPriceSync(plan: PriceSyncPlan, version: number | undefined): PriceSyncView {
  return {
    format: plan.format,
    listed: plan.listed,
    changes: plan.changes.map(presentPriceChange),
    left_out: plan.leftOut.map(({ name, reason }) => ({ model_name: name, reason })),
    over: plan.over.map(({ name, rise }) => ({ model_name: name, rise })),
    version: version ?? null,
  };
}

export function presentPriceRerate({ sums, left, differing, next }: RerateReport): PriceRerateView {
  return {
    rows: sums.map(({ key, requests, charged, wouldBe }) => ({ key, requests, charged, would_be: wouldBe })),
    left: left.map(({ reason, rows, charged, requestIds }) => ({ reason, rows, charged, request_ids: requestIds })),
    differing,
    next: next === undefined ? null : `${next.createdAt}.${next.id}`,
  };
}
