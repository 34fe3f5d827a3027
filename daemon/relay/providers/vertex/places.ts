/** Where a model of Vertex AI is served, under which publisher and name. Source: providers/vertex.md, read 2026-11. */
import { asObject, parseJson } from '../../formats/fields.ts';
import type { UpstreamCall } from '../../provider.ts';

/** Who made a model: decides the path and the dialect. */
export type Publisher = 'google' | 'anthropic' | 'mistralai' | 'openapi';

export function publisherOf(model: string): Publisher {
  if (model.startsWith('claude')) return 'anthropic';
  if (/^(?:mistral|codestral|ministral)/.test(model)) return 'mistralai';
  return model.includes('/') || /llama/i.test(model) ? 'openapi' : 'google';
}

const global = 'global';

/** The location from the channel's field: one word, or a JSON map from model to location with `default`. */
export function locationOf({ other, model, origin }: Pick<UpstreamCall, 'other' | 'model' | 'origin'>): string {
  const text = other.trim();
  if (text === '') return global;
  if (!text.startsWith('{')) return text.split('|')[0]?.trim() || global;
  const map = asObject(parseJson(text)) ?? {};
  const found = map[origin ?? model] ?? map[model] ?? map.default;
  const place = Array.isArray(found) ? found[0] : found;
  return typeof place === 'string' && place !== '' ? place : global;
}

/** The host of a location. */
export function hostOf(location: string): string {
  if (location === global) return 'https://aiplatform.googleapis.com';
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/** Claude's names without a date, and the dated one that they mean here. */
const dated: Readonly<Record<string, string>> = {
  'claude-sonnet-4-5': 'claude-sonnet-4-5@20250929',
  'claude-haiku-4-5': 'claude-haiku-4-5@20251001',
  'claude-opus-4-5': 'claude-opus-4-5@20251101',
  'claude-opus-4-1': 'claude-opus-4-1@20250805',
  'claude-3-5-sonnet-20241022': 'claude-3-5-sonnet-v2@20241022',
};

/** The model's name as the path has it. */
export function vertexModel(model: string): string {
  if (publisherOf(model) !== 'anthropic' || model.includes('@')) return model;
  return dated[model] ?? model.replace(/-(\d{8})$/, '@$1');
}
