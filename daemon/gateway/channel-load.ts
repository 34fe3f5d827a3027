/** What channels are serving on this node and, as these tell it, on the others: `least_busy` routing reads it. */

/** How many calls of each channel run on one node. */
export interface LoadNews {
  /** Another one after each start. */
  readonly node: string;
  readonly running: readonly (readonly [channelId: number, calls: number])[];
}

export interface SharedLoad {
  readonly node: string;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** True while somebody routes by it: the others are told of nothing else. */
  readonly isAsked: () => boolean;
  /** Must not throw. */
  readonly tell: (news: LoadNews) => void;
}

/** How long changes are gathered. */
const gatheredMs = 100;
/** How often a node says what runs for long. */
const saidMs = 3000;
/** So long after its last word a node's calls are believed to run: it may have died. */
const believedMs = 10_000;

/** News as the text that travels between nodes. */
export function formatLoadNews({ node, running }: LoadNews): string {
  return JSON.stringify([node, ...running]);
}

/** Reads news that another node told; undefined for anything else. */
export function parseLoadNews(text: string): LoadNews | undefined {
  try {
    const parts: unknown = JSON.parse(text);
    if (!Array.isArray(parts)) return undefined;
    const [node, ...counts]: unknown[] = parts;
    return typeof node === 'string' ? { node, running: counts.flatMap(readCount) } : undefined;
  } catch {
    return undefined;
  }
}

function readCount(entry: unknown): (readonly [number, number])[] {
  if (!Array.isArray(entry)) return [];
  const [channelId, calls]: unknown[] = entry;
  return typeof channelId === 'number' && typeof calls === 'number' && calls > 0 ? [[channelId, calls]] : [];
}

interface OtherNode {
  readonly running: ReadonlyMap<number, number>;
  readonly untilMs: number;
}

export class ChannelLoad {
  readonly #running = new Map<number, number>();
  readonly #others = new Map<string, OtherNode>();
  readonly #shared: SharedLoad | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #saying: NodeJS.Timeout | undefined;

  /** @param shared how nodes tell each other; absent for a node by itself */
  constructor(shared?: SharedLoad) {
    this.#shared = shared;
  }

  enter(channelId: number): void {
    this.#running.set(channelId, this.#own(channelId) + 1);
    this.#changed();
  }

  leave(channelId: number): void {
    const left = this.#own(channelId) - 1;
    if (left > 0) this.#running.set(channelId, left);
    else this.#running.delete(channelId);
    this.#changed();
  }

  /**
   * How busy a channel is: calls of this node, and those of the others as one of so many. What these tell is past by up
   * to a second or two; if it counted in full, all nodes would turn to the same channels, and from them, together.
   */
  running(channelId: number): number {
    const own = this.#own(channelId);
    if (this.#others.size === 0) return own;
    const nowMs = this.#shared?.now() ?? 0;
    let nodes = 1;
    let calls = 0;
    for (const { running, untilMs } of this.#others.values()) {
      if (untilMs <= nowMs) continue;
      nodes += 1;
      calls += running.get(channelId) ?? 0;
    }
    return own + calls / nodes;
  }

  /** Takes what another node told. */
  learn({ node, running }: LoadNews): void {
    const nowMs = this.#shared?.now() ?? 0;
    for (const [name, { untilMs }] of this.#others) if (untilMs <= nowMs) this.#others.delete(name);
    if (running.length === 0) this.#others.delete(node);
    else this.#others.set(node, { running: new Map(running), untilMs: nowMs + believedMs });
  }

  #own(channelId: number): number {
    return this.#running.get(channelId) ?? 0;
  }

  #changed(): void {
    const shared = this.#shared;
    if (shared === undefined || this.#gathering !== undefined || !shared.isAsked()) return;
    clearTimeout(this.#saying);
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      shared.tell({ node: shared.node, running: [...this.#running] });
      if (this.#running.size > 0) this.#saying = setTimeout(() => this.#changed(), saidMs).unref();
    }, gatheredMs).unref();
  }
}
