/**
 * Budgets by the period as calls meet them (REQ-22). What calls have taken stands in the database, written in the
 * transaction of their settlement; each node counts its own calls as they run and end, and reads what others have
 * written once a second while somebody asks. So a call waits for the database only when its node meets a budget for the
 * first time, or would refuse it by an older reading. A budget may be passed by what runs at that moment: by what calls
 * of this node cost beyond their estimate, and by those of other nodes that run, or ended since the last reading: within
 * a second while calls come, within a minute before the first one after a pause.
 */
import type { Soon } from '../cluster/counters.ts';
import { spentBudget } from '../contract/budget-reasons.ts';
import { BudgetPeriod } from '../contract/budgets.ts';
import { TollgateError } from '../errors.ts';
import type { BudgetOwner, BudgetRecord, BudgetStore, BudgetSum } from '../store/budgets.ts';
import type { BudgetUse } from '../store/ledger-rows.ts';
import type { BudgetPeriods } from './budget-periods.ts';
import { SubjectBudgets } from './subject-budgets.ts';

/** Whoever may have budgets, as stored. */
export interface Budgeted {
  readonly id: number;
  /** JSON list. */
  readonly budgets: string;
}

/** A call before it is made. */
export interface BudgetedCall {
  /** Undefined for the playground, which has no key. */
  readonly token: Budgeted | undefined;
  readonly user: Budgeted;
  /** What is held for it. */
  readonly quota: number;
  /** Tokens that are expected; asked only where tokens are budgeted. */
  readonly tokens: () => { readonly prompt: number; readonly answer: number };
}

/** What a call has come to. */
export interface CallSums {
  readonly quota: number;
  readonly tokens: number;
}

/** The part of the budgets that a running call keeps for itself. */
export interface BudgetPlace {
  /** Replaces what was expected by what a call has come to so far. */
  soFar(sums: CallSums): void;
  /** For calls of many turns: throws `budget_exceeded` when what has ended, with this call so far, leaves nothing. */
  expectMore(): void;
  /** The call was answered: what it takes from the periods in which it began, for its settlement; once. */
  spent(sums: CallSums): BudgetUse[];
  /** The call runs no more; what it kept and did not spend is free again. */
  left(): void;
}

/** The same of a channel, whose budgets turn calls away and refuse none that runs. */
export type ChannelPlace = Omit<BudgetPlace, 'spent' | 'expectMore'>;

export interface BudgetBookDeps {
  readonly store: Pick<BudgetStore, 'sums'>;
  /** Names this process among those that count. */
  readonly node: string;
  readonly periods: BudgetPeriods;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
  readonly formatQuota: (quota: number) => string;
  /** Told when what others have taken could not be read; the last known sums stay. */
  readonly report: (cause: unknown) => void;
}

/** How old the sums of other nodes may be while they are asked for. */
const freshMs = 1000;
/** Who has not been asked for in so long is met anew. */
const metMs = 60_000;
/** Subjects that are remembered. */
const mostKnown = 50_000;
/** Subjects of one read. */
const portion = 500;

const NO_BUDGETS = '[]';

/** True when any budget is set: all that a call costs where none is. */
export function hasBudgets(subject: Budgeted | undefined): boolean {
  return subject !== undefined && subject.budgets !== NO_BUDGETS;
}

export class BudgetBook {
  readonly #deps: BudgetBookDeps;
  readonly #known = {
    token: new Map<number, SubjectBudgets>(),
    user: new Map<number, SubjectBudgets>(),
    channel: new Map<number, SubjectBudgets>(),
  };
  /** Subjects whose sums are to be read, and who waits for that. */
  #asked: Set<SubjectBudgets> | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(deps: BudgetBookDeps) {
    this.#deps = deps;
  }

  /**
   * Keeps what the call is expected to take, of all its budgets or of none. A promise only where a budget is met for the
   * first time, or would refuse the call by sums that are older than a second. Throws `budget_exceeded` with the time of
   * the next period, or rejects with it or `db_unavailable`.
   */
  take(call: BudgetedCall): Soon<BudgetPlace> {
    const subjects: SubjectBudgets[] = [];
    if (call.token !== undefined && hasBudgets(call.token)) subjects.push(this.#subject('token', call.token));
    if (hasBudgets(call.user)) subjects.push(this.#subject('user', call.user));
    const metAfterMs = this.#deps.monotonic() - metMs;
    const unread = subjects.filter(({ readAtMs }) => readAtMs === undefined || readAtMs < metAfterMs);
    const keep = () => this.#keep(subjects, call);
    if (unread.length > 0) return this.#readEach(unread).then(keep);
    const stale = subjects.filter((subject) => this.#isStale(subject));
    try {
      return keep();
    } catch (refusal) {
      if (stale.length === 0) throw refusal;
      // A task that failed may have given back what is missing: nobody is sent away for a day by sums that are old.
      return this.#readEach(stale).then(keep, () => {
        throw refusal;
      });
    }
  }

  /**
   * Keeps of the budgets of a channel what a call is expected to take, as far as there is room, while the channel is
   * asked; undefined where none is set. Never waits. `spentMs` says first whether it may be asked.
   */
  keepOn(channel: Budgeted, call: Pick<BudgetedCall, 'quota' | 'tokens'>): ChannelPlace | undefined {
    if (channel.budgets === NO_BUDGETS) return undefined;
    const subject = this.#subject('channel', channel);
    const kept = subject.lines(this.#deps.now() / 1000).map((line) => {
      const { wished } = expected(line.kind, call);
      return { subject, line, amount: Math.max(0, Math.min(wished, line.limit - line.taken)) };
    });
    return new RunningCall(kept, this.#deps.node);
  }

  /**
   * Milliseconds until a channel has a budget again; 0 = it has one, or none is set. What running calls keep may be free
   * again before the period is over. Never waits.
   */
  spentMs(channel: Budgeted): number {
    if (channel.budgets === NO_BUDGETS) return 0;
    const subject = this.#subject('channel', channel);
    this.#refresh(subject);
    const nowSeconds = this.#deps.now() / 1000;
    let waitMs = 0;
    for (const { limit, taken, span } of subject.lines(nowSeconds)) {
      if (taken < limit) continue;
      const isSpent = taken - span.running >= limit;
      waitMs = Math.max(waitMs, isSpent ? (span.endsAt - nowSeconds) * 1000 : freshMs);
    }
    return waitMs;
  }

  /** What an answer of a channel takes from its budgets, for the settlement; undefined where none is set. */
  spentOn(channel: Budgeted, sums: CallSums): BudgetUse[] | undefined {
    if (channel.budgets === NO_BUDGETS) return undefined;
    const subject = this.#subject('channel', channel);
    return subject.lines(this.#deps.now() / 1000).map((line) => {
      const amount = amountOf(line.kind, sums);
      line.span.own += amount;
      return subject.use(line, amount, this.#deps.node);
    });
  }

  /** Learns what channels have spent before the first call asks. Rejects with `db_unavailable`. */
  async learn(channels: Iterable<{ readonly record: Budgeted }>): Promise<void> {
    const reads: Promise<void>[] = [];
    for (const { record } of channels) if (hasBudgets(record)) reads.push(this.#read(this.#subject('channel', record)));
    await Promise.all(reads);
  }

  #subject(kind: BudgetOwner['subject'], { id, budgets }: Budgeted): SubjectBudgets {
    const known = this.#known[kind];
    let subject = known.get(id);
    if (subject === undefined) {
      if (known.size >= mostKnown) forgetIdle(known);
      subject = new SubjectBudgets({ subject: kind, subjectId: id }, this.#deps.periods);
      known.set(id, subject);
    }
    subject.define(budgets);
    return subject;
  }

  #keep(subjects: readonly SubjectBudgets[], call: BudgetedCall): BudgetPlace {
    const nowSeconds = this.#deps.now() / 1000;
    const kept: KeptPart[] = [];
    // Of several that refuse, the one that does so for longest: who came back with the first would be refused again.
    let refusal: TollgateError | undefined;
    for (const subject of subjects) {
      this.#refresh(subject);
      for (const line of subject.lines(nowSeconds)) {
        const { kind, limit, taken, span } = line;
        const { least, wished } = expected(kind, call);
        const isFull = (used: number) => used >= limit || used + least > limit;
        if (isFull(taken)) {
          // What running calls keep may be free again long before the period is over.
          const waits = isFull(taken - span.running) ? 'period' : 'running';
          const one = this.#refusal(subject.owner, line, { waits, nowSeconds });
          if (waitOf(one) > waitOf(refusal)) refusal = one;
        }
        kept.push({ subject, line, amount: Math.min(wished, limit - taken) });
      }
    }
    if (refusal !== undefined) throw refusal;
    return new RunningCall(kept, this.#deps.node, (part, sums) => this.#expectMore(part, sums));
  }

  /** A period that is over refuses nothing any more; nor does a number of calls, of which this is one already. */
  #expectMore({ subject, line: { kind, span } }: KeptPart, sums: CallSums): void {
    if (kind === 'requests') return;
    this.#refresh(subject);
    const nowSeconds = this.#deps.now() / 1000;
    const line = subject.lines(nowSeconds).find((one) => one.span === span);
    if (line === undefined || span.own + span.others + amountOf(kind, sums) < line.limit) return;
    throw this.#refusal(subject.owner, line, { waits: 'period', nowSeconds });
  }

  #refusal(
    { subject }: BudgetOwner,
    line: BudgetRecord & { span: { endsAt: number } },
    { waits, nowSeconds }: { waits: 'period' | 'running'; nowSeconds: number },
  ) {
    const { periods, formatQuota } = this.#deps;
    const { kind, per, limit, span } = line;
    const reason = spentBudget({
      subject: subject === 'token' ? 'token' : 'user',
      kind,
      per,
      limit: kind === 'quota' ? formatQuota(limit) : String(limit),
      resets: periods.write(span.endsAt),
      waits,
    });
    const seconds = waits === 'running' ? freshMs / 1000 : span.endsAt - nowSeconds;
    return new TollgateError('budget_exceeded', { reason }, { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) });
  }

  /** Reads again what others have taken, behind the call, when that is older than a second. */
  #refresh(subject: SubjectBudgets): void {
    if (!this.#isStale(subject)) return;
    subject.triedAtMs = this.#deps.monotonic();
    this.#read(subject).catch(this.#deps.report);
  }

  /** A database that is away is not asked with every call. */
  #isStale({ readAtMs, triedAtMs }: SubjectBudgets): boolean {
    const lastMs = Math.max(readAtMs ?? Number.NEGATIVE_INFINITY, triedAtMs);
    return this.#deps.monotonic() - lastMs >= freshMs;
  }

  /** Resolves when the sums of a subject have been read; those asked for in one turn of the event loop share a read. */
  #read(subject: SubjectBudgets): Promise<void> {
    if (this.#asked === undefined) {
      const asked = new Set<SubjectBudgets>();
      this.#asked = asked;
      this.#reading = new Promise((resume) => setImmediate(resume)).then(() => {
        this.#asked = undefined;
        return this.#readAll([...asked]);
      });
    }
    this.#asked.add(subject);
    return this.#reading;
  }

  #readEach(subjects: readonly SubjectBudgets[]): Promise<unknown> {
    return Promise.all(subjects.map((subject) => this.#read(subject)));
  }

  async #readAll(subjects: readonly SubjectBudgets[]): Promise<void> {
    const { store, node, periods, now, monotonic } = this.#deps;
    for (let from = 0; from < subjects.length; from += portion) {
      const some = subjects.slice(from, from + portion);
      const [readAtMs, seconds] = [monotonic(), now() / 1000];
      const startsAt = BudgetPeriod.options.map((per) => periods.at(per, seconds).startsAt);
      const owners = some.map(({ owner }) => owner);
      const sums = bySubject(await store.sums(owners, startsAt, node));
      // By the time of the answer: a call may have begun the next period meanwhile, and its count must not be dropped.
      const at = { seconds: now() / 1000, readAtMs };
      for (const subject of some) subject.learn(sums.get(nameOf(subject.owner)) ?? [], at);
    }
  }
}

interface KeptPart {
  readonly subject: SubjectBudgets;
  readonly line: ReturnType<SubjectBudgets['lines']>[number];
  /** What is kept now. */
  amount: number;
}

class RunningCall implements BudgetPlace {
  readonly #parts: readonly KeptPart[];
  readonly #node: string;
  readonly #expectMoreOf: (part: KeptPart, sums: CallSums) => void;
  #sums: CallSums = { quota: 0, tokens: 0 };
  #isOver = false;

  constructor(
    parts: readonly KeptPart[],
    node: string,
    expectMoreOf: (part: KeptPart, sums: CallSums) => void = () => undefined,
  ) {
    this.#parts = parts;
    this.#node = node;
    this.#expectMoreOf = expectMoreOf;
    for (const { line, amount } of parts) line.span.running += amount;
  }

  soFar(sums: CallSums): void {
    if (this.#isOver) return;
    this.#sums = sums;
    for (const part of this.#parts) {
      const amount = Math.max(part.amount, amountOf(part.line.kind, sums));
      part.line.span.running += amount - part.amount;
      part.amount = amount;
    }
  }

  expectMore(): void {
    for (const part of this.#parts) this.#expectMoreOf(part, this.#sums);
  }

  spent(sums: CallSums): BudgetUse[] {
    if (this.#isOver) return [];
    this.left();
    return this.#parts.map(({ subject, line }) => {
      const amount = amountOf(line.kind, sums);
      line.span.own += amount;
      return subject.use(line, amount, this.#node);
    });
  }

  left(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const { line, amount } of this.#parts) line.span.running -= amount;
  }
}

function amountOf(kind: BudgetRecord['kind'], { quota, tokens }: CallSums): number {
  if (kind === 'requests') return 1;
  return kind === 'quota' ? quota : tokens;
}

/** What a budget must have room for, and what is kept where there is room for more. */
function expected(
  kind: BudgetRecord['kind'],
  call: Pick<BudgetedCall, 'quota' | 'tokens'>,
): { least: number; wished: number } {
  if (kind === 'requests') return { least: 1, wished: 1 };
  if (kind === 'quota') return { least: call.quota, wished: call.quota };
  const { prompt, answer } = call.tokens();
  return { least: prompt, wished: prompt + answer };
}

function waitOf(refusal: TollgateError | undefined): number {
  return refusal?.retryAfterSeconds ?? 0;
}

function nameOf({ subject, subjectId }: BudgetOwner): string {
  return `${subject}:${subjectId}`;
}

function bySubject(sums: readonly BudgetSum[]): Map<string, BudgetSum[]> {
  const found = new Map<string, BudgetSum[]>();
  for (const sum of sums) {
    const known = found.get(nameOf(sum));
    if (known === undefined) found.set(nameOf(sum), [sum]);
    else known.push(sum);
  }
  return found;
}

/** Drops the subject known longest that no running call belongs to. */
function forgetIdle(known: Map<number, SubjectBudgets>): void {
  for (const [id, subject] of known) {
    if (subject.isBusy) continue;
    known.delete(id);
    return;
  }
}
