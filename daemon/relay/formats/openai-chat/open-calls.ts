/** The calls of a conversation that have no result yet. */
import type { ToolCallItem } from '../../canonical/chat.ts';
import { Waiting } from '../../canonical/waiting.ts';

export class OpenCalls {
  readonly #all = new Waiting<ToolCallItem>();
  readonly #byId = new Map<string, Waiting<ToolCallItem>>();
  readonly #byName = new Map<string, Waiting<ToolCallItem>>();
  readonly #answered = new Set<ToolCallItem>();

  add(call: ToolCallItem): void {
    this.#all.add(call);
    rowOf(this.#byId, call.callId).add(call);
    rowOf(this.#byName, call.name).add(call);
  }

  /** The call that a result answers: by id, else the first unanswered one of that name, else the first at all. */
  take(id: string | undefined, name: string | undefined): ToolCallItem | undefined {
    const byName = name === undefined ? this.#all : this.#byName.get(name);
    const row = id === undefined ? byName : this.#byId.get(id);
    let call = row?.take();
    while (call !== undefined && this.#answered.has(call)) call = row?.take();
    if (call !== undefined) this.#answered.add(call);
    return call;
  }
}

function rowOf(rows: Map<string, Waiting<ToolCallItem>>, key: string): Waiting<ToolCallItem> {
  let row = rows.get(key);
  if (row === undefined) rows.set(key, (row = new Waiting()));
  return row;
}
