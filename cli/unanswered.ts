/** Calls that were sent, may change something, and have no answer: whether they took effect is not known. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { PreparedCall } from '../daemon/contract/client.ts';
import type { SentCall, WatchedTry } from './fetch.ts';

/** Statuses of whatever stands before the server, when it lost the answer or never had one. */
export const lostBetween: ReadonlySet<unknown> = new Set([502, 503, 504]);

/** Whether an answer is no word of the server's on a call that was passed on to it. */
function isOfSomethingBetween({ status, headers }: Response): boolean {
  return lostBetween.has(status) && !/json/i.test(headers.get('content-type') ?? '');
}

/** What identifies a call in all of its tries: with a key it is the same call however often it is sent. */
function nameOf({ url, idempotencyKey }: SentCall): string | symbol {
  return idempotencyKey === undefined ? Symbol(url) : `${idempotencyKey} ${url}`;
}

/** Calls without an answer, by the name of the call. */
type OpenCalls = Map<string | symbol, SentCall>;

/** What one piece of work left open. */
export interface LeftOpen {
  readonly first: SentCall | undefined;
}

const firstOf = (calls: OpenCalls): SentCall | undefined => calls.values().next().value;

export class Unanswered implements LeftOpen {
  readonly #calls: OpenCalls = new Map();
  readonly #questions = new Set<string>();
  readonly #work = new AsyncLocalStorage<OpenCalls>();

  get first(): SentCall | undefined {
    return firstOf(this.#calls);
  }

  /** Does one of several pieces of work that go on side by side; what it leaves open is told apart from the others. */
  async watch<T>(work: (left: LeftOpen) => Promise<T>): Promise<T> {
    const calls: OpenCalls = new Map();
    const left: LeftOpen = {
      get first() {
        return firstOf(calls);
      },
    };
    return this.#work.run(calls, () => work(left));
  }

  /** Many questions are posted, such as the plan of a document: they change nothing, answered or not. */
  async tell(call: PreparedCall): Promise<void> {
    // Reads are never remembered, and most commands make no other call: they do without the tables of writes.
    if (call.request.method === 'GET') return;
    const { isHeldBack } = await import('./held-calls.ts');
    if (!isHeldBack(call)) this.#questions.add(call.request.path);
  }

  /** A call goes out, for the first time or again; what this returns is told what came of the try. */
  send(call: SentCall): WatchedTry {
    const name = nameOf(call);
    const isQuestion = [...this.#questions].some((path) => call.url.endsWith(path));
    const lists = isQuestion ? [] : [this.#calls, this.#work.getStore() ?? new Map()];
    // An earlier try may have taken effect, whatever becomes of this one.
    const added = lists.filter((calls) => !calls.has(name));
    for (const calls of lists) calls.set(name, call);
    return {
      answered: (response) => {
        if (isOfSomethingBetween(response)) return;
        for (const calls of lists) calls.delete(name);
      },
      neverSent: () => {
        for (const calls of added) calls.delete(name);
      },
    };
  }
}
