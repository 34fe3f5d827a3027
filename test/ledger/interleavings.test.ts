import fc from 'fast-check';
import { suite } from 'uvu';
import { TollgateError } from '../../daemon/errors.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { Books, holdOf, NOW_MS, type Purse, putAway, releaseOf, settlementOf } from './books.ts';
import type { Weather } from './flaky-database.ts';

const interleavings = suite(`any order of events on ${testEngine()}`);

let home: TestDatabase;
interleavings.before.each(async () => {
  home = await testDatabaseUrl();
});
interleavings.after.each(async () => {
  await putAway();
  await home.drop();
});

type Step =
  | { kind: 'hold'; who: number; amount: number }
  | { kind: 'extend' | 'settle' | 'release' | 'again'; which: number; amount: number }
  | { kind: 'free'; who: number }
  | { kind: 'weather'; weather: Weather }
  | { kind: 'pass'; ms: number }
  | { kind: 'sweep' | 'breathe' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      who: fc.nat(3),
      amount: fc.integer({ min: 1, max: 400 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'extend' as const,
        'settle' as const,
        'settle' as const,
        'release' as const,
        'again' as const,
      ),
      which: fc.nat(12),
      amount: fc.integer({ min: 0, max: 500 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('free' as const), who: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('weather' as const),
      weather: fc.constantFrom<Weather>('fair', 'fair', 'fair', 'fair', 'away', 'lost-answer'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 6, arbitrary: fc.constantFrom<Step>({ kind: 'sweep' }, { kind: 'breathe' }, { kind: 'breathe' }) },
);

interface Call {
  readonly purse: Purse;
  readonly requestId: string;
  held: number;
  ended: boolean;
}

/** Many callers at once, as the steps say; none waits for another unless a step is `breathe`. */
class Traffic {
  readonly #books: Books;
  readonly #purses: readonly Purse[];
  readonly #calls: Call[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Request ids differ between runs, as they share a database. */
  readonly #prefix = Math.random().toString(36).slice(2);
  #requests = 0;

  constructor(books: Books, purses: readonly Purse[]) {
    this.#books = books;
    this.#purses = purses;
  }

  take(step: Step): void {
    const work = this.#do(step).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async breathe(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Ends every call that holds something. */
  finish(): void {
    for (const call of this.#calls) if (!call.ended) this.#settle(call, 77);
  }

  async #do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'hold':
        return this.#hold(this.#purseOf(step.who), step.amount);
      case 'free':
        return this.#free(this.#purseOf(step.who));
      case 'extend':
        return this.#withCall(step.which, (call) => this.#extend(call, step.amount));
      case 'settle':
        return this.#withCall(step.which, async (call) => this.#settle(call, step.amount));
      case 'release':
        return this.#withCall(step.which, (call) => this.#release(call));
      case 'again':
        return this.#withCall(step.which, (call) => {
          call.ended = true;
          return this.#books.ledger.settle(settlementOf(call.purse, { ...call, charge: step.amount }));
        });
      case 'sweep':
        this.#books.nowMs += 31_000;
        await this.#books.ledger.sweep().catch(() => undefined);
        return;
      case 'pass':
        return new Promise((resume) => setTimeout(resume, step.ms));
      case 'weather':
        this.#books.database.weather = step.weather;
        return;
      case 'breathe':
        return;
    }
  }

  #newRequestId(): string {
    this.#requests += 1;
    return `${this.#prefix}-${this.#requests}`;
  }

  #purseOf(who: number): Purse {
    const purse = this.#purses[who % this.#purses.length];
    if (!purse) throw new Error('no purse');
    return purse;
  }

  async #withCall(which: number, work: (call: Call) => Promise<void>): Promise<void> {
    const call = this.#calls[which % Math.max(1, this.#calls.length)];
    if (call) await work(call);
  }

  async #hold(purse: Purse, amount: number): Promise<void> {
    const call = { purse, requestId: this.#newRequestId(), held: amount, ended: false };
    if (await granted(this.#books.ledger.hold(holdOf(purse, call.requestId, amount)))) this.#calls.push(call);
  }

  async #free(purse: Purse): Promise<void> {
    const free = settlementOf(purse, { requestId: this.#newRequestId(), held: 0, charge: 0 });
    await Promise.all([this.#books.ledger.settle(free), this.#books.ledger.settle(free)]);
  }

  async #extend(call: Call, amount: number): Promise<void> {
    if (call.ended) return;
    if (await granted(this.#books.ledger.extend({ ...call.purse, requestId: call.requestId, amount }))) {
      call.held += amount;
    }
  }

  /** Not waited for, as on the hot path. */
  #settle(call: Call, charge: number): void {
    call.ended = true;
    this.take({ kind: 'pass', ms: 0 });
    const settled = this.#books.ledger.settle(settlementOf(call.purse, { ...call, charge }));
    const work = settled.finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #release(call: Call): Promise<void> {
    call.ended = true;
    await this.#books.ledger.settle(releaseOf(call.purse, call.requestId, call.held));
  }
}

/** False when the ledger refused with one of its own codes; anything else is a failure of the test. */
async function granted(promise: Promise<void>): Promise<boolean> {
  try {
    await promise;
    return true;
  } catch (error) {
    if (error instanceof TollgateError && error.code !== 'internal_error') return false;
    throw error;
  }
}

interleavings('keep every invariant, through outages, lost answers, repeats, sweeps and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 40, maxLength: 120, size: 'max' }), { minLength: 1, maxLength: 2 }),
      async (lives) => {
        const node = `node-${Math.random()}`;
        let books = await Books.open(home.url, { node });
        const purses = [await books.purse(3000, 900), await books.purse(1500), await books.purse(500, 5000)];
        const [first] = purses;
        if (first) purses.push({ ...first, tokenId: 0, tokenLimited: false });
        await books.watch();
        for (const steps of lives) {
          const traffic = new Traffic(books, purses);
          for (const one of steps) {
            traffic.take(one);
            if (one.kind === 'breathe') await traffic.breathe();
          }
          await traffic.breathe();
          books.database.weather = 'fair';
          if (steps !== lives.at(-1)) {
            // Killed in the middle: the next process has the folder, the books and the rest of the steps.
            const { workspace, nowMs } = books;
            books = await Books.open(home.url, { node, workspace, invariants: await books.abandon() });
            books.nowMs = nowMs;
            await books.ledger.start();
          } else {
            traffic.finish();
            await traffic.breathe();
          }
        }
        // The first may join a replay that began while the database was away; the second then finds it there.
        await books.ledger.start();
        await books.ledger.start();
        books.nowMs = Math.max(books.nowMs, NOW_MS) + 31_000;
        while ((await books.ledger.sweep()) > 0);
        await books.close();
      },
    ),
    { numRuns: Number(process.env.LEDGER_RUNS ?? 25), endOnFailure: true },
  );
});

interleavings.run();
