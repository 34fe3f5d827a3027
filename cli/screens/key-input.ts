/**
 * What Ink reads in place of the terminal's own input: keys one by one, however many come at once, and without what was
 * pasted, which is told apart from keys by the marks around it (bracketed paste).
 */
import type { Readable } from 'node:stream';

const escapeChar = '\x1b';
const pasteBegins = `${escapeChar}[200~`;
const pasteEnds = `${escapeChar}[201~`;
/** Alone it is no part of a text, and the way out of a paste whose end never comes. */
const interrupt = '\x03';
/** A control character by itself, an escape with what follows it, or the text up to the next of these. */
const piece = new RegExp(`^(?:${escapeChar}?\\P{Cc}+|\\p{Cc})`, 'u');
/** So long the beginning of a mark waits for the rest of it; Esc is one, and somebody waits for what it does. */
const usualRestMs = 30;

export class KeyInput<Source extends Readable> {
  /** The input as Ink reads it. */
  readonly stream: Source;
  readonly #source: Source;
  readonly #restMs: number;
  /** What was read and not handed on. */
  #held = '';
  /** What of a paste has come; undefined outside of one. */
  #pasted: string | undefined;
  #isRestLate = false;
  #timer: NodeJS.Timeout | undefined;
  #onPaste: (text: string) => void = () => undefined;

  constructor(source: Source, restMs = usualRestMs) {
    this.#source = source;
    this.#restMs = restMs;
    const read = () => this.#read();
    this.stream = new Proxy(source, {
      get: (target, name) => {
        if (name === 'read') return read;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  /** Tells who takes what is pasted; there is one. */
  onPaste(told: (text: string) => void): void {
    this.#onPaste = told;
  }

  /** Nobody reads any more. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #read(): string | null {
    for (;;) {
      const next = this.#next();
      if (next !== undefined) return next;
      const chunk: string | Buffer | null = this.#source.read();
      if (chunk === null) return null;
      this.#take(String(chunk));
    }
  }

  #take(chunk: string): void {
    clearTimeout(this.#timer);
    if (chunk === interrupt) this.#pasted = undefined;
    this.#held = chunk === interrupt ? chunk : this.#held + chunk;
  }

  /** What Ink gets next; undefined when more has to come first. */
  #next(): string | undefined {
    while (this.#held !== '') {
      if (this.#pasted !== undefined) {
        if (!this.#endPaste(this.#pasted)) return undefined;
      } else if (this.#held.startsWith(pasteBegins)) {
        this.#pasted = '';
        this.#held = this.#held.slice(pasteBegins.length);
      } else if (this.#held.startsWith(pasteEnds)) {
        this.#held = this.#held.slice(pasteEnds.length);
      } else if (pasteBegins.startsWith(this.#held) && !this.#isRestLate) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#goOn(), this.#restMs);
        return undefined;
      } else {
        this.#isRestLate = false;
        return this.#cutOff();
      }
    }
    return undefined;
  }

  #cutOff(): string {
    const [first = this.#held] = piece.exec(this.#held) ?? [];
    this.#held = this.#held.slice(first.length);
    return first;
  }

  /** Whether the end is there. Nothing of it is kept twice: of a long text only what may begin the mark is looked at anew. */
  #endPaste(begun: string): boolean {
    const at = this.#held.indexOf(pasteEnds);
    if (at >= 0) {
      this.#pasted = undefined;
      const text = begun + this.#held.slice(0, at);
      this.#held = this.#held.slice(at + pasteEnds.length);
      this.#onPaste(text);
      return true;
    }
    const last = this.#held.lastIndexOf(escapeChar);
    const kept = last >= 0 && pasteEnds.startsWith(this.#held.slice(last)) ? last : this.#held.length;
    this.#pasted = begun + this.#held.slice(0, kept);
    this.#held = this.#held.slice(kept);
    return false;
  }

  /** What waited is a key after all. */
  #goOn(): void {
    this.#isRestLate = true;
    this.#source.emit('readable');
  }
}
