/** What the entry of a model in each price map is called on the wire and in documents. */
import type { PriceMember } from './prices.ts';

export const priceMemberOf = {
  ModelRatio: 'model_ratio',
  CompletionRatio: 'completion_ratio',
  CacheRatio: 'cache_ratio',
  CacheCreationRatio: 'create_cache_ratio',
  AudioRatio: 'audio_ratio',
  AudioCompletionRatio: 'audio_completion_ratio',
  ImageRatio: 'image_ratio',
  ImageCompletionRatio: 'image_completion_ratio',
  ModelPrice: 'model_price',
} as const satisfies Readonly<Record<string, PriceMember>>;
