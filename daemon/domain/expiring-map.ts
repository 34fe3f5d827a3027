/** A map whose entries run out and whose size is bounded: what was stored or refreshed longest ago goes first. */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly untilMs: number }>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.untilMs > this.#now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Stores or refreshes an entry; with `maxEntries` 0 nothing is kept. */
  set(key: string, value: V, bounds: { readonly ttlMs: number; readonly maxEntries: number }): void {
    this.#entries.delete(key);
    if (bounds.maxEntries <= 0) return;
    this.#entries.set(key, { value, untilMs: this.#now() + bounds.ttlMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= bounds.maxEntries) break;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
