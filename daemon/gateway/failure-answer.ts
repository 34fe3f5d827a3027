/** Turns whatever ended a request into the words its client may see (relay.md 4, 11.6, 11.7). */
import { acceptedLanguage } from '../contract/accepted-language.ts';
import {
  type ErrorCode,
  type ErrorEntry,
  type ErrorKind,
  errorCodes,
  formatError,
  type Language,
} from '../contract/error-codes.ts';
import { type ErrorDetails, TollgateError, UpstreamFailure } from '../errors.ts';
import { renderError, statusOn } from '../relay/error-body.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import type { Exchange, Surface } from './exchange.ts';
import { TaskRefused } from './tasks/task-refused.ts';

/** An error as a client sees it. */
export interface ShownError {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  /** With the request id. */
  readonly message: string;
  readonly param: string | null;
  readonly details?: ErrorDetails;
  readonly retryAfterSeconds: number | undefined;
  /** Tollgate refused by itself; whatever an upstream calls its refusals, they are not ours. */
  readonly isOwn?: boolean;
}

const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
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

/** Codes that share one published name, where the contract gives several statuses to one code (relay.md 3.1, 4.1). */
const PUBLISHED_NAME: Readonly<Partial<Record<ErrorCode, string>>> = {
  conversion_would_drop: 'convert_request_failed',
  credentials_conflict: 'access_denied',
  endpoint_not_served: 'no_channel_for_model',
  model_unknown: 'model_not_found',
  payload_too_large: 'read_request_body_failed',
  request_body_stalled: 'read_request_body_failed',
  too_many_fields: 'read_request_body_failed',
  too_many_files: 'read_request_body_failed',
  db_unavailable: 'accounting_unavailable',
  variations_not_served: 'api_not_implemented',
};

/** What an upstream's last refusal becomes. Its own channel may allow the client to see a refused credential. */
export interface FailureView {
  readonly hideUpstreamErrors: boolean;
  readonly exposeCredentialErrors: boolean;
  readonly language: Language;
  /** For the log: without what the upstream quotes of the prompt. */
  readonly isKept?: boolean;
}

/** The language of a client's errors: what it asks for first, else the site's choice (D24). */
export function errorLanguage(view: Snapshot, acceptLanguage: string | undefined): Language {
  return acceptedLanguage(acceptLanguage) ?? view.options.get('RelayErrorLanguage');
}

/** The words for any failure; anything that is no failure of ours is `internal_error`. */
export function shownError(error: unknown, view: FailureView, requestId: string): ShownError {
  const shown = error instanceof UpstreamFailure ? upstreamError(error, view) : ownError(error, view.language);
  return { ...shown, message: `${shown.message} (request id: ${requestId})`.trimStart() };
}

function ownError(error: unknown, language: Language): ShownError {
  if (!(error instanceof TaskRefused)) return localError(error, language);
  const { status, code, details } = error;
  return {
    status,
    type: 'tollgate_error',
    code,
    message: details,
    param: null,
    retryAfterSeconds: undefined,
    isOwn: true,
  };
}

/** HTTP status of a local code on the relay. */
export function relayStatus(code: ErrorCode): number {
  const entry: ErrorEntry = errorCodes[code];
  return entry.status?.relay ?? STATUS_OF_KIND[entry.kind];
}

function localError(error: unknown, language: Language): ShownError {
  const known = error instanceof TollgateError ? error : new TollgateError('internal_error');
  const status = relayStatus(known.code);
  return {
    status,
    type: typeOfLocal(status),
    code: PUBLISHED_NAME[known.code] ?? known.code,
    message: formatError(known.code, known.params, language),
    param: known.field ?? null,
    ...(known.details === undefined ? {} : { details: known.details }),
    retryAfterSeconds: known.retryAfterSeconds,
    isOwn: true,
  };
}

function typeOfLocal(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status === 404 || status === 405 ? 'invalid_request_error' : 'tollgate_error';
}

function upstreamError(failure: UpstreamFailure, view: FailureView): ShownError {
  const { fields } = failure;
  const { type, code, param } = fields;
  const status = carriesNothing(fields.status) ? 502 : fields.status;
  const retryAfterSeconds = isLoad(status) ? fields.retryAfterSeconds : undefined;
  const isOperators = fields.isMapped === true && !CREDENTIAL_STATUSES.has(status);
  if (fields.aboutCredential === true && !view.exposeCredentialErrors && !(isOperators && status === 429)) {
    const message = formatError('upstream_auth_failed', {}, view.language);
    const shown = isOperators ? { status, retryAfterSeconds } : { status: 502, retryAfterSeconds: undefined };
    return { ...shown, type: 'upstream_error', code: 'upstream_auth_failed', message, param: null };
  }
  if (status === 429) {
    const message = 'upstream load of the current group is saturated, try again later';
    return { status, type, code, message, param: param ?? null, retryAfterSeconds };
  }
  if (view.hideUpstreamErrors && fields.upstreamStatus !== undefined) {
    const message = hiddenUpstreamError(status);
    const neutral = 'upstream_error';
    return { status, type: neutral, code: neutral, message, param: null, retryAfterSeconds };
  }
  const details = fields.details === undefined ? {} : { details: fields.details };
  return { status, type, code, message: wordsOf(fields, view), param: param ?? null, ...details, retryAfterSeconds };
}

/** Tollgate's own words in the client's language; an upstream's as they are. */
function wordsOf({ own, clientText, keptText }: UpstreamFailure['fields'], { language, isKept }: FailureView): string {
  if (own !== undefined) return formatError(own.code, own.params, language);
  return isKept === true ? (keptText ?? clientText) : clientText;
}

/** What a site that hides upstream errors says in their place. */
export function hiddenUpstreamError(status: number): string {
  return `Upstream error with status code ${status}`;
}

/** Statuses by which a client would take its own key for refused. */
const CREDENTIAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403]);

/** An operator may give them to have an answer retried (12.4); as the last word a client would wait on, or read nothing. */
function carriesNothing(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

function isLoad(status: number): boolean {
  return status === 429 || status === 503 || status === 529;
}

/** Writes the error as the whole answer, in the surface's shape. Nothing may have been sent yet. */
export function answerWithError({ sink, endpoint, id }: Exchange, shown: ShownError): void {
  if (shown.retryAfterSeconds !== undefined) sink.setHeader('Retry-After', String(shown.retryAfterSeconds));
  sendError({ sink, surface: endpoint.surface, id }, statusOn(endpoint.surface, shown), shown);
}

/**
 * Refusals of Tollgate's own that asking again cannot change, but after which clients do: the official SDKs repeat every
 * 5xx, and Claude Code asks ten more times in some minutes for a key that is wrong. They heed the header, which their
 * vendors send, too. What an upstream refuses, another channel or key may answer.
 */
const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 501]);

/** The same with a status of its own. */
export function sendError(
  to: { readonly sink: Exchange['sink']; readonly surface: Surface; readonly id: string },
  status: number,
  shown: ShownError,
): void {
  if (FINAL_STATUSES.has(status) && shown.isOwn === true) to.sink.setHeader('X-Should-Retry', 'false');
  to.sink.answer(status, 'application/json', errorBody(to.surface, shown, to.id));
}

/** JSON text of an error on one surface. */
export function errorBody(surface: Surface, shown: ShownError, requestId: string): string {
  return JSON.stringify(renderError(surface, shown, requestId));
}
