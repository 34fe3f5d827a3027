/** May a failed request be tried elsewhere: the table of relay.md 11.5, row by row. Pure. */
import { inStatusRanges, type StatusRange } from '../contract/options.ts';
import type { RetryScope } from '../errors.ts';
import type { RetryClass } from './exchange.ts';

/** What went wrong, by what it means for another try. */
export type FailureNature =
  /** A refusal by Tollgate itself: the same everywhere. */
  | 'local'
  /** The channel is not configured in a way that can work. */
  | 'channel'
  /** No byte of the request was written. */
  | 'unsent'
  /** The connection broke after that. */
  | 'broken'
  /** No headers or no first token in time. */
  | 'timeout'
  /** A 2xx whose body is an error, empty or unusable. */
  | 'unusable'
  /** The upstream answered with a status that is no success. */
  | 'status'
  /** It did so when it was asked what became of work that it had taken on. */
  | 'lost';

export interface RetryQuestion {
  readonly nature: FailureNature;
  /** After the channel's status mapping. */
  readonly status: number;
  /** The adapter's judgement; `never` is a request that is at fault wherever it goes. */
  readonly scope: RetryScope;
  /** Bytes of the answer have reached the client; comments do not count. */
  readonly contentSent: boolean;
  readonly clientGone: boolean;
  /** Extra attempts that are still allowed, by number and by time. */
  readonly attemptsLeft: number;
  /** The channel is fixed by the key's suffix, by what it keeps or by an affinity rule that says so. */
  readonly pinned: boolean;
  readonly retryClass: RetryClass;
  /** Option `AutomaticRetryStatusCodes`; undefined while it has its default. */
  readonly statuses: readonly StatusRange[];
}

/** Statuses that tell of a request which certainly did no work; of songs, the sheet names an account that is used up. */
const HARMLESS: Readonly<Record<'B' | 'C', ReadonlySet<number>>> = {
  B: new Set([401, 403, 404, 429, 503]),
  C: new Set([401, 402, 403, 404, 429]),
};

/** True when the next pick may be tried. */
export function mayRetry(question: RetryQuestion): boolean {
  const { nature, status, retryClass } = question;
  if (question.contentSent || question.clientGone) return false;
  if (question.attemptsLeft <= 0 || question.pinned || nature === 'local') return false;
  if (nature === 'channel' || nature === 'unsent') return true;
  if (retryClass !== 'A' && (nature !== 'status' || !HARMLESS[retryClass].has(status))) return false;
  if (nature !== 'status' && nature !== 'lost') return true;
  if (question.scope === 'never') return false;
  // Outside the range of statuses the option has no word: such an answer is retried.
  if (status < 100 || status > 599) return true;
  return inStatusRanges(question.statuses, status);
}
