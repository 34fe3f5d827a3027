/**
 * Those that wait, in the order in which they came. The first is taken in one step, whatever their number: a client may
 * send any number of calls.
 */
export class Waiting<Entry> {
  readonly #entries: Entry[] = [];
  #taken = 0;

  add(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** The first, who waits no more; undefined where nobody does. */
  take(): Entry | undefined {
    const entry = this.#entries[this.#taken];
    if (entry !== undefined) this.#taken += 1;
    return entry;
  }
}
