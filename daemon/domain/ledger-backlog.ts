/**
 * Settlements on their way into the books. While the database answers they go in groups, one transaction at a time;
 * when it does not, they are tried again shortly, then kept in the journal and replayed when it is back. Nobody waits
 * for them, and none is lost.
 */
import { TollgateError } from '../errors.ts';
import type { LedgerEvent } from './ledger-events.ts';
import type { LedgerJournal } from './ledger-journal.ts';
import type { SettleResult } from './ledger-settlements.ts';
import type { Settlement } from './settlement.ts';

export interface LedgerBacklogDeps {
  /** Applies a group in one transaction; throws `db_unavailable` when the database does not answer. */
  readonly apply: (group: readonly Settlement[]) => Promise<readonly SettleResult[]>;
  readonly journal: LedgerJournal;
  /** Told of every settlement whose request the books now know as closed. */
  readonly closed: (settlement: Settlement, result: SettleResult) => void;
  readonly report: (event: LedgerEvent) => void;
  readonly maxGroup: number;
  /** Pauses before the further tries of a group that met no database; then it is journalled. */
  readonly retryDelaysMs: readonly number[];
  /** Pause between looks whether the database is back. */
  readonly replayDelayMs: number;
}

/** A group of so many is not made to wait for more. */
const GATHERED = 64;
const GATHER_MS = 5;

interface Entry {
  readonly settlement: Settlement;
  readonly resolve: () => void;
}

export class LedgerBacklog {
  readonly #deps: LedgerBacklogDeps;
  #waiting: Entry[] = [];
  #running: Promise<void> | undefined;
  /** The group that is being secured. */
  #group: Promise<void> | undefined;
  /** True while the journal holds settlements: new ones join them instead of waiting for a dead database. */
  #journalling = false;
  #replayTimer: NodeJS.Timeout | undefined;
  #replaying: Promise<void> | undefined;
  /** The process ends: what the database has not taken by now goes to the journal. */
  #isHurried = false;
  /** Gives up the group that is being tried. */
  #giveUp: () => void = () => undefined;

  constructor(deps: LedgerBacklogDeps) {
    this.#deps = deps;
  }

  /** Settlements that are neither in the books nor on disk yet, running group left out. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when no more than so many settlements wait. */
  async below(limit: number): Promise<void> {
    while (this.#waiting.length > limit && this.#group) await this.#group;
  }

  /** Resolves when the settlement is in the books, or safe in the journal. */
  submit(settlement: Settlement): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ settlement, resolve });
      this.#running ??= this.#run();
    });
  }

  /** Puts what an earlier process left in the journal into the books; tries again in the background if it cannot. */
  async start(): Promise<void> {
    await this.#replay();
  }

  /** Resolves when every settlement is in the books or safe on disk. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /**
   * Looks no more whether the database is back. Once it is `late`, what it has not taken is left to the journal: a
   * settlement that reaches the books both ways counts once.
   */
  async stop(late: Promise<void>): Promise<void> {
    clearTimeout(this.#replayTimer);
    late.then(() => this.#hurry());
    await this.drain();
    await Promise.race([this.#replaying, late]);
    this.#isHurried = true;
    clearTimeout(this.#replayTimer);
  }

  #hurry(): void {
    this.#isHurried = true;
    this.#giveUp();
  }

  async #run(): Promise<void> {
    // What ended in the same turn of the event loop joins the first group; that costs no waiting.
    await new Promise((resume) => setImmediate(resume));
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#deps.maxGroup);
      this.#group = this.#secure(group.map((entry) => entry.settlement));
      await this.#group;
      for (const entry of group) entry.resolve();
      // A large group costs the database hardly more than a small one. Where they come without end they gather a moment.
      if (this.#waiting.length > 0 && this.#waiting.length < GATHERED) {
        this.#group = pause(GATHER_MS);
        await this.#group;
      }
    }
    this.#group = undefined;
    this.#running = undefined;
  }

  /** Brings a group into the books or onto the disk, whatever it takes. */
  async #secure(group: readonly Settlement[]): Promise<void> {
    if (!this.#journalling && !this.#isHurried && (await this.#applyUnlessLate(group))) return;
    for (let failures = 0; ; failures++) {
      try {
        await this.#deps.journal.append(group);
        break;
      } catch (cause) {
        // Neither database nor disk: hold on to the group and try both again. New holds are refused meanwhile.
        this.#deps.report({ kind: 'journal-failed', cause });
        await pause(Math.min(100 * 2 ** failures, 5000));
        if (await this.#apply(group)) return;
      }
    }
    this.#deps.report({ kind: 'journalled', count: group.length });
    this.#journalling = true;
    this.#scheduleReplay();
  }

  /** One group at a time is under way. */
  #applyUnlessLate(group: readonly Settlement[]): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(false);
      this.#applyWithRetry(group).then(resolve, reject);
    });
  }

  async #applyWithRetry(group: readonly Settlement[]): Promise<boolean> {
    for (const delayMs of this.#deps.retryDelaysMs) {
      if (await this.#apply(group)) return true;
      if (this.#isHurried) return false;
      await pause(delayMs);
    }
    return this.#apply(group);
  }

  /**
   * False when the database is away. A group that it refuses for another reason is halved until the settlement at fault
   * stands alone; that one is put aside, so that it cannot keep the others out of the books.
   */
  async #apply(group: readonly Settlement[]): Promise<boolean> {
    try {
      const results = await this.#deps.apply(group);
      group.forEach((settlement, index) => {
        const result = results[index];
        if (result) this.#deps.closed(settlement, result);
      });
      return true;
    } catch (cause) {
      if (cause instanceof TollgateError && cause.kind === 'unavailable') {
        this.#deps.report({ kind: 'database-away', cause });
        return false;
      }
      const [first, ...rest] = group;
      if (first && rest.length === 0) return this.#putAside(first, cause);
      const half = group.length >> 1;
      const left = await this.#apply(group.slice(0, half));
      const right = await this.#apply(group.slice(half));
      return left && right;
    }
  }

  async #putAside(settlement: Settlement, cause: unknown): Promise<boolean> {
    this.#deps.report({ kind: 'rejected', requestId: settlement.requestId, cause });
    try {
      await this.#deps.journal.reject(settlement, cause);
      return true;
    } catch (failure) {
      this.#deps.report({ kind: 'journal-failed', cause: failure });
      return false;
    }
  }

  /** Keeps to the time once set: settlements that come meanwhile must not put it off. */
  #scheduleReplay(): void {
    if (this.#isHurried) return;
    this.#replayTimer ??= setTimeout(() => {
      this.#replayTimer = undefined;
      void this.#replay();
    }, this.#deps.replayDelayMs).unref();
  }

  #replay(): Promise<void> {
    this.#replaying ??= this.#replayFiles().finally(() => {
      this.#replaying = undefined;
    });
    return this.#replaying;
  }

  /** Applies every waiting file; stops at the first sign that the database is still away. */
  async #replayFiles(): Promise<void> {
    try {
      for (let files = await this.#deps.journal.takeFiles(); files.length > 0; ) {
        for (const path of files) {
          if (!(await this.#replayFile(path))) {
            this.#journalling = true;
            this.#scheduleReplay();
            return;
          }
          // The database is back: what comes now need not go through the journal any more.
          this.#journalling = false;
        }
        files = await this.#deps.journal.takeFiles();
      }
      this.#journalling = false;
    } catch (cause) {
      this.#deps.report({ kind: 'journal-failed', cause });
      this.#scheduleReplay();
    }
  }

  async #replayFile(path: string): Promise<boolean> {
    const { settlements, unreadable } = await this.#deps.journal.read(path);
    if (unreadable.length > 0) this.#deps.report({ kind: 'journal-damaged', path, lines: unreadable.length });
    for (let start = 0; start < settlements.length; start += this.#deps.maxGroup) {
      if (!(await this.#apply(settlements.slice(start, start + this.#deps.maxGroup)))) return false;
    }
    if (unreadable.length > 0) await this.#deps.journal.rejectLines(unreadable);
    await this.#deps.journal.remove(path);
    this.#deps.report({ kind: 'replayed', count: settlements.length });
    return true;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
