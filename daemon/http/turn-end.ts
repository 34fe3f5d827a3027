/** Something with bytes to send. */
export interface Flushing {
  flush(): void;
}

/**
 * What is written within one turn of the event loop goes out at its end, all of it together. Whoever receives is woken
 * once and finds all there is, and the calls of that turn are not interrupted by system calls (ARCHITECTURE.md 15).
 */
export class TurnEnd {
  #waiting: Flushing[] = [];

  /** Has `flush` called when this turn is over. */
  add(one: Flushing): void {
    if (this.#waiting.push(one) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const due = this.#waiting;
    this.#waiting = [];
    for (const one of due) one.flush();
  }
}
