/** Events on their way to one reader: a bounded queue that counts what it had to leave out. */

export interface EventQueueOptions<Event> {
  /** Events that wait at most. */
  readonly limit: number;
  /** What the reader is told in place of events that were left out. */
  readonly skipped: (count: number) => Event;
  /** Called once, when nobody reads on or the queue was closed. */
  readonly onEnd: () => void;
}

export class EventQueue<Event> implements AsyncIterableIterator<Event> {
  readonly #options: EventQueueOptions<Event>;
  #waiting: Event[] = [];
  /** Events left out behind those that wait. */
  #skipped = 0;
  #isOpen = true;
  /** The reader's question that nothing has answered yet. */
  #asking: ((result: IteratorResult<Event>) => void) | undefined;

  constructor(options: EventQueueOptions<Event>) {
    this.#options = options;
  }

  /** Adds an event; where there is no room it is left out and counted. */
  push(event: Event): void {
    if (!this.#isOpen) return;
    const asking = this.#asking;
    if (asking) {
      this.#asking = undefined;
      asking({ done: false, value: event });
    } else if (this.#skipped > 0 || this.#waiting.length >= this.#options.limit) this.#skipped += 1;
    else this.#waiting.push(event);
  }

  /** Puts events before those that wait; they are not counted. Only before the first is read. */
  begin(events: readonly Event[]): void {
    this.#waiting = [...events, ...this.#waiting];
  }

  /** Ends the queue behind what waits; with a last event where there is something to say. */
  end(last?: Event): void {
    if (!this.#isOpen) return;
    const asking = this.#asking;
    this.#asking = undefined;
    if (last !== undefined && !asking) this.#waiting.push(...this.#takeSkipped(), last);
    this.#isOpen = false;
    this.#options.onEnd();
    asking?.(last === undefined ? { done: true, value: undefined } : { done: false, value: last });
  }

  async next(): Promise<IteratorResult<Event>> {
    const event = this.#waiting.shift() ?? this.#takeSkipped()[0];
    if (event !== undefined) return { done: false, value: event };
    if (!this.#isOpen) return { done: true, value: undefined };
    return new Promise((resolve) => {
      this.#asking = resolve;
    });
  }

  /** The reader has gone: what waits is dropped. */
  async return(): Promise<IteratorResult<Event>> {
    this.#waiting = [];
    this.#skipped = 0;
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #takeSkipped(): Event[] {
    if (this.#skipped === 0) return [];
    const event = this.#options.skipped(this.#skipped);
    this.#skipped = 0;
    return [event];
  }
}
