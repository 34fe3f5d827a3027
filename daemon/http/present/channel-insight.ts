/** Routing explanations on the wire. */
import type { OverridePreview, RoutingAnswer } from '../../contract/channel-insight.ts';
import { formatError, type Language } from '../../contract/error-codes.ts';
import type { Price } from '../../domain/pricing.ts';
import type { DryRun } from '../../gateway/dry-run.ts';
import type { previewOverride } from '../../gateway/override-preview.ts';

export function presentDryRun(run: DryRun, endpoint: string, language: Language): RoutingAnswer {
  const { group, model, refusal, price, candidates, excluded, rate, ratioOf } = run;
  return {
    group,
    model,
    endpoint,
    refusal: refusal ? { code: refusal.code, message: formatError(refusal.code, refusal.params, language) } : null,
    price: price ? presentPrice(price) : null,
    rate_rule: rate ? { id: rate.record.id, rule: rate.rateRule, ratio: rate.ratio } : null,
    candidates: candidates.map((candidate) => ({
      channel_id: candidate.channelId,
      name: candidate.name,
      group: candidate.group,
      tier: candidate.tier,
      priority: candidate.priority,
      weight: candidate.weight,
      share: candidate.share,
      usable_keys: candidate.usableKeys,
      ratio: ratioOf(candidate.group),
    })),
    excluded: excluded.map(({ channelId, name, reason, freeInMs }) => ({
      channel_id: channelId,
      name,
      reason,
      free_in_ms: freeInMs === undefined ? null : Math.ceil(freeInMs),
    })),
  };
}

export function presentOverridePreview(result: ReturnType<typeof previewOverride>): OverridePreview {
  if (result.kind === 'refused') return { body: null, headers: [], refusal: result.refusal };
  const headers = result.headers.map(([name, value]) => ({ name, value: value === null ? null : String(value) }));
  return { body: result.body, headers, refusal: null };
}

function presentPrice(price: Price) {
  const { mode, billingModel: billing_model } = price;
  if (mode === 'fixed') return { mode, billing_model, model_ratio: 0, completion_ratio: 0, usd: price.price };
  const { model, completion } = price.rates.ratios;
  return { mode, billing_model, model_ratio: model, completion_ratio: completion, usd: 0 };
}
