/**
 * The server's limits (cli.md 1.4): calls go at once while there is room, and are spread over the time until room comes
 * back when there is little left. One of these serves the whole process.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { ApiError, Pace } from '../daemon/contract/client.ts';
import type { Endpoint } from '../daemon/contract/endpoint.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { parseDuration } from './input/time.ts';
import { type Bilingual, both } from './language.ts';

/** Longer waits are told. */
const silentMs = 2000;
/** Calls of a command, or half of the limit if that is less, that are not spread: most commands make no more. */
const unspreadCalls = 10;

/** The command that waits. */
export interface WaitingCommand {
  readonly flags: { readonly timeout?: string };
  /** Aborted when the command is over. */
  readonly signal: AbortSignal;
  say(text: Bilingual): string;
  note(text: string): void;
}

export interface ServerLimitsDeps {
  readonly command: WaitingCommand;
  /** Replaced in tests, as is `now`: monotonic milliseconds. */
  readonly sleep?: (ms: number) => Promise<void>;
  readonly now?: () => number;
}

/** What says which limits a call is counted by. */
type CountedCall = Pick<Endpoint, 'access' | 'rate'>;

/** What is known of the calls that the server counts together. */
interface Window {
  /** Calls of this process so far. */
  begun: number;
  /** Whether any answer has come, though it may have told nothing. */
  isAnswered: boolean;
  /** Calls without an answer yet. */
  readonly running: Set<number>;
  /** Undefined until an answer has told. */
  limit: number | undefined;
  remaining: number;
  /** When one more has room. */
  freeAt: number;
  /** The latest call whose answer is known. */
  learnt: number;
  lastBegan: number;
}

export class ServerLimits {
  readonly #command: WaitingCommand;
  /** Rejects when the command is over. */
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();
  /** Calls begin one after another, in the order in which they came. */
  #line: Promise<unknown> = Promise.resolve();
  #answers: (() => void)[] = [];
  #calls = 0;
  #isFull = false;

  constructor({ command, sleep, now }: ServerLimitsDeps) {
    this.#command = command;
    this.#sleep = sleep ?? ((ms) => wait(ms, undefined, { signal: command.signal }));
    this.#now = now ?? (() => performance.now());
  }

  /** Whether a call waits until the server takes more, or did so when the command was over. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Lets a call begin. Throws the refusal, or `too_many_requests` (exit 9), for waits over `--timeout`. */
  readonly pace: Pace = (endpoint, refused) => {
    const turn = this.#line.then(() => this.#begin(endpoint, refused));
    this.#line = turn.catch(() => undefined);
    return turn;
  };

  async #begin(endpoint: CountedCall, refused: ApiError | undefined): ReturnType<Pace> {
    const windows = this.#windowsOf(endpoint);
    for (const window of windows) await this.#waitForRoom(window, refused);
    const call = (this.#calls += 1);
    for (const window of windows) {
      window.begun += 1;
      window.remaining -= 1;
      window.lastBegan = this.#now();
      window.running.add(call);
    }
    const tightest = windows.at(-1);
    const ended = () => {
      for (const window of windows) {
        window.running.delete(call);
        window.isAnswered = true;
      }
      for (const tell of this.#answers.splice(0)) tell();
    };
    return {
      answered: (response) => {
        if (tightest) this.#learn(tightest, call, response);
        ended();
      },
      ended,
    };
  }

  /** Windows that a call counts in, the common one first: strangers share one by address, every rate class has another. */
  #windowsOf({ access, rate = 'standard' }: CountedCall): Window[] {
    if (rate === 'unlimited') return [];
    const who = access === 'public' || access === 'key' || access === 'key-read' ? 'address' : 'user';
    return [...new Set(['standard', rate])].map((rateClass) => {
      const name = `${who} ${rateClass}`;
      const known = this.#windows.get(name) ?? {
        begun: 0,
        isAnswered: false,
        running: new Set<number>(),
        limit: undefined,
        remaining: 0,
        freeAt: 0,
        learnt: 0,
        lastBegan: 0,
      };
      this.#windows.set(name, known);
      return known;
    });
  }

  /** Waits between two tries, as long as the server asks or a guess. */
  readonly pause = (ms: number): Promise<void> => {
    return this.#wait(ms, (s) => both(`the server asks to wait ${s} s`, `服务器要求等待 ${s} 秒`));
  };

  async #waitForRoom(window: Window, refused: ApiError | undefined): Promise<void> {
    // The first call goes alone: it may find that others have left no room, which all would find side by side.
    while (!window.isAnswered && window.running.size > 0) await this.#nextAnswer();
    while (window.limit !== undefined && window.remaining <= 0) {
      if (window.running.size > 0) {
        await this.#nextAnswer();
        continue;
      }
      const ms = window.freeAt - this.#now();
      if (ms > this.longestMs) throw refused ?? tooLong(Math.ceil(ms / 1000));
      this.#isFull = true;
      await this.pause(ms);
      this.#isFull = false;
      // Its answer tells whether there is room for more.
      window.remaining = 1;
      return;
    }
    const ms = this.#spreadMs(window);
    if (ms > this.longestMs) return;
    await this.#wait(ms, (s) =>
      both(`the server has room for few calls; the next one in ${s} s`, `服务器剩余调用次数不多，${s} 秒后继续`),
    );
  }

  #nextAnswer(): Promise<void> {
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  /** Milliseconds until the next call, so that what is left lasts until more comes back. */
  #spreadMs({ limit, remaining, begun, freeAt, lastBegan }: Window): number {
    if (limit === undefined || remaining > limit / 2 || begun < Math.min(unspreadCalls, limit / 2)) return 0;
    return lastBegan + (freeAt - lastBegan) / (remaining + 1) - this.#now();
  }

  async #wait(ms: number, text: (seconds: number) => Bilingual): Promise<void> {
    if (ms <= 0) return;
    if (ms > silentMs) this.#command.note(this.#command.say(text(Math.ceil(ms / 1000))));
    await this.#sleep(ms);
  }

  /** Milliseconds that a single wait may take. */
  get longestMs(): number {
    return parseDuration(this.#command.flags.timeout ?? '60s', '--timeout') * 1000;
  }

  #learn(window: Window, call: number, response: Response): void {
    const isRefused = response.status === 429;
    const limit = numberIn(response, 'x-ratelimit-limit-requests');
    const remaining = isRefused ? 0 : numberIn(response, 'x-ratelimit-remaining-requests');
    const seconds = numberIn(response, isRefused ? 'retry-after' : 'x-ratelimit-reset-requests');
    if (remaining === undefined || (limit === undefined && !isRefused)) return;
    const isLatest = call > window.learnt;
    const freeAt = this.#now() + Math.max(isRefused ? 1 : 0, seconds ?? 0) * 1000;
    const later = [...window.running].filter((running) => running > call).length;
    window.limit = limit ?? window.limit ?? 1;
    window.remaining = isLatest ? remaining - later : Math.min(window.remaining, remaining);
    // An answer that was overtaken knows less, but a refusal still says when there is room.
    if (isRefused && !isLatest) window.freeAt = Math.max(window.freeAt, freeAt);
    if (!isLatest) return;
    window.learnt = call;
    window.freeAt = freeAt;
  }
}

/** Headers say seconds as `12` or `12s`. */
function numberIn({ headers }: Response, name: string): number | undefined {
  const value = Number.parseInt(headers.get(name) ?? '', 10);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function tooLong(seconds: number): CliError {
  return new CliError(
    'too_many_requests',
    exitCodes.rateLimited,
    both(`the server takes no more calls for ${seconds} s`, `服务器 ${seconds} 秒内不再接受调用`),
  );
}
