/**
 * JSON that stands in texts: arguments and results of tools, answers of upstreams. Reading it takes no stack, but whoever
 * walks it or writes it does, so what is nested too deep is taken for a text like any other.
 */

/** Levels; far more than people write and far fewer than the stack has room for. */
const DEEPEST = 1000;
const QUOTE = '"';
const BACKSLASH = '\\';

/** True when this JSON text nests objects and lists too deep to be walked; text that is no JSON gives any answer. */
export function isNestedTooDeep(text: string): boolean {
  // Every level takes two characters: most texts, and most events of a stream, are shorter than that.
  if (text.length <= DEEPEST * 2) return false;
  const structure = /["[\]{}]/g;
  let depth = 0;
  for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
    const [sign] = found;
    if (sign === QUOTE) structure.lastIndex = endOfString(text, found.index + 1);
    else if (sign === '[' || sign === '{') {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else depth -= 1;
  }
  return false;
}

/** Index behind the closing quote of a string whose content begins at `from`; long texts are crossed natively. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf(QUOTE, at);
    if (quote < 0) return text.length;
    let escapes = 0;
    while (quote - 1 - escapes >= from && text[quote - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
