/**
 * The connection to Redis that bus, counters and leases share. Redis may be emptied, restarted or gone at any time:
 * nothing here throws into a request, callers fall back to this process's own memory until it is back.
 */
import { Redis } from 'ioredis';
import type { BusTransport } from './bus.ts';

export interface RedisLinkDeps {
  readonly url: string;
  /** Told once per change of state. */
  readonly report: (event: { state: 'connected' | 'lost'; cause?: unknown }) => void;
  /** Before every key and channel; lets several installations share a server. */
  readonly prefix?: string;
}

/** How long a command may take before the caller falls back. */
const commandTimeoutMs = 500;

export class RedisLink {
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #prefix: string;
  #ready = false;

  constructor(deps: RedisLinkDeps) {
    this.#prefix = deps.prefix ?? 'tollgate:';
    const options = {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: commandTimeoutMs,
      connectTimeout: 5000,
      retryStrategy: (times: number) => Math.min(2000, 100 * times),
    };
    this.#commands = new Redis(deps.url, options);
    this.#subscriber = new Redis(deps.url, { ...options, autoResubscribe: true });
    let cause: unknown;
    this.#commands.on('error', (error: unknown) => {
      cause = error;
    });
    this.#subscriber.on('error', () => undefined);
    this.#commands.on('ready', () => {
      this.#ready = true;
      deps.report({ state: 'connected' });
    });
    this.#commands.on('close', () => {
      if (this.#ready) deps.report({ state: 'lost', cause });
      this.#ready = false;
    });
  }

  /** True while commands can be sent. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Tries to connect; resolves either way, the link goes on trying by itself. */
  async start(): Promise<void> {
    await Promise.all([
      this.#commands.connect().catch(() => undefined),
      this.#subscriber.connect().catch(() => undefined),
    ]);
  }

  async stop(): Promise<void> {
    this.#commands.disconnect();
    this.#subscriber.disconnect();
  }

  key(name: string): string {
    return this.#prefix + name;
  }

  /** Runs a command, or undefined when Redis cannot answer. */
  async attempt<T>(work: (redis: Redis) => Promise<T>): Promise<{ value: T } | undefined> {
    if (!this.#ready) return undefined;
    try {
      return { value: await work(this.#commands) };
    } catch {
      return undefined;
    }
  }

  /** Carries announcements; a message lost is found by the poll. */
  transport(): BusTransport {
    const channel = this.key('bus');
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
