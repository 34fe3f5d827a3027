/**
 * How often channel keys were used in the last minute, held against their caps (REQ-28). Each node counts its own uses as
 * they happen and is told those of the others a moment later: nothing here waits for anybody.
 */

const windowMs = 60_000;

/** Uses of a key as they are told to other nodes. */
export interface KeyUseCount {
  readonly id: number;
  readonly cap: number;
  readonly uses: number;
}

/** The latest uses of one key, oldest first from `first` on; never more than its cap. */
interface KeyUses {
  readonly cap: number;
  readonly atMs: number[];
  first: number;
}

/** How long uses are gathered before the others are told. */
const gatheredMs = 250;

/** Uses as the text that travels between nodes. */
export function formatKeyUses(counts: readonly KeyUseCount[]): string {
  return JSON.stringify(counts.map(({ id, cap, uses }) => [id, cap, uses]));
}

/** Reads uses that another node told; what is none is passed over. */
export function parseKeyUses(text: string): KeyUseCount[] {
  try {
    const entries: unknown = JSON.parse(text);
    return Array.isArray(entries) ? entries.flatMap(readKeyUses) : [];
  } catch {
    return [];
  }
}

function readKeyUses(entry: unknown): KeyUseCount[] {
  if (!Array.isArray(entry)) return [];
  const [id, cap, uses]: unknown[] = entry;
  if (typeof id !== 'number' || typeof cap !== 'number' || typeof uses !== 'number') return [];
  return cap > 0 && uses > 0 ? [{ id, cap, uses: Math.min(uses, cap) }] : [];
}

export class KeyCaps {
  readonly #now: () => number;
  readonly #tell: ((counts: readonly KeyUseCount[]) => void) | undefined;
  /** Own uses that the others have not been told. */
  readonly #untold = new Map<number, KeyUseCount>();
  /** Only keys with a cap; a key that has not been used for a minute stands here until its next use. */
  readonly #keys = new Map<number, KeyUses>();

  /**
   * @param now milliseconds of a clock that never goes back
   * @param tell tells the other nodes, a few times a second while keys with a cap are in use; must not throw
   */
  constructor(now: () => number, tell?: (counts: readonly KeyUseCount[]) => void) {
    this.#now = now;
    this.#tell = tell;
  }

  /** Counts one use of a key. */
  used(key: { readonly id: number /** Uses a minute; 0 = as many as come. */; readonly cap: number }): void {
    if (key.cap === 0) {
      this.#keys.delete(key.id);
      return;
    }
    this.#count(key);
    if (this.#tell) this.#gather(key);
  }

  /** Counts uses of other nodes as if they were of this moment. */
  learn(counts: readonly KeyUseCount[]): void {
    for (const { id, cap, uses } of counts) {
      for (let at = 0; at < Math.min(uses, cap); at += 1) this.#count({ id, cap });
    }
  }

  #gather({ id, cap }: { readonly id: number; readonly cap: number }): void {
    if (this.#untold.size === 0) {
      setTimeout(() => {
        const counts = [...this.#untold.values()];
        this.#untold.clear();
        this.#tell?.(counts);
      }, gatheredMs).unref();
    }
    this.#untold.set(id, { id, cap, uses: (this.#untold.get(id)?.uses ?? 0) + 1 });
  }

  #count(key: { readonly id: number; readonly cap: number }): void {
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
