/** How calls of the command line are repeated (cli.md 1.4, L5): by the server's limits, and safely. */
import type { ClientOptions, Pace } from '../daemon/contract/client.ts';
import type { Tries } from '../daemon/contract/tries.ts';
import { usageError } from './errors.ts';
import { both } from './language.ts';
import { ServerLimits, type WaitingCommand } from './server-limits.ts';

/** The command whose calls are repeated. */
export interface RepeatingCommand extends WaitingCommand {
  readonly flags: WaitingCommand['flags'] & { readonly idempotencyKey?: string };
  /** Tells that an answer is waited for, until what it returns is called. */
  startWaiting(): Promise<() => void>;
}

/**
 * Throws exit 3 for a key that no header can carry, and for an empty one, as of a variable that is not set: without a
 * key every run makes what it makes once more.
 */
export function refuseUnusableKey({ idempotencyKey: key }: RepeatingCommand['flags']): void {
  const field = '--idempotency-key';
  if (key === undefined || /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return;
  if (key.trim() === '') throw usageError(both(`${field} is empty`, `${field} 为空`), { field });
  throw usageError(
    both(
      `${field} takes letters, digits and signs of ASCII, with no space at either end`,
      `${field} 仅可含 ASCII 字母、数字和符号，首尾不得有空格`,
    ),
    { field },
  );
}

export class Repetition {
  readonly #command: RepeatingCommand;
  readonly #limits: ServerLimits;
  /** How often each key was given out. */
  readonly #given = new Map<string, number>();
  #made: string | undefined;

  constructor(command: RepeatingCommand) {
    this.#command = command;
    this.#limits = new ServerLimits({ command });
  }

  /** Whether a call waits, or waited to the end, for a limit of the server. */
  get waitsForRoom(): boolean {
    return this.#limits.isFull;
  }

  /** Makes running the command again safe: that of `--idempotency-key`, else one of its own. */
  get key(): string {
    return this.#command.flags.idempotencyKey ?? (this.#made ??= crypto.randomUUID());
  }

  /** Whether a call was made that the same key makes safe to repeat. */
  get isKeyed(): boolean {
    return this.#given.size > 0;
  }

  /** The key of one part of the work, the same in every run with the same key. */
  keyFor(part: string): string {
    const key = `${this.key}-${part}`;
    this.#given.set(key, 1);
    return key;
  }

  /** What the typed client goes by. */
  get client(): Tries & Pick<ClientOptions, 'idempotencyKey'> {
    return { ...this.tries, idempotencyKey: (input) => this.#keyOf(input) };
  }

  /** How every call is tried. */
  get tries(): Tries {
    const { pause, longestMs } = this.#limits;
    return { pace: this.#pace, sleep: pause, longestPauseMs: longestMs };
  }

  readonly #pace: Pace = async (endpoint, refused) => {
    const { answered, ended } = await this.#limits.pace(endpoint, refused);
    const waited = await this.#command.startWaiting();
    return {
      answered,
      ended: () => {
        waited();
        ended();
      },
    };
  };

  /** Of several things each has its own key, the same in every run whatever the order. */
  #keyOf({ id }: Readonly<Record<string, unknown>>): string {
    const key = id === undefined ? this.key : `${this.key}-${String(id)}`;
    const times = (this.#given.get(key) ?? 0) + 1;
    this.#given.set(key, times);
    return times === 1 ? key : `${key}-${times}`;
  }
}
