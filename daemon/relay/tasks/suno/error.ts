/** Refusals of music tasks in the words that their clients know (relay.md 4.5). */
import type { JsonObject } from '../../json.ts';

/** A failure as a client may see it. */
interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The published word, and its status where that is not the one of the code. */
type Word = readonly [code: string, status?: number];

/** Published words for codes of the table; others are their own. */
const WORDS: Readonly<Record<string, Word>> = {
  read_request_body_failed: ['invalid_request'],
  insufficient_user_quota: ['quota_not_enough'],
  insufficient_token_quota: ['quota_not_enough'],
  accounting_unavailable: ['get_user_quota_failed'],
  do_request_failed: ['do_request_failed', 500],
  read_response_body_failed: ['read_response_body_failed', 500],
  bad_response_body: ['unmarshal_response_body_failed', 500],
  empty_response: ['unmarshal_response_body_failed', 500],
  bad_response_status_code: ['fail_to_fetch_task'],
};

export function sunoError({ code, message }: Refusal): JsonObject {
  const word = WORDS[code]?.[0] ?? code;
  // Where nothing but the request's id is said, the code says it all.
  return { code: word, message: message.startsWith('(') ? `${word} ${message}` : message, data: null };
}

export function sunoStatus({ status, code }: Refusal): number {
  return WORDS[code]?.[1] ?? status;
}
