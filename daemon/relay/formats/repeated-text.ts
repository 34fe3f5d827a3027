/**
 * A stream says the same frame a thousand times around another piece of text. Once a frame has been parsed, a payload
 * that differs from it in that text alone needs no parser: what is between the two halves is the text.
 */

export class RepeatedText {
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
    const name = `"${key}":`;
    const at = data.indexOf(name);
    if (at < 0 || data.indexOf(name, at + 1) >= 0) return undefined;
    const space = data.charCodeAt(at + name.length) === 0x20 ? 1 : 0;
    const start = at + name.length + space + 1;
    if (data.charCodeAt(start - 1) !== 0x22 || !data.startsWith(`${text}"`, start)) return undefined;
    return new RepeatedText(data.slice(0, start), data.slice(start + text.length));
  }

  /** The text of a payload in this frame; undefined for every other payload, and for text with escapes. */
  in(data: string): string | undefined {
    const from = this.#before.length;
    const to = data.length - this.#after.length;
    // Comparing slices is one look at memory each; `startsWith` goes letter by letter.
    if (to <= from || data.slice(0, from) !== this.#before || data.slice(to) !== this.#after) return undefined;
    const text = data.slice(from, to);
    return text.includes('"') || text.includes('\\') ? undefined : text;
  }
}
