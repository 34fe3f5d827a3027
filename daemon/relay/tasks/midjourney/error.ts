/** Refusals of the drawing proxy in the words that its clients know (relay.md 4.4). */
import type { JsonObject } from '../../json.ts';

/** A failure as a client may see it. */
interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Statuses that say something no word of the body does. All other refusals are 400. */
const TELLING: ReadonlySet<number> = new Set([401, 403, 404, 429, 501, 503]);
const NO_ACCOUNT = 3;
const REQUEST_ERROR = 4;
const UNKNOWN_ERROR = 5;
const SATURATED = 30;

/** Published words for codes of the table. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_request: 'bind_request_body_failed',
  read_request_body_failed: 'bind_request_body_failed',
  insufficient_user_quota: 'quota_not_enough',
  insufficient_token_quota: 'quota_not_enough',
  empty_response: 'empty_response_body',
  bad_response_body: 'unmarshal_response_body_failed',
};

/** Codes of calls that nobody could be asked to serve. */
const UNSERVED: ReadonlySet<string> = new Set(['model_not_found', 'no_channel_for_model', 'endpoint_not_served']);

export function midjourneyError({ status, code, message }: Refusal): JsonObject {
  const word = WORDS[code] ?? code;
  return { description: `${word} ${message}`, type: 'tollgate_error', code: numberOf(status, code) };
}

export function midjourneyStatus({ status, code }: Refusal): number {
  if (WORDS[code] === 'quota_not_enough') return 400;
  return TELLING.has(status) ? status : 400;
}

function numberOf(status: number, code: string): number {
  if (status === 429) return SATURATED;
  if (UNSERVED.has(code)) return NO_ACCOUNT;
  return status >= 500 ? UNKNOWN_ERROR : REQUEST_ERROR;
}
