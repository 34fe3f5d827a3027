/** How often channel keys were used in the last minute on this node, held against their caps (REQ-28). */

const windowMs = 60_000;

/** The latest uses of one key, oldest first from `first` on; never more than its cap. */
interface KeyUses {
  readonly cap: number;
  readonly atMs: number[];
  first: number;
}

export class KeyCaps {
  readonly #now: () => number;
  /** Only keys with a cap; a key that has not been used for a minute stands here until its next use. */
  readonly #keys = new Map<number, KeyUses>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one use of a key. */
  used(key: { readonly id: number /** Uses a minute; 0 = as many as come. */; readonly cap: number }): void {
    if (key.cap === 0) {
      this.#keys.delete(key.id);
      return;
    }
    const before = this.#keys.get(key.id);
    const uses =
      before?.cap === key.cap ? before : { cap: key.cap, atMs: before?.atMs.slice(before.first) ?? [], first: 0 };
    uses.atMs.push(this.#now());
    if (uses.atMs.length - uses.first > key.cap) uses.first = uses.atMs.length - key.cap;
    // What lies before `first` is dropped by the half, so that dropping costs next to nothing for each use.
    if (uses.first > 32 && uses.first * 2 > uses.atMs.length) {
      uses.atMs.splice(0, uses.first);
      uses.first = 0;
    }
    this.#keys.set(key.id, uses);
  }

  /** Milliseconds until the key is below its cap; 0 = it is now, or has none. */
  leftMs(keyId: number): number {
    const uses = this.#keys.get(keyId);
    if (uses === undefined || uses.atMs.length - uses.first < uses.cap) return 0;
    return Math.max(0, (uses.atMs[uses.first] ?? 0) + windowMs - this.#now());
  }
}
