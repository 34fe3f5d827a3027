/**
 * Messages between nodes that have no Redis: rows of a table, gathered for a moment and announced by a revision, so that
 * nobody looks for them while there are none. They may be lost, and a node by itself writes none.
 */
import type { Bus, BusTransport } from './bus.ts';

/** A message under the name of what it is about. */
export interface NewsMessage {
  readonly name: string;
  readonly body: string;
}

/** As it was stored. */
export interface StoredNews extends NewsMessage {
  /** Rises with every message. */
  readonly id: number;
  readonly sender: string;
}

export interface TableNewsDeps {
  /** Stores messages of this process and raises the revision of the topic; returns it. */
  readonly write: (messages: readonly NewsMessage[], topic: string) => Promise<number>;
  readonly readAfter: (id: number) => Promise<readonly StoredNews[]>;
  readonly latestId: () => Promise<number>;
  /** False while other nodes share the database. */
  readonly isAlone: () => Promise<boolean>;
  readonly bus: Pick<Bus, 'announce' | 'onChange'>;
  /** Names this process among the senders. */
  readonly sender: string;
  /** Messages that could not be written are lost. */
  readonly report: (cause: unknown) => void;
}

const topic = 'news';
const gatheredMs = 250;
/** Messages that wait to be written. */
const waitingAtMost = 1000;

export class TableNews {
  readonly #deps: TableNewsDeps;
  readonly #listeners = new Map<string, Set<(body: string) => void>>();
  #waiting: NewsMessage[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  /** The reads that were begun, one behind the other: two at once would both find the same messages. */
  #reading: Promise<void> = Promise.resolve();
  #seen = 0;
  #isStopped = false;
  #stopListening: (() => void) | undefined;

  constructor(deps: TableNewsDeps) {
    this.#deps = deps;
  }

  /** Listens from now on; what was said before is past. */
  async start(): Promise<void> {
    this.#seen = await this.#deps.latestId();
    this.#stopListening = this.#deps.bus.onChange((changed) => (changed === topic ? this.#read() : undefined));
  }

  /** What waits is dropped; resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#stopListening?.();
    await this.#writing;
  }

  /** Carries the messages of one name; a process does not hear itself. */
  transport(name: string): BusTransport {
    return {
      publish: (body) => this.#publish({ name, body }),
      subscribe: (listener) => {
        const listeners = this.#listeners.get(name) ?? new Set();
        this.#listeners.set(name, listeners.add(listener));
        return () => listeners.delete(listener);
      },
    };
  }

  #publish(message: NewsMessage): void {
    if (this.#isStopped || this.#waiting.length >= waitingAtMost) return;
    this.#waiting.push(message);
    this.#plan();
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#writing = this.#write().finally(() => {
        this.#timer = undefined;
        this.#plan();
      });
    }, gatheredMs);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const messages = this.#waiting;
    this.#waiting = [];
    try {
      if (await this.#deps.isAlone()) return;
      await this.#deps.bus.announce(topic, await this.#deps.write(messages, topic));
    } catch (cause) {
      this.#deps.report(cause);
    }
  }

  /** Resolves when everything has been told on that was stored before the call. */
  #read(): Promise<void> {
    const reading = this.#reading.then(() => this.#tellOn());
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #tellOn(): Promise<void> {
    const { readAfter, sender } = this.#deps;
    for (const message of await readAfter(this.#seen)) {
      this.#seen = Math.max(this.#seen, message.id);
      if (message.sender === sender) continue;
      for (const listener of this.#listeners.get(message.name) ?? []) listener(message.body);
    }
  }
}

/** The same over a transport where processes hear themselves. */
export function toOthers(transport: BusTransport, sender: string): BusTransport {
  const own = `${sender} `;
  return {
    publish: (message) => transport.publish(own + message),
    subscribe: (listener) =>
      transport.subscribe((message) => {
        if (!message.startsWith(own)) listener(message.slice(message.indexOf(' ') + 1));
      }),
  };
}
