/**
 * What calls leave to be looked at behind them: of each subject the newest fact, gathered for a moment and judged in
 * batches, one after the other. Offering costs one write into a map.
 */
export interface GatheringDeps<Fact> {
  /** Judges facts by the id of their subject. */
  readonly judge: (batch: ReadonlyMap<number, Fact>) => Promise<void>;
  /** Told when a batch could not be judged. */
  readonly report: (cause: unknown) => void;
  /** How long facts gather; 250 ms when undefined. */
  readonly gatherMs?: number | undefined;
}

const maxPending = 10_000;
const batchSize = 500;
const gatherDefaultMs = 250;

export class Gathering<Fact> {
  readonly #deps: GatheringDeps<Fact>;
  readonly #pending = new Map<number, Fact>();
  #timer: NodeJS.Timeout | undefined;
  #judging: Promise<void> = Promise.resolve();
  #overlooked = 0;

  constructor(deps: GatheringDeps<Fact>) {
    this.#deps = deps;
  }

  /** Facts that were not judged because too many waited. */
  get overlooked(): number {
    return this.#overlooked;
  }

  /** The fact of this subject that waits; undefined when none does. */
  waiting(id: number): Fact | undefined {
    return this.#pending.get(id);
  }

  /** Keeps a fact to be judged, in place of an older one of the same subject. */
  offer(id: number, fact: Fact): void {
    if (this.#pending.size >= maxPending && !this.#pending.has(id)) {
      this.#overlooked += 1;
      return;
    }
    this.#pending.set(id, fact);
    this.#timer ??= setTimeout(() => void this.flush(), this.#deps.gatherMs ?? gatherDefaultMs).unref();
  }

  /** Judges at once what has gathered; resolves when that and everything before it is judged. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const facts = [...this.#pending];
    this.#pending.clear();
    this.#judging = this.#judging.then(() => this.#judgeAll(facts)).catch(this.#deps.report);
    return this.#judging;
  }

  async #judgeAll(facts: readonly (readonly [number, Fact])[]): Promise<void> {
    for (let from = 0; from < facts.length; from += batchSize) {
      await this.#deps.judge(new Map(facts.slice(from, from + batchSize)));
    }
  }
}
