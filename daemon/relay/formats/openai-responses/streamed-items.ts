/**
 * The items of an answer on its way in: what each has said and which block it has open. Known by kind and output
 * index: a sender that miscounts may use one index twice.
 */
import type { ChatEvent } from '../../canonical/chat.ts';
import { present } from '../fields.ts';

/** UTF-16 units of what was said that are kept to know it again. */
const KEPT_UNITS = 64;

/** How much has been said, and its end: what a stream takes of the memory must not grow with its length. */
export class Said {
  #units = 0;
  #end = '';

  get isNothing(): boolean {
    return this.#units === 0;
  }

  add(text: string): void {
    this.#units += text.length;
    this.#end = (this.#end + text).slice(-KEPT_UNITS);
  }

  /** What the deltas left out of the whole; nothing where they said something else. */
  restOf(whole: string): string {
    return whole.endsWith(this.#end, this.#units) ? whole.slice(this.#units) : '';
  }
}

export interface StreamedItem {
  readonly kind: 'text' | 'reasoning' | 'tool-call' | 'other';
  /** Block of the item now open; undefined before its first words and after its end. */
  block: number | undefined;
  /** What came as deltas: text, thoughts or input. */
  readonly said: Said;
  /** What came as deltas of a refusal. */
  readonly refused: Said;
  /** UTF-16 units of text before it in the answer. */
  readonly start: number;
  /** Reasoning arrives as summaries or in full; whichever comes first is read. */
  form: 'full' | 'summary' | undefined;
  id: string | undefined;
  phase: string | undefined;
  /** Its end has come. */
  isDone: boolean;
}

export class StreamedItems {
  readonly #items = new Map<string, StreamedItem>();
  readonly #openCalls = new Set<StreamedItem>();
  /** Text or reasoning: never open beside another block. */
  #openWords: StreamedItem | undefined;
  #next = 0;

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  find(kind: StreamedItem['kind'], index: number): StreamedItem | undefined {
    return this.#items.get(`${kind} ${index}`);
  }

  add(kind: StreamedItem['kind'], index: number, start: number): StreamedItem {
    const item: StreamedItem = {
      kind,
      block: undefined,
      said: new Said(),
      refused: new Said(),
      start,
      form: undefined,
      id: undefined,
      phase: undefined,
      isDone: false,
    };
    this.#items.set(`${kind} ${index}`, item);
    return item;
  }

  /** The block of a text's or a thought's words. */
  openWords(out: ChatEvent[], item: StreamedItem, form: 'full' | 'summary'): number {
    if (item.block !== undefined) return item.block;
    this.closeWords(out);
    const block = this.#next++;
    item.block = block;
    this.#openWords = item;
    const { id, phase } = item;
    out.push(
      item.kind === 'text'
        ? present({ type: 'text-start', choice: 0, block, id, phase })
        : present({ type: 'reasoning-start', choice: 0, block, form, id }),
    );
    return block;
  }

  openCall(out: ChatEvent[], item: StreamedItem): number {
    this.closeWords(out);
    const block = this.#next++;
    item.block = block;
    this.#openCalls.add(item);
    return block;
  }

  /** Ends the block that the item has open. */
  close(out: ChatEvent[], item: StreamedItem): void {
    if (item.block === undefined) return;
    const type = item.kind === 'text' ? 'text-end' : item.kind === 'reasoning' ? 'reasoning-end' : 'tool-call-end';
    out.push({ type, choice: 0, block: item.block });
    item.block = undefined;
    if (this.#openWords === item) this.#openWords = undefined;
    this.#openCalls.delete(item);
  }

  closeWords(out: ChatEvent[]): void {
    if (this.#openWords !== undefined) this.close(out, this.#openWords);
  }

  closeCalls(out: ChatEvent[]): void {
    for (const item of this.#openCalls) this.close(out, item);
  }
}
