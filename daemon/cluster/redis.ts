/**
 * The connection to Redis that bus, counters and leases share. Redis may be emptied, restarted or gone at any time:
 * nothing here throws into a request, callers fall back to this process's own memory until it is back.
 */
import { Redis, ReplyError } from 'ioredis';
import type { BusTransport } from './bus.ts';

export interface RedisLinkDeps {
  readonly url: string;
  /** Told once per change of state; also when Redis is connected but does not do its work. */
  readonly report: (event: { state: 'connected' | 'lost'; cause?: unknown }) => void;
  /** Before every key and channel; lets several installations share a server. */
  readonly prefix?: string;
  /** How long an answer may be owed before its connection is given up for a new one; 5 s by default. */
  readonly silenceMs?: number;
}

/** How long a connection, and each question on the way to it, may take. */
const openingTimeoutMs = 5000;

/** A connection that owes an answer for so long leads nowhere, though nobody has closed it. */
const silenceTimeoutMs = 5000;

/** How long a command may take before the caller falls back. */
const commandTimeoutMs = 500;

/** After a command that failed nobody else waits for Redis for so long. */
const pauseMs = 1000;

/** A server that takes no writes is left for a new connection at most this often: it may be the only one there is. */
const leaveAgainMs = 30_000;

/**
 * Rejects when a command takes too long. Whatever lies in the socket by then is read first: where this process stood
 * still itself, the answer may have been there all the time.
 */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() => reject(new Error('Redis did not answer in time')));
    }, commandTimeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What is not cleared by then has forgotten itself: places and leases have an age. */
const owedForMs = 600_000;
const mostOwed = 10_000;

interface Owed {
  readonly work: (redis: Redis) => Promise<unknown>;
  /** By the monotonic clock. */
  readonly endsAt: number;
}

export class RedisLink {
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #prefix: string;
  readonly #report: RedisLinkDeps['report'];
  readonly #silenceMs: number;
  #pinging: NodeJS.Timeout | undefined;
  #connected = false;
  #isStopped = false;
  /** What the last report said. */
  #reported: 'connected' | 'lost' | undefined;
  #pausedUntil = 0;
  #leaveAgainAt = 0;
  /** What could not be cleared yet. */
  #owed: Owed[] = [];
  #reminder: NodeJS.Timeout | undefined;

  constructor(deps: RedisLinkDeps) {
    this.#prefix = deps.prefix ?? 'tollgate:';
    this.#report = deps.report;
    this.#silenceMs = deps.silenceMs ?? silenceTimeoutMs;
    const options = {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: openingTimeoutMs,
      // What the library asks by itself before the link is ready.
      commandTimeout: openingTimeoutMs,
      socketTimeout: this.#silenceMs,
      retryStrategy: (times: number) => Math.min(2000, 100 * times),
    };
    this.#commands = new Redis(deps.url, { ...options, reconnectOnError: (error) => this.#isReplaced(error) });
    // Each transport subscribes again by itself; the library would leave the rejection of its own attempt to nobody.
    this.#subscriber = new Redis(deps.url, { ...options, autoResubscribe: false });
    let cause: unknown;
    this.#commands.on('error', (error: unknown) => {
      cause = error;
    });
    this.#subscriber.on('error', () => undefined);
    this.#commands.on('ready', () => {
      this.#connected = true;
      this.#pausedUntil = 0;
      this.#tell('connected');
    });
    this.#commands.on('close', () => {
      if (this.#connected) this.#tell('lost', cause);
      this.#connected = false;
    });
  }

  /** True while commands can be sent. */
  get ready(): boolean {
    return this.#connected && performance.now() >= this.#pausedUntil;
  }

  /** Tries to connect; resolves either way, the link goes on trying by itself. */
  async start(): Promise<void> {
    await Promise.all([
      this.#commands.connect().catch(() => undefined),
      this.#subscriber.connect().catch(() => undefined),
    ]);
    // Who only listens would never learn that nothing can come any more.
    this.#pinging = setInterval(() => {
      this.#subscriber.ping().catch(() => undefined);
    }, this.#silenceMs).unref();
  }

  async stop(): Promise<void> {
    // What ends now is no outage.
    this.#isStopped = true;
    clearInterval(this.#pinging);
    clearTimeout(this.#reminder);
    this.#commands.disconnect();
    this.#subscriber.disconnect();
  }

  key(name: string): string {
    return this.#prefix + name;
  }

  /** Runs a command; undefined when Redis cannot answer. Never rejects. */
  async attempt<T>(work: (redis: Redis) => Promise<T>): Promise<{ readonly value: T } | undefined> {
    if (!this.ready) return undefined;
    try {
      const value = await inTime(work(this.#commands));
      this.#tell('connected');
      return { value };
    } catch (cause) {
      // It may hang, be full or refuse to write: callers must not each find that out by waiting.
      this.#pausedUntil = performance.now() + pauseMs;
      this.#tell('lost', cause);
      return undefined;
    }
  }

  /**
   * As `attempt`, for what somebody has from then on. Where no answer comes it may be given after all: nobody would have
   * it, and everybody be kept out until its age, so it is given back.
   */
  async take<T>(
    work: (redis: Redis) => Promise<T>,
    giveBack: (redis: Redis) => Promise<unknown>,
  ): Promise<{ readonly value: T } | undefined> {
    if (!this.ready) return undefined;
    const answer = await this.attempt(work);
    if (answer === undefined) void this.clear(giveBack);
    return answer;
  }

  /**
   * Takes away what nobody has any more: now, or as soon as Redis answers again, which is not waited for. `work` may run
   * more than once. Never rejects.
   */
  clear(work: (redis: Redis) => Promise<unknown>): Promise<void> {
    return this.#clear({ work, endsAt: performance.now() + owedForMs });
  }

  async #clear(owed: Owed): Promise<void> {
    let isRefused = false;
    const done = await this.attempt((redis) =>
      owed.work(redis).catch((cause: unknown) => {
        isRefused = cause instanceof ReplyError;
        throw cause;
      }),
    );
    const isOver = this.#isStopped || performance.now() >= owed.endsAt || this.#owed.length >= mostOwed;
    if (done !== undefined || isRefused || isOver) return;
    this.#owed.push(owed);
    this.#reminder ??= setTimeout(() => {
      this.#reminder = undefined;
      for (const each of this.#owed.splice(0)) void this.#clear(each);
    }, pauseMs).unref();
  }

  /** True for the answer of a server that another one took over from: the address leads to that by now. */
  #isReplaced(error: Error): boolean {
    // Redis 6 tells it in the middle of a sentence about the script.
    if (!/\bREADONLY\b/.test(error.message) || performance.now() < this.#leaveAgainAt) return false;
    this.#leaveAgainAt = performance.now() + leaveAgainMs;
    return true;
  }

  #tell(state: 'connected' | 'lost', cause?: unknown): void {
    if (this.#isStopped || this.#reported === state) return;
    this.#reported = state;
    this.#report({ state, ...(cause === undefined ? {} : { cause }) });
  }

  /**
   * Carries messages between the nodes, some of which may be lost; one stream for each name. Announcements travel in
   * `bus`, where the poll finds what was lost.
   */
  transport(name = 'bus'): BusTransport {
    const channel = this.key(name);
    return {
      publish: (message) => {
        void this.attempt((redis) => redis.publish(channel, message));
      },
      subscribe: (listener) => {
        const onMessage = (from: string, message: string) => {
          if (from === channel) listener(message);
        };
        const subscribe = () => this.#subscriber.subscribe(channel).catch(() => undefined);
        this.#subscriber.on('message', onMessage);
        this.#subscriber.on('ready', subscribe);
        if (this.#subscriber.status === 'ready') void subscribe();
        return () => {
          this.#subscriber.off('message', onMessage);
          this.#subscriber.off('ready', subscribe);
        };
      },
    };
  }
}
