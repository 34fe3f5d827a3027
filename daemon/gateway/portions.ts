/**
 * What a stream has brought and nobody has read yet. A fast upstream says more in one read than a hold pays for, so
 * such a piece is read, and passed on, in portions, and the rest of it waits for the books (D20).
 */
import { endOfEvents, guessTokens, SMALL_BYTES } from './token-guess.ts';

/** What is read of a piece that says a lot, to find the first output. */
const OPENING_TOKENS = 128;
/** Half of what a first hold pays for, since words may be twice as many as they look like. */
const FEW_TOKENS = 256;

export class Portions {
  readonly #portionOf: (events: Buffer) => number;
  readonly #read: (events: Buffer) => void;
  /** Piece by piece, as they came: whoever waits is paused soon, and to join them would be to hold them twice. */
  #unread: Buffer[] | undefined;
  /** What happens once all has been read. */
  #ending: (() => void) | undefined;
  #isDropped = false;

  /**
   * @param portionOf how many of these bytes may be read now; 0: wait for `goOn`
   * @param read reads them, in order
   */
  constructor(portionOf: (events: Buffer) => number, read: (events: Buffer) => void) {
    this.#portionOf = portionOf;
    this.#read = read;
  }

  /** Reads what may be read; the rest belongs to the list from here on. */
  offer(events: Buffer): void {
    // A read may bring nothing.
    if (events.length === 0) return;
    if (this.#unread !== undefined) {
      this.#unread.push(events);
      return;
    }
    const rest = this.#restOf(events);
    if (rest !== undefined) this.#unread = [rest];
  }

  /** More may be read than before. */
  goOn(): void {
    const unread = this.#unread;
    if (unread === undefined) return;
    this.#unread = undefined;
    for (let first = unread.shift(); first !== undefined; first = unread.shift()) {
      const rest = this.#restOf(first);
      if (rest === undefined) continue;
      this.#unread = [rest, ...unread];
      return;
    }
    this.#end();
  }

  /** Nothing more comes: calls `ending`, now or after what is still unread. */
  end(ending: () => void): void {
    this.#ending = ending;
    if (this.#unread === undefined) this.#end();
  }

  /** Nothing of what is unread is wanted any more. */
  drop(): void {
    this.#isDropped = true;
    this.#unread = undefined;
  }

  #end(): void {
    const ending = this.#ending;
    this.#ending = undefined;
    ending?.();
  }

  /** Reads of a piece what may be read; what is left of it. */
  #restOf(events: Buffer): Buffer | undefined {
    let rest = events;
    while (!this.#isDropped) {
      const size = this.#portionOf(rest);
      if (size === 0) return rest;
      if (size >= rest.length) {
        this.#read(rest);
        return undefined;
      }
      this.#read(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    return undefined;
  }
}

/** What may be read of a stream's beginning before it is known who pays for it. */
export function openingPortion(events: Buffer): number {
  if (events.length <= SMALL_BYTES) return events.length;
  const { tokens, bytesPerToken } = guessTokens(events);
  return tokens <= FEW_TOKENS ? events.length : endOfEvents(events, OPENING_TOKENS * bytesPerToken);
}
