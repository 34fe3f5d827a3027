/** What a handler is told about one management call, and what the middleware keeps beside it. No Koa. */
import type { AnswerOf, Endpoint, ParsedInputOf } from '../contract/endpoint.ts';
import type { PageRequest } from '../contract/envelope.ts';
import type { Language } from '../contract/error-codes.ts';
import type { Actor } from '../domain/actor.ts';
import type { RelayKeyCaller } from './middleware/relay-key.ts';

/** Facts of the HTTP request that rules may need. */
export interface RequestFacts {
  readonly requestId: string;
  /** By the trusted-proxy rule. */
  readonly clientAddress: string;
  /** True when the peer itself is loopback and nothing says that it speaks for somebody else. */
  readonly isLocal: boolean;
  /** True when the client's side of the connection is https, as seen through a trusted proxy. */
  readonly isSecure: boolean;
  readonly userAgent: string;
  readonly language: Language;
  /** One header by its lower-case name; repeated headers are joined. */
  header(name: string): string | undefined;
}

/** The session cookie of a call, as handlers that open and close sessions use it. */
export interface SessionCookie {
  /** Id of the session named by a validly signed cookie, whether or not it still lives. */
  readonly id: string | undefined;
  /** Hands the client a new session. */
  set(id: string): void;
  clear(): void;
}

type ActorOf<E extends Endpoint> = E['access'] extends 'user' | 'admin' | 'root'
  ? Actor
  : E['access'] extends 'optional'
    ? Actor | undefined
    : undefined;

/** What a handler receives. */
export interface Call<E extends Endpoint> {
  readonly actor: ActorOf<E>;
  /** The relay key of a `key` or `key-read` endpoint. */
  readonly caller: E['access'] extends 'key' | 'key-read' ? RelayKeyCaller : undefined;
  readonly input: ParsedInputOf<E>;
  /** Rows wanted; the first page of the default size on endpoints without pages. */
  readonly page: PageRequest;
  readonly request: RequestFacts;
  readonly session: SessionCookie;
}

/** Answers one endpoint; throws `TollgateError` to refuse. */
export type Handler<E extends Endpoint> = (call: Call<E>) => AnswerOf<E> | Promise<AnswerOf<E>>;
