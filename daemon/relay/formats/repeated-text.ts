/**
 * A stream says the same frame a thousand times around another piece of text. Once a frame has been parsed, a payload
 * that differs from it in that text alone needs no parser: what is between the two halves is the text. Payloads that
 * arrive together need not even be told apart.
 */
import type { TextFrame, TextRun } from '../format.ts';
import { parseJson } from './fields.ts';

/** Characters of a text; a frame keeps the whole payload that it was found in, and who says so much says it once. */
const LONGEST_TEXT = 64 * 1024;

export class RepeatedText implements TextFrame {
  readonly #before: string;
  readonly #after: string;

  private constructor(before: string, after: string) {
    this.#before = before;
    this.#after = after;
  }

  /**
   * The frame of a payload whose member `key` was read as `text`; undefined where that member cannot be found beyond
   * doubt: it is there more than once, or its text is written with escapes.
   */
  static around(data: string, key: string, text: string): RepeatedText | undefined {
    if (text.length > LONGEST_TEXT) return undefined;
    const name = `"${key}":`;
    const at = data.indexOf(name);
    if (at < 0 || data.indexOf(name, at + 1) >= 0) return undefined;
    const space = data.charCodeAt(at + name.length) === 0x20 ? 1 : 0;
    const start = at + name.length + space + 1;
    if (data.charCodeAt(start - 1) !== 0x22 || !data.startsWith(`${text}"`, start)) return undefined;
    return new RepeatedText(data.slice(0, start), data.slice(start + text.length));
  }

  /** The text of a payload in this frame; undefined for every other payload. */
  in(data: string): string | undefined {
    const from = this.#before.length;
    const to = data.length - this.#after.length;
    // Comparing slices is one look at memory each; `startsWith` goes letter by letter.
    if (to <= from || data.slice(0, from) !== this.#before || data.slice(to) !== this.#after) return undefined;
    return written(data.slice(from, to));
  }

  run(text: string, start: number, joint: string): TextRun | undefined {
    const first = start + this.#before.length;
    if (text.slice(start, first) !== this.#before) return undefined;
    const seam = this.#after + joint + this.#before;
    const pieces: string[] = [];
    let from = first;
    for (;;) {
      // The seam is found by its line feed: its other letters are in every payload, over and over.
      const to = text.indexOf('\n', from) - this.#after.length;
      if (to < from || text.slice(to, to + seam.length) !== seam) break;
      pieces.push(text.slice(from, to));
      from = to + seam.length;
    }
    if (pieces.length === 0) return undefined;
    const said = joined(pieces);
    // A text of nothing is no piece of text.
    return said === undefined || said === '' ? undefined : { text: said, next: from - this.#before.length };
  }
}

/** Undefined where a piece is no text between two quotes: then it is a payload in another frame. */
function joined(pieces: string[]): string | undefined {
  const all = pieces.join('');
  if (!all.includes('\\')) return all.includes('"') ? undefined : all;
  const texts: string[] = [];
  for (const piece of pieces) {
    const text = written(piece);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts.join('');
}

/** What JSON says with these characters between two quotes; undefined where they are no such text. */
function written(piece: string): string | undefined {
  if (!piece.includes('\\')) return piece.includes('"') ? undefined : piece;
  const text = parseJson(`"${piece}"`);
  return typeof text === 'string' ? text : undefined;
}
