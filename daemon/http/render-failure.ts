/** The one place where an error becomes an answer outside the relay's own surfaces (architecture.md 8). */
import { packFailure } from '../contract/envelope.ts';
import { type ErrorEntry, type ErrorKind, errorCodes, formatError, type Language } from '../contract/error-codes.ts';
import { TollgateError } from '../errors.ts';
import { relayStatus } from '../gateway/failure-answer.ts';

/**
 * Whose manners the answer follows: the management envelope, the billing look-alikes, a page in a browser, the payment
 * calls of the wallet, or a payment provider's notification.
 */
export type FailureSurface = 'management' | 'billing' | 'page' | 'payment' | 'callback';

/** On the management API whatever is a mere refusal is 200 with `success: false`. */
const managementStatus: Readonly<Record<ErrorKind, number>> = {
  refusal: 200,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 200,
  conflict: 200,
  'rate-limited': 429,
  'too-large': 413,
  upstream: 200,
  unavailable: 503,
  cancelled: 499,
  bug: 500,
};

/** An error ready to be sent. */
export interface RenderedFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface FailureContext {
  readonly surface: FailureSurface;
  readonly language: Language;
  readonly requestId: string;
  /** Status of mere refusals where an endpoint pins one. */
  readonly refusalStatus?: number | undefined;
}

/** Anything thrown, as its client sees it; what is not a `TollgateError` is a bug and says nothing of itself. */
export function renderFailure(error: unknown, context: FailureContext): RenderedFailure {
  const failure = asFailure(error);
  const headers: Record<string, string> = {};
  if (failure.retryAfterSeconds !== undefined) headers['Retry-After'] = String(failure.retryAfterSeconds);
  const status = statusOf(failure, context);
  return { status, headers, body: bodyOf(failure, { ...context, status }) };
}

/** The failure itself, or `internal_error` for a bug. */
function asFailure(error: unknown): TollgateError {
  return error instanceof TollgateError ? error : new TollgateError('internal_error', {}, { cause: error });
}

function statusOf(failure: TollgateError, context: FailureContext): number {
  // Look-alikes and pages answer as the relay does.
  if (context.surface === 'billing' || context.surface === 'page') return relayStatus(failure.code);
  const entry: ErrorEntry = errorCodes[failure.code];
  const status = entry.status?.management ?? managementStatus[failure.kind];
  return status === 200 ? (context.refusalStatus ?? 200) : status;
}

function bodyOf(failure: TollgateError, context: FailureContext & { readonly status: number }): unknown {
  // Whatever goes wrong, a provider must not find the word that it takes for an acceptance.
  if (context.surface === 'callback') return 'fail';
  if (context.surface === 'management' || context.surface === 'payment') {
    const body = packFailure(failure, context.language);
    if (context.surface === 'management' || context.status !== 200) return body;
    return { ...body, message: 'error', data: body.message };
  }
  const text = formatError(failure.code, failure.params, context.language);
  if (context.surface === 'page') return text;
  return {
    error: {
      message: `${text} (request id: ${context.requestId})`,
      type: 'tollgate_error',
      param: null,
      code: failure.code,
    },
  };
}

/**
 * The answer to a path that does not exist (management-api.md 1.2); it has no `code` that other products' clients read.
 * @param code set for a path that exists under another method (relay.md 2.6)
 */
export function renderUnknownPath(method: string, path: string, code: '' | 'method_not_allowed' = ''): unknown {
  return {
    error: { message: `Invalid URL (${method} ${path})`, type: 'invalid_request_error', param: '', code },
  };
}
