/** Errors that a realtime server tells of: of all it says, they alone may speak of the operator's affairs (REQ-33). */
import { maskText, maskWord } from '../failure-mask.ts';
import { asObject, parseJson } from '../formats/fields.ts';
import type { JsonObject } from '../json.ts';

/** What clients must not read. */
export interface HiddenNames {
  /** Address of the channel. */
  readonly baseUrl: string;
  readonly key: string;
  /** Of the channel and its organisation. */
  readonly others: readonly string[];
}

/** The text without what belongs to the operator. */
export function maskedText(text: string, { baseUrl, key, others }: HiddenNames): string {
  return maskText(text, { baseUrl, secrets: [key, ...others] });
}

/** The event with its error masked; the text itself where it tells of none. */
export function withMaskedError(type: string, text: string, hidden: HiddenNames): string {
  const mayTell = type === 'error' || type === 'response.done' || type.endsWith('.failed');
  if (!mayTell || !text.includes('"error"')) return text;
  const event = asObject(parseJson(text));
  const place = type === 'response.done' ? asObject(asObject(event?.response)?.status_details) : event;
  const error = asObject(place?.error);
  if (place === undefined || error === undefined) return text;
  place.error = maskedError(error, hidden);
  return JSON.stringify(event);
}

function maskedError(error: JsonObject, hidden: HiddenNames): JsonObject {
  const { baseUrl, key: secret } = hidden;
  const masked: JsonObject = {};
  for (const [member, value] of Object.entries(error)) {
    if (typeof value !== 'string') masked[member] = value;
    else masked[member] = member === 'message' ? maskedText(value, hidden) : maskWord(value, { baseUrl, secret });
  }
  return masked;
}
