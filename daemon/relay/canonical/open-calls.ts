/** The calls of a conversation that have no result yet, by whatever a result may name them. */
import type { ToolCallItem } from './chat.ts';
import { Waiting } from './waiting.ts';

export class OpenCalls {
  readonly #rows = new Map<string, Waiting<ToolCallItem>>();
  readonly #answered = new Set<ToolCallItem>();

  /** @param rows in which it waits; taken from one, it is in none */
  add(call: ToolCallItem, rows: readonly string[]): void {
    for (const name of rows) {
      let row = this.#rows.get(name);
      if (row === undefined) this.#rows.set(name, (row = new Waiting()));
      row.add(call);
    }
  }

  /** The first of a row without a result, which has one from now on; undefined where there is none. */
  take(name: string): ToolCallItem | undefined {
    const row = this.#rows.get(name);
    let call = row?.take();
    while (call !== undefined && this.#answered.has(call)) call = row?.take();
    if (call !== undefined) this.#answered.add(call);
    return call;
  }
}
