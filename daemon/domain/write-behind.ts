/** Writes that wait for each other for a moment, so that a busy node costs the database a statement or two a second. */
export class WriteBehind {
  readonly #write: () => Promise<void>;
  readonly #afterMs: number;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** @param write writes all that waits and never rejects; one at a time is under way */
  constructor(write: () => Promise<void>, afterMs: number) {
    this.#write = write;
    this.#afterMs = afterMs;
  }

  /** Writes soon, unless that is planned already. */
  plan(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => void this.flush(), this.#afterMs);
    this.#timer.unref();
  }

  /** Writes now; for shutdown too. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(this.#write);
    return this.#writing;
  }
}
