/** A line as a POSIX shell takes it apart, with nothing expanded or run: for completion, which is handed the line as it stands. */

const space = /\s/;
/** What a backslash takes its meaning from between double quotes. */
const escapedWithin = /["\\$`\n]/;

/** The words without their quotes; the last one is where the line ends: empty behind a blank, and perhaps still open. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote === '' && space.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word ??= '';
    if (char === quote) quote = '';
    else if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (char === '\\' && quote !== "'" && (quote === '' || escapedWithin.test(next))) {
      word += next;
      at += 1;
    } else word += char;
  }
  return [...words, word ?? ''];
}
