/**
 * Step 10: what reaches the client. Bytes go as they come, with back-pressure, keep-alives while nothing comes, and a
 * look at the money in between; a stream that breaks still ends as its protocol demands (relay.md 4.6, 15.8, 17.4).
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { SettleReason } from '../domain/settlement.ts';
import { TollgateError } from '../errors.ts';
import type { Deadlines, Watched } from '../upstream/deadlines.ts';
import type { TransportError } from '../upstream/transport.ts';
import type { ClientStream } from './client-stream.ts';
import type { Exchange } from './exchange.ts';
import type { ShownError } from './failure-answer.ts';
import type { LiveStream, StreamListener } from './reply.ts';
import type { Interruptible, RunningWork } from './running-work.ts';
import type { Spending } from './spending.ts';

/** How a delivery ended. */
export interface DeliveryEnd {
  readonly reason: SettleReason;
  /** Set when the stream did not end normally: what the client was told. */
  readonly error: ShownError | undefined;
}

export interface StreamDelivery {
  readonly exchange: Exchange;
  readonly live: LiveStream;
  readonly client: ClientStream;
  readonly spending: Spending;
  readonly deadlines: Deadlines;
  readonly work: RunningWork;
  /** Milliseconds to read on after the client left, to learn the usage. */
  readonly drainMs: number;
  /** False once the caller may no longer call. A promise where nobody remembers; it never rejects. */
  readonly mayContinue: () => boolean | Promise<boolean>;
  /** The client's words for a failure; the upstream's own error object is read by its adapter. */
  readonly show: (failure: unknown) => ShownError;
  /** What the upstream's error object in the stream means, as its adapter reads it. */
  readonly readError: () => unknown;
}

const REVIEW_MS = 2000;
const COMPLETE: DeliveryEnd = { reason: 'complete', error: undefined };

/** Passes a stream on to its end; resolves when nothing more can reach the client. */
export function deliverStream(delivery: StreamDelivery): Promise<DeliveryEnd> {
  return new Promise((resolve) => new RunningDelivery(delivery, resolve).begin());
}

class RunningDelivery implements StreamListener, Watched, Interruptible {
  readonly #delivery: StreamDelivery;
  readonly #resolve: (end: DeliveryEnd) => void;
  readonly #deadlinePlace: number;
  readonly #workPlace: number;
  #over = false;
  #clientLeft = false;
  #waitsForBooks = false;
  #drainUntilMs = 0;
  #reviewAtMs: number;

  constructor(delivery: StreamDelivery, resolve: (end: DeliveryEnd) => void) {
    this.#delivery = delivery;
    this.#resolve = resolve;
    this.#deadlinePlace = delivery.deadlines.watch(this);
    this.#workPlace = delivery.work.add(this);
    this.#reviewAtMs = delivery.deadlines.nowMs + REVIEW_MS;
  }

  begin(): void {
    const { exchange, client, live } = this.#delivery;
    client.onDrain(() => {
      if (!this.#waitsForBooks) live.resume();
    });
    exchange.sink.onGone(() => this.#clientGone());
    if (exchange.sink.gone) this.#clientGone();
    if (!this.#over) live.attach(this);
  }

  onBytes(bytes: Buffer): void {
    const { client, exchange, live, spending } = this.#delivery;
    if (this.#over) return;
    if (!this.#clientLeft && !client.write(bytes)) live.pause(exchange.sink.queuedBytes);
    if (spending.passed(bytes)) this.#review();
    if (live.reader.error !== undefined) this.#endBadly('upstream_error', this.#delivery.readError());
  }

  /** What may cost more than is held waits until the books have said whether there is more. */
  portion(events: Buffer): number {
    if (this.#waitsForBooks) return 0;
    const { spending, live } = this.#delivery;
    const size = spending.portion(events);
    if (size === 0) this.#await(spending.cover(events, live.reader));
    return size;
  }

  onEnd(): void {
    const { live, client } = this.#delivery;
    if (this.#over) return;
    if (this.#clientLeft) this.#finish({ reason: 'client_gone', error: undefined });
    else if (live.reader.error !== undefined) this.#endBadly('upstream_error', this.#delivery.readError());
    else if (!live.reader.isComplete) this.#endBadly('upstream_eof', new TollgateError('read_response_body_failed'));
    else {
      client.end();
      this.#finish(COMPLETE);
    }
  }

  onBroken(error: TransportError): void {
    if (this.#over) return;
    if (this.#clientLeft) this.#finish({ reason: 'client_gone', error: undefined });
    else if (error.kind === 'idle-timeout' || error.kind === 'total-timeout') {
      this.#endBadly('timeout', new TollgateError('upstream_timeout', {}, { cause: error }));
    } else {
      this.#endBadly('upstream_eof', new TollgateError('read_response_body_failed', {}, { cause: error }));
    }
  }

  check(nowMs: number): void {
    if (this.#clientLeft && nowMs >= this.#drainUntilMs) {
      this.#delivery.live.abort();
      this.#finish({ reason: 'client_gone', error: undefined });
    } else if (nowMs >= this.#reviewAtMs) {
      this.#reviewAtMs = nowMs + REVIEW_MS;
      this.#review();
    }
  }

  /** The node stops and its grace is over. */
  interrupt(): void {
    this.#endBadly('shutdown', new TollgateError('shutting_down'));
  }

  #clientGone(): void {
    const { live, client, deadlines, drainMs } = this.#delivery;
    if (this.#over) return;
    this.#clientLeft = true;
    client.close();
    if (drainMs === 0) {
      live.abort();
      this.#finish({ reason: 'client_gone', error: undefined });
      return;
    }
    this.#drainUntilMs = deadlines.nowMs + drainMs;
    // Back-pressure has lost its meaning: what is still read is only looked at.
    if (!this.#waitsForBooks) live.resume();
  }

  #review(): void {
    const { spending, live, mayContinue } = this.#delivery;
    const allowed = mayContinue();
    if (allowed instanceof Promise) allowed.then((known) => this.#revokeUnless(known)).catch(() => undefined);
    else this.#revokeUnless(allowed);
    this.#await(spending.review(live.reader));
  }

  /** @param looking resolves to the refusal that ends the stream */
  #await(looking: Promise<TollgateError | undefined>): void {
    const { spending, live } = this.#delivery;
    looking.then(
      (refusal) => {
        if (refusal !== undefined) this.#endBadly('quota_exhausted', refusal);
        else if (this.#waitsForBooks && !spending.isAwaited) this.#goOn();
      },
      (cause: unknown) => this.#endBadly('upstream_error', cause),
    );
    // An upstream that is faster than the books would say far more than the balance pays for (REQ-5).
    if (!spending.isAwaited || this.#waitsForBooks) return;
    this.#waitsForBooks = true;
    live.pause(Number.POSITIVE_INFINITY);
  }

  #goOn(): void {
    this.#waitsForBooks = false;
    if (!this.#over) this.#delivery.live.resume();
  }

  #revokeUnless(allowed: boolean): void {
    if (!allowed) this.#endBadly('revoked', new TollgateError('access_denied'));
  }

  /** Ends the stream with an error of the client's protocol, after everything that was already due. */
  #endBadly(reason: SettleReason, failure: unknown): void {
    if (this.#over) return;
    const { live, client, show } = this.#delivery;
    live.abort();
    const error = show(failure);
    if (!this.#clientLeft) client.breakOff(live.reader.fail(error));
    this.#finish({ reason, error });
  }

  #finish(end: DeliveryEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#delivery.deadlines.forget(this, this.#deadlinePlace);
    this.#delivery.work.remove(this, this.#workPlace);
    this.#delivery.client.close();
    this.#resolve(end);
  }
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
const LEAST_COMPRESSED_BYTES = 1024;

/** Writes a complete answer as one body. */
export function deliverWhole(
  exchange: Exchange,
  body: Buffer,
  contentType = 'application/json',
): Promise<void> | undefined {
  const accepted = exchange.request.headers['accept-encoding'];
  const isText = contentType === 'application/json';
  if (isText && typeof accepted === 'string' && body.length >= LEAST_COMPRESSED_BYTES) {
    if (isTaken('br', accepted)) return answerCompressed(exchange, 'br', compressBrotli(body, FAST_BROTLI));
    if (isTaken('gzip', accepted)) return answerCompressed(exchange, 'gzip', compressGzip(body, { level: 4 }));
  }
  exchange.sink.answer(200, contentType, body);
  return undefined;
}

/** Whether `Accept-Encoding` names the coding; a weight of 0 refuses it (RFC 9110, 12.4.2). */
function isTaken(coding: string, accepted: string): boolean {
  return accepted.split(',').some((entry) => {
    const [name = '', ...params] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && !params.some((param) => /^q=0(?:\.0*)?$/.test(param));
  });
}

/** Answers are made once and read once: a quick squeeze beats a tight one. */
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

async function answerCompressed(exchange: Exchange, encoding: string, compressing: Promise<Buffer>): Promise<void> {
  const body = await compressing;
  exchange.sink.setHeader('Content-Encoding', encoding);
  exchange.sink.setHeader('Vary', 'Accept-Encoding');
  exchange.sink.answer(200, 'application/json', body);
}
