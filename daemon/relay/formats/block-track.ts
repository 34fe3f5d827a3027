/**
 * Keeps the order that canonical events promise, for wires on which text and reasoning begin and end unsaid:
 * opens the block that a fragment needs and ends the one it displaces.
 */
import { ObjectScanner } from '../canonical/arguments.ts';
import type { ChatEvent, Seal } from '../canonical/chat.ts';

type Told = Extract<ChatEvent, { type: 'tool-call-start' }>;

interface OpenCall {
  readonly block: number;
  readonly scanner: ObjectScanner;
}

/** The blocks of one choice. Call keys are whatever the wire numbers its calls by. */
export class BlockTrack<Key> {
  readonly #choice: number;
  #next = 0;
  #open: { kind: 'text' | 'reasoning'; block: number } | undefined;
  readonly #calls = new Map<Key, OpenCall>();
  /** Those that are whole and not ended, by block: among many that are not, nobody has to look for them. */
  readonly #whole = new Map<number, Key>();
  /** Any tool call was begun, so that the choice ends with `tool-calls` whatever word the upstream used. */
  hasCalls = false;

  constructor(choice: number) {
    this.#choice = choice;
  }

  text(out: ChatEvent[], text: string): void {
    const block = this.#enter(out, 'text');
    out.push({ type: 'text-delta', choice: this.#choice, block, text });
  }

  reason(out: ChatEvent[], text: string): void {
    const block = this.#enter(out, 'reasoning');
    out.push({ type: 'reasoning-delta', choice: this.#choice, block, text, part: 0 });
  }

  /** Signs the reasoning that is open, or a block of its own. */
  sign(out: ChatEvent[], seal: Seal): void {
    const block = this.#enter(out, 'reasoning');
    out.push({ type: 'reasoning-signature', choice: this.#choice, block, seal });
  }

  /** A thought whose text is withheld: one whole block. */
  redact(out: ChatEvent[], seal: Seal): void {
    this.settle(out);
    const block = this.#next++;
    const choice = this.#choice;
    out.push({ type: 'reasoning-start', choice, block, form: 'full' });
    out.push({ type: 'reasoning-signature', choice, block, seal });
    out.push({ type: 'reasoning-end', choice, block });
  }

  /** Ends the open text with a signature; an empty text block carries it where none is open. */
  signText(out: ChatEvent[], seal: Seal): void {
    const block = this.#enter(out, 'text');
    this.#open = undefined;
    out.push({ type: 'text-end', choice: this.#choice, block, seal });
  }

  startCall(
    out: ChatEvent[],
    key: Key,
    call: Omit<Extract<ChatEvent, { type: 'tool-call-start' }>, 'type' | 'choice' | 'block'>,
  ): void {
    this.#endOpen(out);
    // A call that is already whole cannot go on; ending it lets encoders without overlapping blocks go on.
    this.#endWhole(out);
    const block = this.#next++;
    this.#calls.set(key, { block, scanner: new ObjectScanner() });
    this.hasCalls = true;
    const told: Told = { type: 'tool-call-start', choice: this.#choice, block, ...call };
    out.push(told);
  }

  /** Nothing has been said yet. */
  get isEmpty(): boolean {
    return this.#next === 0;
  }

  /** Text is being said: what belongs to it may be told. */
  get isInText(): boolean {
    return this.#open?.kind === 'text';
  }

  /** The input of a call is a whole object, so that nothing can follow; true also for one that has ended. */
  isWhole(key: Key): boolean {
    return this.#calls.get(key)?.scanner.isWhole ?? true;
  }

  /** More input of a call; what comes after its end is dropped. */
  feedCall(out: ChatEvent[], key: Key, text: string): void {
    const open = this.#calls.get(key);
    if (open === undefined || text === '') return;
    open.scanner.push(text);
    if (open.scanner.isWhole) this.#whole.set(open.block, key);
    else this.#whole.delete(open.block);
    out.push({ type: 'tool-call-delta', choice: this.#choice, block: open.block, text });
  }

  endCall(out: ChatEvent[], key: Key): void {
    const open = this.#calls.get(key);
    if (open === undefined) return;
    this.#calls.delete(key);
    this.#whole.delete(open.block);
    out.push({ type: 'tool-call-end', choice: this.#choice, block: open.block });
  }

  /** Ends whatever is open, in the order in which it began. */
  settle(out: ChatEvent[]): void {
    this.#endOpen(out);
    for (const key of this.#calls.keys()) this.endCall(out, key);
  }

  /** The block for a fragment of `kind`, opened if another was open. */
  #enter(out: ChatEvent[], kind: 'text' | 'reasoning'): number {
    if (this.#open?.kind === kind) return this.#open.block;
    this.#endOpen(out);
    this.#endWhole(out);
    const block = this.#next++;
    this.#open = { kind, block };
    const choice = this.#choice;
    out.push(
      kind === 'text'
        ? { type: 'text-start', choice, block }
        : { type: 'reasoning-start', choice, block, form: 'full' },
    );
    return block;
  }

  #endOpen(out: ChatEvent[]): void {
    if (this.#open === undefined) return;
    const { kind, block } = this.#open;
    this.#open = undefined;
    out.push({ type: kind === 'text' ? 'text-end' : 'reasoning-end', choice: this.#choice, block });
  }

  /** In the order in which they began. */
  #endWhole(out: ChatEvent[]): void {
    if (this.#whole.size === 0) return;
    const whole = [...this.#whole].sort(([before], [after]) => before - after);
    for (const [, key] of whole) this.endCall(out, key);
  }
}
