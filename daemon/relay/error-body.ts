/**
 * Failures in the words of each client protocol: as a whole answer (relay.md 4.2) and as the end of a stream that had
 * begun (relay.md 4.6). What may be said was decided before; here it only gets its shape.
 */
import type { ErrorDetails } from '../errors.ts';
import { encodeSse } from './framing/sse.ts';
import type { Json, JsonObject } from './json.ts';
import { midjourneyError, midjourneyStatus } from './tasks/midjourney/error.ts';
import { sunoError, sunoStatus } from './tasks/suno/error.ts';

/** Protocol that a client speaks. */
export type ClientSurface = 'openai' | 'anthropic' | 'gemini' | 'midjourney' | 'suno';

/** A failure as a client may see it. */
export interface ClientError {
  readonly status: number;
  /** OpenAI's `error.type`; the other protocols derive theirs from the status. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** Said on Anthropic's surface alone. */
  readonly details?: ErrorDetails;
}

interface StatusWords {
  readonly anthropic: string;
  readonly gemini: string;
}

/** Source: relay.md 4.2. */
const wordsByStatus: Readonly<Record<number, StatusWords>> = {
  400: { anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  401: { anthropic: 'authentication_error', gemini: 'UNAUTHENTICATED' },
  402: { anthropic: 'billing_error', gemini: 'FAILED_PRECONDITION' },
  403: { anthropic: 'permission_error', gemini: 'PERMISSION_DENIED' },
  404: { anthropic: 'not_found_error', gemini: 'NOT_FOUND' },
  408: { anthropic: 'timeout_error', gemini: 'DEADLINE_EXCEEDED' },
  409: { anthropic: 'invalid_request_error', gemini: 'ABORTED' },
  413: { anthropic: 'request_too_large', gemini: 'INVALID_ARGUMENT' },
  429: { anthropic: 'rate_limit_error', gemini: 'RESOURCE_EXHAUSTED' },
  499: { anthropic: 'api_error', gemini: 'CANCELLED' },
  500: { anthropic: 'api_error', gemini: 'INTERNAL' },
  501: { anthropic: 'api_error', gemini: 'UNIMPLEMENTED' },
  502: { anthropic: 'api_error', gemini: 'INTERNAL' },
  503: { anthropic: 'overloaded_error', gemini: 'UNAVAILABLE' },
  504: { anthropic: 'timeout_error', gemini: 'DEADLINE_EXCEEDED' },
  529: { anthropic: 'overloaded_error', gemini: 'UNAVAILABLE' },
};

const clientFault: StatusWords = { anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' };
const serverFault: StatusWords = { anthropic: 'api_error', gemini: 'INTERNAL' };

function wordsOf(status: number): StatusWords {
  return wordsByStatus[status] ?? (status >= 400 && status < 500 ? clientFault : serverFault);
}

/** The body of an answer that is nothing but an error. */
export function renderError(surface: ClientSurface, error: ClientError, requestId: string): JsonObject {
  const { status, type, code, message, param } = error;
  switch (surface) {
    case 'openai':
      return { error: { message, type, param, code } };
    case 'anthropic': {
      const details = error.details === undefined ? {} : { details: error.details };
      return { type: 'error', error: { type: wordsOf(status).anthropic, message, ...details }, request_id: requestId };
    }
    case 'gemini':
      return { error: { code: status, message, status: wordsOf(status).gemini, details: [] } };
    case 'midjourney':
      return midjourneyError(error);
    case 'suno':
      return sunoError(error);
  }
}

/** The status of such an answer: platforms of tasks have habits of their own. */
export function statusOn(surface: ClientSurface, error: ClientError): number {
  if (surface === 'midjourney') return midjourneyStatus(error);
  return surface === 'suno' ? sunoStatus(error) : error.status;
}

/** The last event of a chat or completions stream that broke; no `[DONE]` may follow. */
export function openaiStreamError(error: ClientError): Buffer {
  const { message, type, code } = error;
  return encodeSse({ data: JSON.stringify({ error: { message, type, param: null, code } }) });
}

/** The last event of an image stream that broke. */
export function imageStreamError(error: ClientError): Buffer {
  const { message, type, code, param } = error;
  return encodeSse({ event: 'error', data: JSON.stringify({ type: 'error', error: { type, code, message, param } }) });
}

/** The last event of a Messages stream that broke; no `message_stop` may follow. */
export function anthropicStreamError(error: ClientError, requestId: string): Buffer {
  return encodeSse({ event: 'error', data: JSON.stringify(renderError('anthropic', error, requestId)) });
}

/** The error object of a Gemini stream that broke: an SSE payload, or the last element of an array stream. */
export function geminiStreamError(error: ClientError): Json {
  return { error: { code: error.status, message: error.message, status: wordsOf(error.status).gemini } };
}

/**
 * The error event of a realtime socket; the socket stays open.
 * @param about id of the client's event that was refused
 */
export function realtimeError(error: ClientError, eventId: string, about: Json = null): JsonObject {
  const { type, code, message, param } = error;
  return { type: 'error', event_id: eventId, error: { type, code, message, param, event_id: about } };
}
