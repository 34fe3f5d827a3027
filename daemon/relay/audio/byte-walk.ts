/** Walks through bytes as they pass: a reader asks for so many bytes or skips them, wherever the chunks are cut. */

/** What a reader wants next: these bytes, to be past them, or whatever has come, of which there is some. */
export type Step = { readonly take: number } | { readonly skip: number } | typeof ANY;

/** A reader of one file; ends when it has seen all that it needs. */
export type Walk = Generator<Step, void, Buffer>;

const NOTHING = Buffer.alloc(0);
const ANY = 'any';

export function* take(bytes: number): Generator<Step, Buffer, Buffer> {
  return yield { take: bytes };
}

export function* skip(bytes: number): Generator<Step, void, Buffer> {
  if (bytes > 0) yield { skip: bytes };
}

/** For files of many small pieces: a step for each would cost some hundred times what reading it does. */
export function* takeAny(): Generator<Step, Buffer, Buffer> {
  return yield ANY;
}

export class ByteWalk {
  readonly #walk: Walk;
  #held = NOTHING;
  #skip = 0;
  #take = 0;
  #takesAny = false;
  #over = false;

  constructor(walk: Walk) {
    this.#walk = walk;
    this.#next(NOTHING);
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (!this.#over && at < chunk.length) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, chunk.length - at);
        this.#skip -= passed;
        at += passed;
        if (this.#skip === 0) this.#next(NOTHING);
        continue;
      }
      if (this.#takesAny) {
        this.#next(chunk.subarray(at));
        return;
      }
      const missing = this.#take - this.#held.length;
      const piece = chunk.subarray(at, at + missing);
      at += piece.length;
      const whole = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
      if (whole.length < this.#take) {
        // A copy: the chunk belongs to whoever reads it next.
        this.#held = Buffer.from(whole);
        return;
      }
      this.#held = NOTHING;
      this.#next(whole);
    }
  }

  #next(bytes: Buffer): void {
    const step = this.#walk.next(bytes);
    if (step.done === true) {
      this.#over = true;
      return;
    }
    this.#takesAny = step.value === ANY;
    if (step.value === ANY) return;
    this.#skip = 'skip' in step.value ? step.value.skip : 0;
    this.#take = 'take' in step.value ? step.value.take : 0;
    // Asking for nothing is answered at once; a reader that goes on so forever would be a bug of its own.
    if (this.#skip === 0 && this.#take === 0) this.#next(NOTHING);
  }
}
