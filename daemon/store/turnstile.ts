/** Hands out a fixed set of resources one user at a time, first come first served. */

interface Waiter<Resource> {
  resolve(resource: Resource): void;
  reject(error: Error): void;
}

export class Turnstile<Resource> {
  readonly #free: Resource[];
  readonly #size: number;
  readonly #limit: number;
  readonly #full: () => Error;
  #waiting: Waiter<Resource>[] = [];
  /** Index of the first waiter, so that a long queue is not shifted element by element. */
  #head = 0;
  #closed: (() => Error) | undefined;

  /** @param options.limit how many may wait; whoever comes after them is refused with `full()`. */
  constructor(resources: readonly Resource[], options: { limit: number; full: () => Error }) {
    this.#free = [...resources];
    this.#size = resources.length;
    this.#limit = options.limit;
    this.#full = options.full;
  }

  /** Resolves with a resource that is the caller's until `release`. */
  acquire(): Promise<Resource> {
    if (this.#closed) return Promise.reject(this.#closed());
    const free = this.#free.pop();
    if (free !== undefined) return Promise.resolve(free);
    if (this.waiting >= this.#limit) return Promise.reject(this.#full());
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Gives a resource to the next in line. */
  release(resource: Resource): void {
    const next = this.#waiting[this.#head];
    if (!next) {
      this.#free.push(resource);
      return;
    }
    this.#head += 1;
    if (this.#head > 1024 || this.#head === this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    next.resolve(resource);
  }

  /** How many are in somebody's hands. */
  get used(): number {
    return this.#size - this.#free.length;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length - this.#head;
  }

  /** Refuses everybody who waits or comes later; resources in use are still released as usual. */
  close(reason: () => Error): void {
    this.#closed = reason;
    const waiting = this.#waiting.slice(this.#head);
    this.#waiting = [];
    this.#head = 0;
    for (const waiter of waiting) waiter.reject(reason());
  }
}
