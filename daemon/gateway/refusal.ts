/** What the books are told of a request that nobody answered. */
import type { SettleReason } from '../domain/settlement.ts';
import type { FailureFacts } from '../domain/usage-log-facts.ts';
import { TollgateError, UpstreamFailure } from '../errors.ts';
import type { ShownError } from './failure-answer.ts';

/** Why its hold goes back: what the upstream did, also where Tollgate refuses because of it. */
export function refusalReason(error: unknown): SettleReason {
  const code = upstreamPart(error)?.fields.code;
  if (code === 'upstream_timeout') return 'timeout';
  if (code === 'read_response_body_failed') return 'upstream_eof';
  if (code === 'shutting_down') return 'shutdown';
  if (!(error instanceof TollgateError)) return 'upstream_error';
  if (error.code === 'shutting_down') return 'shutdown';
  return error.code.startsWith('insufficient_') ? 'quota_exhausted' : 'upstream_error';
}

/**
 * The upstream's part in a failure; undefined when Tollgate alone refused.
 * @param before how the last attempt failed: what Tollgate refuses after it, such as a group that is too dear, must not
 * leave the books without it.
 */
export function failureFacts(
  error: unknown,
  before: UpstreamFailure | undefined,
  words: () => ShownError,
): FailureFacts | undefined {
  const failure = upstreamPart(error) ?? before;
  if (failure === undefined) return undefined;
  const { status, type, code, message } = words();
  return { type, code, status, message, originalStatus: failure.fields.upstreamStatus };
}

function upstreamPart(error: unknown): UpstreamFailure | undefined {
  const own = error instanceof UpstreamFailure ? error : error instanceof Error ? error.cause : undefined;
  return own instanceof UpstreamFailure ? own : undefined;
}
