/** What limited keys of channels were used for, gathered for nodes that do not share the counters. */

/** Uses of a key by one node. */
export interface KeyUse {
  readonly id: number;
  readonly requests: number;
  readonly tokens: number;
}

/** How long uses are gathered before the others are told. */
const gatheredMs = 250;

/** Uses as the text that travels between nodes. */
export function formatKeyUses(uses: readonly KeyUse[]): string {
  return JSON.stringify(uses.map(({ id, requests, tokens }) => [id, requests, tokens]));
}

/** Reads uses that another node told; what is none is passed over. */
export function parseKeyUses(text: string): KeyUse[] {
  try {
    const entries: unknown = JSON.parse(text);
    return Array.isArray(entries) ? entries.flatMap(readKeyUse) : [];
  } catch {
    return [];
  }
}

function readKeyUse(entry: unknown): KeyUse[] {
  if (!Array.isArray(entry)) return [];
  const [id, requests, tokens]: unknown[] = entry;
  return isCount(id) && isCount(requests) && isCount(tokens) ? [{ id, requests, tokens }] : [];
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export class KeyUses {
  readonly #tell: (uses: readonly KeyUse[]) => void;
  /** Those that the others have not been told. */
  readonly #untold = new Map<number, KeyUse>();

  /** @param tell a few times a second while limited keys are in use; must not throw */
  constructor(tell: (uses: readonly KeyUse[]) => void) {
    this.#tell = tell;
  }

  /** Adds to what is told of a key; less than nothing takes back what was not told yet. */
  note({ id, requests, tokens }: KeyUse): void {
    if (this.#untold.size === 0) setTimeout(() => this.#flush(), gatheredMs).unref();
    const before = this.#untold.get(id);
    const sum = { id, requests: (before?.requests ?? 0) + requests, tokens: (before?.tokens ?? 0) + tokens };
    this.#untold.set(id, sum);
  }

  #flush(): void {
    const uses = [...this.#untold.values()]
      .map((use) => ({ ...use, requests: Math.max(0, use.requests) }))
      .filter(({ requests, tokens }) => requests + tokens > 0);
    this.#untold.clear();
    if (uses.length > 0) this.#tell(uses);
  }
}
