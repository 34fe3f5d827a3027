/** Binds an endpoint to its handler. Everything an endpoint declares is done here or by its caller, never in a handler. */
import * as z from 'zod/mini';
import {
  type Endpoint,
  type EventsAnswer,
  type FileAnswer,
  isQueryMember,
  type Method,
  type ParsedInputOf,
  pagedFromOne,
} from '../contract/endpoint.ts';
import { type PageRequest, readPage } from '../contract/envelope.ts';
import { isErrorCode } from '../contract/error-codes.ts';
import type { StreamedEvent } from '../contract/event-stream.ts';
import { placeOfLostName } from '../contract/lost-names.ts';
import type { Actor } from '../domain/actor.ts';
import { isStorable } from '../domain/storable-text.ts';
import { TollgateError } from '../errors.ts';
import type { Call, Handler, RequestFacts, SessionCookie } from './call.ts';
import { coerceText } from './coerce.ts';
import type { RelayKeyCaller } from './middleware/relay-key.ts';

/** A call whose access has been checked and whose body has been read. */
export interface RawCall {
  readonly method: Method;
  readonly pathMembers: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly actor: Actor | undefined;
  readonly caller: RelayKeyCaller | undefined;
  readonly request: RequestFacts;
  readonly session: SessionCookie;
}

/** What a route answers: the handler's value with the page it was asked for. */
export interface RouteAnswer {
  readonly value: unknown;
  readonly page: PageRequest;
}

/** An endpoint with what answers it. */
export interface Route {
  readonly endpoint: Endpoint;
  answer(call: RawCall): Promise<RouteAnswer>;
}

/** Binds a handler; input is checked against the schema before it runs. */
export function implement<E extends Endpoint>(endpoint: E, handler: Handler<E>): Route {
  return {
    endpoint,
    answer: async (raw) => {
      const query = Object.fromEntries(raw.query);
      const page = readPage(endpoint.paging ?? pagedFromOne, query);
      const { actor, caller, request, session } = raw;
      const input = parseInput<E>(endpoint, gather(endpoint, raw));
      return { value: await handler(typedCall<E>({ actor, caller, input, page, request, session })), page };
    },
  };
}

// Who calls is decided by `access`, which the dispatcher has enforced; the compiler cannot follow it there.
function typedCall<E extends Endpoint>(call: {
  actor: Actor | undefined;
  caller: RelayKeyCaller | undefined;
  input: ParsedInputOf<E>;
  page: PageRequest;
  request: RequestFacts;
  session: SessionCookie;
}): Call<E> {
  return call as Call<E>;
}

/** Path, query and body as one flat object; where a name comes twice, path wins over query, query over body. */
function gather(endpoint: Endpoint, raw: RawCall): Record<string, unknown> {
  const { input: schema } = endpoint;
  const gathered: Record<string, unknown> = raw.method === 'GET' ? {} : { ...raw.body };
  for (const name of endpoint.query ?? []) delete gathered[name];
  // Walked once: to ask it for each of its names would take the square of them.
  const seen = new Set<string>();
  for (const [name, text] of raw.query) {
    if (seen.has(name) || !isQueryMember(endpoint, raw.method, name)) continue;
    seen.add(name);
    const value = coerceText(schema, name, text);
    if (value !== undefined) gathered[name] = value;
  }
  for (const [name, text] of Object.entries(raw.pathMembers)) gathered[name] = coerceText(schema, name, text);
  return gathered;
}

/** Throws `invalid_params`, or the code that the schema itself names, with the member at fault. */
function parseInput<E extends Endpoint>(endpoint: E, gathered: Record<string, unknown>): ParsedInputOf<E> {
  if (!endpoint.input) return checkedInput<E>({});
  const unstorable = Object.keys(gathered).find((name) => isUnstorable(gathered[name]));
  if (unstorable !== undefined) throw new TollgateError('invalid_params', {}, { field: unstorable });
  const lost = placeOfLostName(gathered);
  if (lost !== undefined) throw new TollgateError('invalid_params', {}, { field: lost.join('.') });
  const parsed = z.safeParse(endpoint.input, gathered);
  if (parsed.success) return checkedInput<E>(parsed.data);
  const issue = parsed.error.issues[0];
  const field = issue?.path.map(String).join('.') ?? '';
  const code = issue && isErrorCode(issue.message) ? issue.message : 'invalid_params';
  throw new TollgateError(code, {}, field === '' ? {} : { field });
}

/** True where a text or a name at any depth has what nobody types. */
function isUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return !isStorable(value);
  if (typeof value !== 'object' || value === null) return false;
  // A list by itself: its entries would be a list each, which takes twenty times as long.
  if (Array.isArray(value)) return value.some(isUnstorable);
  return Object.entries(value).some(([name, member]) => isUnstorable(name) || isUnstorable(member));
}

// The schema of this very endpoint has just accepted the value; its type cannot be written without naming the schema.
function checkedInput<E extends Endpoint>(value: unknown): ParsedInputOf<E> {
  return value as ParsedInputOf<E>;
}

/** True for what the handler of an `events` endpoint returns. */
export function isEventsAnswer(value: unknown): value is EventsAnswer<StreamedEvent> {
  return typeof value === 'object' && value !== null && 'events' in value;
}

/** True for what the handler of a `file` endpoint returns. */
export function isFileAnswer(value: unknown): value is FileAnswer {
  return (
    typeof value === 'object' && value !== null && 'contentType' in value && 'fileName' in value && 'body' in value
  );
}
