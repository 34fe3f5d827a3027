/** The one place where an error becomes an answer outside the relay's own surfaces (architecture.md 8). */
import { packFailure } from '../contract/envelope.ts';
import { type ErrorEntry, type ErrorKind, errorCodes, formatError, type Language } from '../contract/error-codes.ts';
import { TollgateError } from '../errors.ts';

/** Whose manners the answer follows: the management envelope, the billing look-alikes, or a page in a browser. */
export type FailureSurface = 'management' | 'billing' | 'page';

/** Status of each kind; on the management API whatever is a mere refusal is 200 with `success: false`. */
const statusOfKind: Readonly<Record<FailureSurface, Readonly<Record<ErrorKind, number>>>> = {
  management: {
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
  },
  billing: relayStatuses(),
  page: relayStatuses(),
};

function relayStatuses(): Record<ErrorKind, number> {
  return {
    refusal: 400,
    unauthenticated: 401,
    forbidden: 403,
    'not-found': 404,
    conflict: 409,
    'rate-limited': 429,
    'too-large': 413,
    upstream: 502,
    unavailable: 503,
    cancelled: 499,
    bug: 500,
  };
}

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
  return { status: statusOf(failure, context), headers, body: bodyOf(failure, context) };
}

/** The failure itself, or `internal_error` for a bug. */
export function asFailure(error: unknown): TollgateError {
  return error instanceof TollgateError ? error : new TollgateError('internal_error', {}, { cause: error });
}

function statusOf(failure: TollgateError, context: FailureContext): number {
  const entry: ErrorEntry = errorCodes[failure.code];
  const pinned = context.surface === 'management' ? entry.status?.management : entry.status?.relay;
  const status = pinned ?? statusOfKind[context.surface][failure.kind];
  return status === 200 ? (context.refusalStatus ?? 200) : status;
}

function bodyOf(failure: TollgateError, context: FailureContext): unknown {
  if (context.surface === 'management') return packFailure(failure, context.language);
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

/** The answer to a path that does not exist (management-api.md 1.2); it has no `code` that other products' clients read. */
export function renderUnknownPath(method: string, path: string): unknown {
  return {
    error: { message: `Invalid URL (${method} ${path})`, type: 'invalid_request_error', param: '', code: '' },
  };
}
