/**
 * One relay request from admission to settlement. This room decides who may call, what it costs, which channel answers
 * and what reaches the client; it knows no Koa, no SQL and no vendor by name.
 *
 * This file: what is known about a request before anything was decided, and where its answer goes.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Actor } from '../domain/actor.ts';
import type { Capability, FormatId } from '../relay/format.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';

/** Protocol of the client: decides the shape of its errors. */
export type Surface = 'openai' | 'anthropic' | 'gemini' | 'midjourney' | 'suno';

/** Which failures may be tried elsewhere (relay.md 11.5): A per table, B only what certainly did no work. */
export type RetryClass = 'A' | 'B' | 'C';

/** How a stream is written: as server-sent events, as the elements of one JSON array, or as bytes that are neither. */
export type StreamFraming = 'sse' | 'json-array' | 'raw';

/** What a relay path asks for; one entry of the route table. */
export interface Endpoint {
  readonly surface: Surface;
  readonly capability: Capability;
  /** What the client speaks on this path. */
  readonly format: FormatId;
  readonly retryClass: RetryClass;
  /** Where a format has several operations, or several capabilities share a format: which one this is. */
  readonly operation?: string;
  /** The body may, or for audio must, be a form with files of this kind. */
  readonly form?: 'images' | 'audio';
  /** What the path asks for instead when a form is sent. */
  readonly asForm?: Endpoint;
  /** Taken when the body names no model. */
  readonly defaultModel?: string;
  /** Taken instead of `defaultModel` where nobody offers that one. */
  readonly secondModel?: string;
  /** Put to a model's name, it makes the one that calls of this kind may have a price of their own under (relay.md 5.11). */
  readonly priceEnding?: string;
  /** What is said where channels offer the model and none can answer such a call. Undefined: `endpoint_not_served`. */
  readonly unserved?: 'variations_not_served';
  /** Set where the path and not the body says how the answer is to come. */
  readonly delivery?: 'whole' | Exclude<StreamFraming, 'raw'>;
  /** False where rate limits by request do not apply (lists, counting). */
  readonly rateLimited: boolean;
}

/** True for calls that cost nothing whatever the model's price. */
export function isFreeOfCharge({ capability }: Pick<Endpoint, 'capability'>): boolean {
  return capability === 'count-tokens';
}

/** The client's request as it came in. A `key` in the query is already gone from `path` and `query`. */
export interface ClientRequest {
  readonly method: string;
  /** Collapsed path without query, as it may be logged. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Keys found in the places this path allows, as written; see `authenticate.ts`. */
  readonly queryKey: string | undefined;
  /** `api-version` of the query. */
  readonly apiVersion?: string | undefined;
  readonly body: Readable;
  /** By the trusted-proxy rule. */
  readonly clientAddress: string;
  /** Model named by the path, where the path names one. */
  readonly pathModel: string | undefined;
  /** Stands for the connection that the request came over; undefined where nothing is remembered of it. */
  readonly connection?: object;
}

/** The response side of one exchange. Written by one writer at a time; knows nothing of events or formats. */
export interface Sink {
  readonly headersSent: boolean;
  /** The client closed before the answer was complete. */
  readonly gone: boolean;
  /** Headers are added to the answer whenever it starts. */
  setHeader(name: string, value: string): void;
  /** Sets a header anew that may have been set before. */
  replaceHeader(name: string, value: string): void;
  /** Status and content type of an answer that is written in pieces. */
  start(status: number, contentType: string): void;
  /** False: hold on until `onDrain`. */
  write(chunk: Buffer | string): boolean;
  /** Ends a started answer. */
  end(): void;
  /** A whole answer at once. */
  answer(status: number, contentType: string, body: Buffer | string): void;
  /** Breaks the connection, so that the client sees an incomplete answer. */
  destroy(): void;
  /** Bytes accepted and not yet on the wire. */
  readonly queuedBytes: number;
  /** At most one listener each; a later one replaces an earlier one. */
  onDrain(listener: () => void): void;
  onGone(listener: () => void): void;
}

export interface ExchangeFacts {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly request: ClientRequest;
  readonly sink: Sink;
  /** Set where a console session stands in for a key (the playground); throws what refuses it. */
  readonly signIn?: (() => Promise<Actor>) | undefined;
  /** The world of this request: one consistent snapshot from start to end. */
  readonly view: Snapshot;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
}

/** One client request. */
export class Exchange {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly request: ClientRequest;
  readonly sink: Sink;
  readonly signIn: (() => Promise<Actor>) | undefined;
  readonly view: Snapshot;
  readonly startedAtMs: number;
  /** Monotonic milliseconds; durations are measured from here. */
  readonly startedMs: number;
  /** Bytes of its body that lie in memory, as `Gates` counts them. */
  heldBytes = 0;
  /** Whose they are: the user that `Gates` let in; 0 before, when nothing of a body is read. */
  userId = 0;

  constructor(facts: ExchangeFacts) {
    this.id = facts.id;
    this.endpoint = facts.endpoint;
    this.request = facts.request;
    this.sink = facts.sink;
    this.signIn = facts.signIn;
    this.view = facts.view;
    this.startedAtMs = facts.startedAtMs;
    this.startedMs = performance.now();
  }

  /** Milliseconds since the request began. */
  get ageMs(): number {
    return performance.now() - this.startedMs;
  }
}
