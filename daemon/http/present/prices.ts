/** Prices as their editors see them. */
import { priceMemberOf } from '../../contract/price-members.ts';
import type { PriceChangeView, PriceEntryView, PriceMember } from '../../contract/prices.ts';
import type { PriceChange, PricedName, PriceEdit } from '../../domain/price-edits.ts';

export function presentPriceEntry({ name, isEnabled, channels, groups, price, entries }: PricedName): PriceEntryView {
  return {
    model_name: name,
    enabled: isEnabled,
    channels,
    groups: [...groups],
    quota_type: price === undefined ? null : price.mode === 'fixed' ? 1 : 0,
    model_ratio: entries.ModelRatio ?? null,
    completion_ratio: entries.CompletionRatio ?? null,
    cache_ratio: entries.CacheRatio ?? null,
    create_cache_ratio: entries.CacheCreationRatio ?? null,
    audio_ratio: entries.AudioRatio ?? null,
    audio_completion_ratio: entries.AudioCompletionRatio ?? null,
    image_ratio: entries.ImageRatio ?? null,
    image_completion_ratio: entries.ImageCompletionRatio ?? null,
    model_price: entries.ModelPrice ?? null,
  };
}

export function presentPriceChange({ name, map, before, after }: PriceChange): PriceChangeView {
  return { model_name: name, member: priceMemberOf[map], old: before ?? null, new: after ?? null };
}

/** An edit as it is sent, by the names of the maps. */
export function readPriceEdit(sent: { readonly [Member in PriceMember]?: number | null | undefined }): PriceEdit {
  return {
    ModelRatio: sent.model_ratio,
    CompletionRatio: sent.completion_ratio,
    CacheRatio: sent.cache_ratio,
    CacheCreationRatio: sent.create_cache_ratio,
    AudioRatio: sent.audio_ratio,
    AudioCompletionRatio: sent.audio_completion_ratio,
    ImageRatio: sent.image_ratio,
    ImageCompletionRatio: sent.image_completion_ratio,
    ModelPrice: sent.model_price,
  };
}
