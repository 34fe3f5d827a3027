/** Whether other nodes share the database, seen by heartbeats that move: clocks of nodes may be minutes apart. */

export interface CompanyDeps {
  /** When each node was last alive by its own clock, this one included. */
  readonly heartbeats: () => Promise<ReadonlyMap<string, number>>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** A node whose heartbeat has stood still for so long is gone. */
const silentMs = 90_000;
/** How long it is believed who is there. */
const believedMs = 10_000;

export class Company {
  readonly #deps: CompanyDeps;
  /** By node: its heartbeat, and when that was seen to be another than before. */
  #seen: ReadonlyMap<string, { readonly beat: number; readonly movedMs: number }> = new Map();
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: CompanyDeps) {
    this.#deps = deps;
  }

  /** True while at most one node is there. Who is met for the first time counts as there. */
  async isAlone(): Promise<boolean> {
    const nowMs = this.#deps.now();
    if (nowMs - this.#lookedMs >= believedMs) await this.#look(nowMs);
    const there = [...this.#seen.values()].filter(({ movedMs }) => nowMs - movedMs < silentMs);
    return there.length < 2;
  }

  async #look(nowMs: number): Promise<void> {
    const heartbeats = await this.#deps.heartbeats();
    this.#lookedMs = nowMs;
    this.#seen = new Map(
      [...heartbeats].map(([id, beat]) => {
        const before = this.#seen.get(id);
        return [id, before?.beat === beat ? before : { beat, movedMs: nowMs }];
      }),
    );
  }
}
