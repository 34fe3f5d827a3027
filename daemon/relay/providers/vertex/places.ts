/** Where a model of Vertex AI is served, under which publisher and name. Source: providers/vertex.md, read 2026-11. */
import { asObject, asWord, entryOf, parseJson } from '../../formats/fields.ts';
import type { UpstreamCall } from '../../provider.ts';

/** Who made a model: decides the path and the dialect. */
export type Publisher = 'google' | 'anthropic' | 'mistralai' | 'openapi';

export function publisherOf(model: string): Publisher {
  if (model.startsWith('claude')) return 'anthropic';
  if (/^(?:mistral|codestral|ministral)/.test(model)) return 'mistralai';
  return model.includes('/') || /llama/i.test(model) ? 'openapi' : 'google';
}

const global = 'global';

/** What the place of a call hangs on. */
export type PlaceQuestion = Pick<UpstreamCall, 'other' | 'model' | 'origin' | 'lot'>;

/**
 * The location from the channel's field: one word, or a JSON map from model to location with `default`. Of several for
 * a model one is drawn.
 */
export function locationOf(call: PlaceQuestion): string {
  const places = placesOf(call);
  return places[Math.floor((call.lot ?? 0) * places.length)] ?? global;
}

/** Every location at which a call may be answered. */
export function placesOf({ other, model, origin }: PlaceQuestion): string[] {
  const text = other.trim();
  if (!text.startsWith('{')) return [text.split('|')[0]?.trim() || global];
  const map = asObject(parseJson(text)) ?? {};
  const found = entryOf(map, origin ?? model) ?? entryOf(map, model) ?? map.default;
  return (Array.isArray(found) ? found : [found]).flatMap((place) => asWord(place) ?? []);
}

/** The host of a location, always one of Google's: encoded, a sign that would end the name makes it no host. */
export function hostOf(location: string): string {
  if (location === global) return 'https://aiplatform.googleapis.com';
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${encodeURIComponent(location)}-aiplatform.googleapis.com`;
}

/** Claude's names without a date, and the dated one that they mean here. */
const dated: Readonly<Record<string, string>> = {
  'claude-3-5-sonnet-latest': 'claude-3-5-sonnet-v2@20241022',
  'claude-3-5-haiku-latest': 'claude-3-5-haiku@20241022',
  'claude-3-7-sonnet-latest': 'claude-3-7-sonnet@20250219',
  'claude-sonnet-4-0': 'claude-sonnet-4@20250514',
  'claude-opus-4-0': 'claude-opus-4@20250514',
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
