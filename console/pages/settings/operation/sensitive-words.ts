/** The list of sensitive words as the daemon reads it: a word or a pattern a line, whatever their case. */

const patternMark = 'regex:';

export interface WordList {
  readonly words: readonly string[];
  /** Lines that say again what another one says. */
  readonly duplicates: number;
}

export function wordsOf(text: string): WordList {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const words = [...new Map(lines.map((line) => [line.toLowerCase(), line])).values()];
  return { words, duplicates: lines.length - words.length };
}

export interface WordHits {
  readonly hits: readonly string[];
  /** Patterns that this browser cannot read. */
  readonly broken: readonly string[];
}

export function hitsOf(words: readonly string[], text: string): WordHits {
  const hits: string[] = [];
  const broken: string[] = [];
  const lower = text.toLowerCase();
  for (const word of words) {
    if (!word.startsWith(patternMark)) {
      if (lower.includes(word.toLowerCase())) hits.push(word);
      continue;
    }
    try {
      if (new RegExp(word.slice(patternMark.length), 'iu').test(text)) hits.push(word);
    } catch {
      broken.push(word);
    }
  }
  return { hits, broken };
}
