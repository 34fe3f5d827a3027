/** `createClient()`: one typed function for every endpoint of the contract; runs in Node and in the browser. */
import { ApiError } from './api-error.ts';
import {
  type Endpoint,
  type InputOf,
  isQueryMember,
  type Method,
  type Paging,
  pathNames,
  type ResultOf,
} from './endpoint.ts';
import { unpackSuccess, writePage } from './envelope.ts';
import type { Language } from './error-codes.ts';
import { eventStreamType, readEvents, type StreamedEvent } from './event-stream.ts';
import { type Contract, contract } from './index.ts';
import { inTries, type PacedTry, type Tries } from './tries.ts';

export { ApiError } from './api-error.ts';
export type { Pace, PacedTry } from './tries.ts';

/** Who calls; read before every request, so that a caller may sign in and out. */
export interface Credentials {
  /** System access token; without it the browser's session cookie counts. */
  accessToken?: string | undefined;
  /** Id of the signed-in user; a cookie session is refused without it. */
  userId?: number | undefined;
  /** `name=value` of a session cookie, for callers outside a browser. */
  cookie?: string | undefined;
}

export interface ClientOptions extends Tries {
  /** Origin, and a path prefix if any; `''` in a browser means the page's own origin. */
  baseUrl: string;
  /** The platform's `fetch` when absent. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  credentials?: () => Credentials;
  language?: () => Language | undefined;
  /** Sent as `User-Agent`, outside a browser. */
  userAgent?: string;
  /** Milliseconds for one try, or until a file or stream begins; 30,000 when absent. */
  timeoutMs?: number;
  /** The key of a call that takes one, where the call itself is given none; without it none is sent. */
  idempotencyKey?: (input: Readonly<Record<string, unknown>>) => string;
  /** Told of every call before its first try; what it throws ends the call, and nothing is sent. */
  beforeCall?: (call: PreparedCall) => void | Promise<void>;
  /** Asked about a refused call; true makes it once more, what it throws ends it. */
  onRefused?: (refusal: ApiError) => Promise<boolean>;
  /** Sees every answer before it is read: session cookies, a global sign-out on 401. */
  onResponse?: (response: Response) => void;
}

/** A call as it is about to be sent. */
export interface PreparedCall {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  /** What is made of the input; the path holds the query. */
  readonly request: { readonly method: Method; readonly path: string; readonly body: string | undefined };
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Answer of the human check, where the endpoint asks for one. */
  turnstile?: string;
  idempotencyKey?: string | undefined;
  /** Told when the answer is that of an earlier call with the same key. */
  onReplayed?: () => void;
  /** Milliseconds for this call's tries. */
  timeoutMs?: number;
  headers?: Readonly<Record<string, string>>;
}

type PageInput<E extends Endpoint> = E['paging'] extends Paging ? { page?: number; page_size?: number } : unknown;
type CallInput<E extends Endpoint> = InputOf<E> & PageInput<E>;

/** Calls one endpoint. Throws {@link ApiError}; pages are counted from 1. */
export type Call<E extends Endpoint> =
  Record<never, never> extends CallInput<E>
    ? (input?: CallInput<E>, options?: CallOptions) => Promise<ResultOf<E>>
    : (input: CallInput<E>, options?: CallOptions) => Promise<ResultOf<E>>;

export type Calls<T> = { readonly [K in keyof T]: T[K] extends Endpoint ? Call<T[K]> : Calls<T[K]> };

/** Every endpoint of the contract by resource: `client.channels.setStatus({ id: 7, status: 2 })`. */
export type Client = Calls<Contract>;

/** The typed client of the whole contract. */
export function createClient(options: ClientOptions): Client {
  return callsOf(contract, options);
}

/** Typed functions for any table of endpoints. */
export function callsOf<T extends object>(table: T, options: ClientOptions): Calls<T> {
  const calls: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(table)) {
    calls[name] = isEndpoint(entry)
      ? (input?: object, call?: CallOptions) => callEndpoint(entry, { ...input }, { ...options, call: call ?? {} })
      : callsOf(entry, options);
  }
  return asCalls<T>(calls);
}

// The table was walked member by member, so the functions have exactly the members the mapped type names.
function asCalls<T>(calls: object): Calls<T> {
  return calls as Calls<T>;
}

function isEndpoint(entry: unknown): entry is Endpoint {
  return typeof entry === 'object' && entry !== null && 'method' in entry && 'path' in entry && 'access' in entry;
}

/** Builds the request of a call: the one place where input members find their way into path, query and body. */
export function buildRequest(
  endpoint: Endpoint,
  input: Readonly<Record<string, unknown>>,
  turnstile?: string,
): { method: Method; path: string; body: string | undefined } {
  const { page, page_size, ...own } = input;
  const rest: Record<string, unknown> = endpoint.paging ? own : { ...input };
  let path = endpoint.path;
  for (const name of pathNames(endpoint.path)) {
    path = path.replace(`:${name}`, encodeURIComponent(String(rest[name])));
    delete rest[name];
  }
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (!isQueryMember(endpoint, endpoint.method, name)) body[name] = value;
    else if (value !== undefined && value !== null) query.set(name, queryText(value));
  }
  if (endpoint.paging) {
    const wanted = {
      ...(typeof page === 'number' ? { page } : {}),
      ...(typeof page_size === 'number' ? { page_size } : {}),
    };
    for (const [name, value] of Object.entries(writePage(endpoint.paging, wanted))) query.set(name, String(value));
  }
  if (turnstile !== undefined) query.set('turnstile', turnstile);
  const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
  return {
    method: endpoint.method,
    path: query.size > 0 ? `${path}?${query}` : path,
    body: hasBody ? JSON.stringify(body) : undefined,
  };
}

function queryText(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}

interface CallContext extends ClientOptions {
  call: CallOptions;
  answered?: PacedTry['answered'] | undefined;
}

async function callEndpoint(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  context: CallContext,
): Promise<unknown> {
  const request = buildRequest(endpoint, input, context.call.turnstile);
  await context.beforeCall?.({ endpoint, input, request });
  const idempotencyKey =
    context.call.idempotencyKey ?? (endpoint.idempotency === 'key' ? context.idempotencyKey?.(input) : undefined);
  const call = { ...context.call, idempotencyKey };
  const repeatable = (endpoint.method === 'GET' && endpoint.effect !== 'changes') || idempotencyKey !== undefined;
  const send = () =>
    inTries({ endpoint, repeatable }, context, (paced) =>
      callOnce(endpoint, request, { ...context, call, answered: paced?.answered }),
    );
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError) || !(await context.onRefused?.(error))) throw error;
    return send();
  }
}

async function callOnce(
  endpoint: Endpoint,
  request: { method: Method; path: string; body: string | undefined },
  context: CallContext,
): Promise<unknown> {
  const timeout = new AbortController();
  const late = () => timeout.abort(new DOMException('no answer in time', 'TimeoutError'));
  const timer = setTimeout(late, context.call.timeoutMs ?? context.timeoutMs ?? 30_000);
  const signal = context.call.signal ? AbortSignal.any([context.call.signal, timeout.signal]) : timeout.signal;
  const send = context.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  try {
    const response = await send(`${context.baseUrl.replace(/\/+$/, '')}${request.path}`, {
      method: request.method,
      headers: headersOf(endpoint, request.body, context),
      ...(request.body === undefined ? {} : { body: request.body }),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal,
    });
    context.answered?.(response);
    context.onResponse?.(response);
    if (response.headers.get('idempotency-replayed') === 'true') context.call.onReplayed?.();
    return await readAnswer(endpoint, response, context.call.signal);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw brokenOff(
      context.call.signal?.aborted ? 'aborted' : timeout.signal.aborted ? 'timeout' : 'network_error',
      error,
    );
  } finally {
    clearTimeout(timer);
  }
}

/** No answer came, or not the whole of it. */
function brokenOff(code: 'aborted' | 'timeout' | 'network_error', cause: unknown): ApiError {
  return new ApiError({ code, message: cause instanceof Error ? cause.message : code, status: 0, cause });
}

function headersOf(endpoint: Endpoint, body: string | undefined, context: CallContext): Record<string, string> {
  const { accessToken, userId, cookie } = context.credentials?.() ?? {};
  const language = context.language?.();
  return {
    Accept: endpoint.shape === 'events' ? eventStreamType : 'application/json',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(accessToken ? { Authorization: `Bearer ${accessToken}` } : {}),
    ...(userId === undefined ? {} : { 'Tollgate-User': String(userId) }),
    ...(cookie ? { Cookie: cookie } : {}),
    ...(language ? { 'Accept-Language': language } : {}),
    ...(context.userAgent ? { 'User-Agent': context.userAgent } : {}),
    ...(context.call.idempotencyKey ? { 'Idempotency-Key': context.call.idempotencyKey } : {}),
    ...context.call.headers,
  };
}

async function readAnswer(endpoint: Endpoint, response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  if (response.ok && endpoint.shape === 'events' && response.body && isEventStream(response)) {
    return eventsOf(response.body, signal);
  }
  const isJson = /json/i.test(response.headers.get('content-type') ?? '');
  if (response.ok && !isJson) {
    if (endpoint.shape === 'file') return response;
    if (endpoint.shape === 'text') return response.text();
  }
  if (response.ok && endpoint.shape === 'file' && response.headers.has('content-disposition')) return response;
  // What breaks off on the way is no answer; what is whole and no JSON is a wrong one.
  const body = isJson ? parsed(await response.text()) : undefined;
  const unpacked = response.ok ? unpackSuccess(endpoint, body) : undefined;
  if (unpacked) return unpacked.result;
  throw failureOf(endpoint, response, body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith(eventStreamType) ?? false;
}

/** Throws {@link ApiError} when the stream breaks off. */
async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamedEvent> {
  try {
    yield* readEvents(body, signal);
  } catch (error) {
    throw brokenOff(signal?.aborted ? 'aborted' : 'network_error', error);
  }
}

function failureOf(endpoint: Endpoint, response: Response, body: unknown): ApiError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const fields = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  };
  const code = textAt(body, 'code');
  const reason = endpoint.failures === 'payment' ? textAt(body, 'data') : undefined;
  const message = reason ?? textAt(body, 'message') ?? textAt(memberAt(body, 'error'), 'message');
  // The daemon says of an address that it does not know what it was; another server's 404 is no answer of it.
  const isUnknown = response.status === 404 && message !== undefined;
  const location = response.headers.get('location');
  return new ApiError({
    ...fields,
    code: code ?? textAt(memberAt(body, 'error'), 'code') ?? (isUnknown ? 'not_found' : 'invalid_answer'),
    message: message ?? `HTTP ${response.status}${location === null ? '' : `, ${location.replace(/[?#].*/s, '')}`}`,
    field: textAt(body, 'field'),
    data: memberAt(body, 'data'),
  });
}

function memberAt(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textAt(value: unknown, name: string): string | undefined {
  const member = memberAt(value, name);
  return typeof member === 'string' && member !== '' ? member : undefined;
}
