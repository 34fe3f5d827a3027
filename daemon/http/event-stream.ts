/** The body of an answer that is a stream of server-sent events: kept alive, checked for its right to go on, and ended. */
import { Readable } from 'node:stream';
import { formatEvent, keepAliveText, type StreamedEvent } from '../contract/event-stream.ts';
import { TollgateError } from '../errors.ts';

export interface EventBodyOptions {
  /** Rejects once the caller may not read on; asked about once a second. */
  readonly mayGoOn: () => Promise<unknown>;
  readonly timing?: EventTiming;
}

/** Milliseconds. */
export interface EventTiming {
  /** Between two looks at the caller's rights. */
  readonly checkMs: number;
  /** Without an event, after which a line shows that the stream lives. */
  readonly keepAliveMs: number;
  /** For which a reader may take nothing at all. */
  readonly stallMs: number;
}

const usual: EventTiming = { checkMs: 1000, keepAliveMs: 15_000, stallMs: 60_000 };
/** How much is written before the reader must have taken some. */
const aheadBytes = 64 * 1024;
/** How long the last event may take to leave. */
const farewellMs = 1000;

export class EventBody extends Readable {
  readonly #events: AsyncIterator<StreamedEvent>;
  readonly #mayGoOn: () => Promise<unknown>;
  readonly #timing: EventTiming;
  readonly #timer: NodeJS.Timeout;
  #isReading = false;
  #isChecking = false;
  #isOver = false;
  #wroteAtMs = performance.now();
  #checkedAtMs = performance.now();
  /** Since when the reader has taken nothing; undefined while there is room. */
  #fullSinceMs: number | undefined;

  constructor(events: AsyncIterable<StreamedEvent>, { mayGoOn, timing = usual }: EventBodyOptions) {
    super({ highWaterMark: aheadBytes });
    this.#events = events[Symbol.asyncIterator]();
    this.#mayGoOn = mayGoOn;
    this.#timing = timing;
    this.#timer = setInterval(() => this.#tick(), Math.min(timing.checkMs, timing.keepAliveMs, timing.stallMs) / 2);
    this.#timer.unref();
  }

  /** Asked whenever there is room. */
  override _read(): void {
    this.#fullSinceMs = undefined;
    if (this.#isReading || this.#isOver) return;
    this.#isReading = true;
    this.#events.next().then(
      ({ done, value }) => {
        this.#isReading = false;
        if (done === true) this.#finish();
        else this.#write(formatEvent(value));
      },
      (error: unknown) => this.destroy(error instanceof Error ? error : undefined),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    const close = this.#events.return?.() ?? Promise.resolve();
    close.then(
      () => done(error),
      () => done(error),
    );
  }

  #write(text: string): void {
    if (this.#isOver) return;
    this.#wroteAtMs = performance.now();
    if (!this.push(text)) this.#fullSinceMs ??= this.#wroteAtMs;
  }

  #tick(): void {
    if (this.#isOver) return;
    const nowMs = performance.now();
    const { checkMs, keepAliveMs, stallMs } = this.#timing;
    if (this.#fullSinceMs !== undefined && nowMs - this.#fullSinceMs >= stallMs) {
      this.destroy();
      return;
    }
    if (this.#fullSinceMs === undefined && nowMs - this.#wroteAtMs >= keepAliveMs) this.#write(keepAliveText);
    if (!this.#isChecking && nowMs - this.#checkedAtMs >= checkMs) void this.#check();
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    try {
      await this.#mayGoOn();
    } catch (error) {
      // While the database is away nobody can be told apart; nothing new comes from there either.
      if (!(error instanceof TollgateError) || error.kind !== 'unavailable') this.#refuse(error);
    } finally {
      this.#checkedAtMs = performance.now();
      this.#isChecking = false;
    }
  }

  #refuse(error: unknown): void {
    if (this.#isOver) return;
    const code = error instanceof TollgateError ? error.code : 'internal_error';
    this.push(formatEvent({ event: 'ended', data: { code } }));
    this.#finish();
  }

  /** Ends behind what was written; a reader who does not take it is hung up on. */
  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.push(null);
    setTimeout(() => this.destroy(), farewellMs).unref();
  }
}

/**
 * Each event as something else. No generator: one that waits for the next event cannot be told that nobody reads on.
 */
export function mapEvents<In, Out>(events: AsyncIterable<In>, map: (event: In) => Out): AsyncIterableIterator<Out> {
  const source = events[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await source.next();
      return done === true ? { done, value: undefined } : { done: false, value: map(value) };
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
