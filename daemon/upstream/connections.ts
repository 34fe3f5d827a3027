/**
 * The connections to one origin, and the line of calls that wait for one. The connection that came free last is the next
 * one used, so that those nobody needs grow old and close. undici's own pool looks through its clients twice a call,
 * opens the bodies of calls that still wait, and breaks a connection for each of them that is called off.
 */
import type { Connection } from './connection.ts';

/** A call that needs a connection to itself. */
export interface Rider {
  /** Has the connection from now on, until it is given back with `free`. */
  ride(connection: Connection): void;
  /** There will be none. */
  strand(): void;
}

export class Connections {
  readonly #limit: number;
  readonly #open: () => Connection;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  readonly #waiting = new Set<Rider>();
  #closes = false;
  #emptied: (() => void) | undefined;

  /** @param limit connections at a time; further calls wait in line */
  constructor(limit: number, open: () => Connection) {
    this.#limit = limit;
    this.#open = open;
  }

  /** Gives the rider a connection, now or when one comes free. */
  take(rider: Rider): void {
    if (this.#closes) {
      rider.strand();
      return;
    }
    const connection = this.#free.pop() ?? this.#another();
    if (connection === undefined) this.#waiting.add(rider);
    else rider.ride(connection);
  }

  /** Gives a connection back; it may have broken, then the next rider opens it again. */
  free(connection: Connection): void {
    // Hardly ever is there a line: no iterator is made to find that out.
    const next = this.#waiting.size === 0 ? undefined : this.#waiting.values().next().value;
    if (next !== undefined) {
      this.#waiting.delete(next);
      next.ride(connection);
      return;
    }
    this.#free.push(connection);
    if (this.#emptied !== undefined && this.#isIdle) this.#emptied();
  }

  /** Called off in line; nothing happens to a rider that has its connection. */
  leave(rider: Rider): void {
    this.#waiting.delete(rider);
  }

  /** Takes no more calls, waits for those under way and in line, then closes. */
  async close(): Promise<void> {
    this.#closes = true;
    if (!this.#isIdle) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
      });
    }
    await Promise.all(this.#all.map((connection) => connection.close()));
  }

  /** Breaks the calls under way and leaves those in line without a connection. */
  async destroy(): Promise<void> {
    this.#closes = true;
    const stranded = [...this.#waiting];
    this.#waiting.clear();
    for (const rider of stranded) rider.strand();
    await Promise.all(this.#all.map((connection) => connection.destroy()));
  }

  /** How many have a rider. */
  get used(): number {
    return this.#all.length - this.#free.length;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get #isIdle(): boolean {
    return this.#free.length === this.#all.length;
  }

  #another(): Connection | undefined {
    if (this.#all.length >= this.#limit) return undefined;
    const connection = this.#open();
    this.#all.push(connection);
    return connection;
  }
}
