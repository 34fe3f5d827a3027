/** What the books are told of a request that nobody answered. */
import type { SettleReason } from '../domain/settlement.ts';
import type { FailureFacts } from '../domain/usage-log-facts.ts';
import { TollgateError, UpstreamFailure } from '../errors.ts';
import type { ShownError } from './failure-answer.ts';

/** Why its hold goes back. */
export function refusalReason(error: unknown): SettleReason {
  if (error instanceof UpstreamFailure) {
    if (error.fields.code === 'upstream_timeout') return 'timeout';
    return error.fields.code === 'read_response_body_failed' ? 'upstream_eof' : 'upstream_error';
  }
  const isSpent = error instanceof TollgateError && error.code.startsWith('insufficient_');
  return isSpent ? 'quota_exhausted' : 'upstream_error';
}

/** The upstream's part in a failure; undefined when Tollgate alone refused. */
export function failureFacts(error: unknown, words: () => ShownError): FailureFacts | undefined {
  const failure = error instanceof UpstreamFailure ? error : error instanceof Error ? error.cause : undefined;
  if (!(failure instanceof UpstreamFailure)) return undefined;
  const { status, type, code, message } = words();
  return { type, code, status, message, originalStatus: failure.fields.upstreamStatus };
}
