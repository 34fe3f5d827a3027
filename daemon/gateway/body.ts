/** Reads the client's body up to its limits (relay.md 17.3): kept once, as it is, for every attempt. */
import type { Transform } from 'node:stream';
import { TollgateError } from '../errors.ts';
import { PieceList } from '../relay/framing/piece-list.ts';
import { createDecoder, isIdentity } from '../upstream/content-coding.ts';
import type { Deadlines, Watched } from '../upstream/deadlines.ts';
import type { ClientRequest, Exchange } from './exchange.ts';
import type { Gates } from './gates.ts';

export interface BodyLimits {
  /** After decompression. */
  readonly maxBytes: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** What reading a body needs beside the request. */
export interface BodyDeps {
  readonly limits: BodyLimits;
  /** Counts what all bodies have in memory. */
  readonly room: Pick<Gates, 'hold' | 'refusalOf'>;
  readonly deadlines: Deadlines;
}

/** A compressed body may not grow by more than this; small ones may, since every format compresses those well. */
const MAX_RATIO = 200;
const RATIO_FREE_BYTES = 1024 * 1024;

/**
 * The decoded body. Throws `payload_too_large` (413), what `Gates.hold` refuses it with, `request_body_stalled` (408) and
 * `read_request_body_failed` for unknown or broken encodings and for a client that left.
 */
export function readBody(exchange: Exchange, deps: BodyDeps): Promise<Buffer> {
  const { request } = exchange;
  const refusal = refusalOf(exchange, deps);
  if (refusal !== undefined) {
    request.body.resume();
    return Promise.reject(refusal);
  }
  const encoding = request.headers['content-encoding'];
  if (isIdentity(encoding)) return new BodyReading(exchange, deps).whole;
  const decoder = createDecoder(encoding ?? '');
  if (decoder === undefined) {
    request.body.resume();
    return Promise.reject(new TollgateError('read_request_body_failed'));
  }
  return new BodyReading(exchange, deps, decoder).whole;
}

/** Why a body of the length that it announces is not read; undefined where it is. */
function refusalOf(exchange: Exchange, { limits, room }: BodyDeps): TollgateError | undefined {
  if (hasLeft(exchange)) return new TollgateError('read_request_body_failed');
  const declared = Number(exchange.request.headers['content-length'] ?? 0);
  return declared > limits.maxBytes ? new TollgateError('payload_too_large') : room.refusalOf(exchange, declared);
}

/** The client left while its key was looked up: nothing more will be heard of its body, not even that it closed. */
export function hasLeft({ request }: Exchange): boolean {
  return request.body.destroyed;
}

/** A refused request's body is read and dropped while it is small; of a large one no more is taken (relay.md 1.1 step 4). */
export function discardBody(exchange: Exchange): void {
  const { request, sink } = exchange;
  if (request.body.readableEnded) return;
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(declared <= MAX_DISCARDED_BYTES)) sink.setHeader('Connection', 'close');
  request.body.resume();
}

const MAX_DISCARDED_BYTES = 64 * 1024;

/** One body on its way in. */
class BodyReading implements Watched {
  readonly whole: Promise<Buffer>;
  readonly #exchange: Exchange;
  readonly #request: ClientRequest;
  readonly #limits: BodyLimits;
  readonly #room: BodyDeps['room'];
  readonly #deadlines: Deadlines;
  readonly #place: number;
  readonly #decoder: Transform | undefined;
  readonly #pieces = new PieceList();
  #encodedBytes = 0;
  #over = false;
  readonly #startedMs: number;
  #lastByteMs: number;
  #resolve: (body: Buffer) => void = () => {};
  #reject: (error: TollgateError) => void = () => {};

  constructor(exchange: Exchange, deps: BodyDeps, decoder?: Transform) {
    this.#exchange = exchange;
    this.#request = exchange.request;
    this.#limits = deps.limits;
    this.#room = deps.room;
    this.#deadlines = deps.deadlines;
    this.#decoder = decoder;
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#place = this.#deadlines.watch(this);
    this.#startedMs = this.#deadlines.nowMs;
    this.#lastByteMs = this.#startedMs;
    this.#listen();
  }

  check(nowMs: number): void {
    const { idleMs, totalMs } = this.#limits;
    if (nowMs - this.#lastByteMs < idleMs && nowMs - this.#startedMs < totalMs) return;
    this.#fail(new TollgateError('request_body_stalled'));
  }

  #listen(): void {
    const { body } = this.#request;
    if (this.#decoder === undefined) {
      body.on('data', (chunk: Buffer) => {
        this.#lastByteMs = this.#deadlines.nowMs;
        this.#take(chunk);
      });
      body.on('end', () => this.#finish());
    } else {
      const decoder = this.#decoder;
      body.on('data', (chunk: Buffer) => {
        this.#lastByteMs = this.#deadlines.nowMs;
        this.#encodedBytes += chunk.length;
        if (!this.#over && !decoder.write(chunk)) body.pause();
      });
      body.on('end', () => decoder.end());
      decoder.on('drain', () => body.resume());
      decoder.on('data', (chunk: Buffer) => this.#take(chunk));
      decoder.on('end', () => this.#finish());
      decoder.on('error', (cause) => this.#fail(new TollgateError('read_request_body_failed', {}, { cause })));
    }
    body.on('error', (cause) => this.#fail(new TollgateError('read_request_body_failed', {}, { cause })));
    body.on('close', () => {
      // Follows every body, whole ones too, whose decoder may still be busy.
      if (!this.#over && !body.readableEnded) this.#fail(new TollgateError('read_request_body_failed'));
    });
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    const bytes = this.#pieces.length + chunk.length;
    const bomb = this.#decoder !== undefined && bytes > RATIO_FREE_BYTES && bytes > this.#encodedBytes * MAX_RATIO;
    const tooLarge = bytes > this.#limits.maxBytes || bomb;
    const refusal = tooLarge ? new TollgateError('payload_too_large') : this.#room.hold(this.#exchange, chunk.length);
    if (refusal === undefined) this.#pieces.push(chunk);
    else this.#fail(refusal);
  }

  #finish(): void {
    if (this.#over) return;
    this.#stop();
    this.#resolve(this.#pieces.take());
  }

  #fail(error: TollgateError): void {
    if (this.#over) return;
    this.#stop();
    this.#pieces.clear();
    this.#decoder?.destroy();
    // The rest is read and dropped, so that the answer can still reach a client that is busy sending.
    this.#request.body.resume();
    this.#reject(error);
  }

  #stop(): void {
    this.#over = true;
    this.#deadlines.forget(this, this.#place);
  }
}
