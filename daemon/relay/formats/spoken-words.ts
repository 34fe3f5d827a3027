/** Words with times, put together to sentences, for vendors that tell of no sentences. */
import type { TimedText } from '../canonical/transcription.ts';

/** One sentence after each full stop; a last one without. */
export function sentencesOf(words: readonly TimedText[]): TimedText[] {
  const sentences: TimedText[] = [];
  let open: TimedText | undefined;
  for (const { text, start, end } of words) {
    const isFirst = open === undefined;
    open =
      open === undefined
        ? { text: text.trim(), start, end }
        : { text: joinedTo(open.text, text), start: open.start, end };
    // The word alone: the sentence grows with each.
    if (!/[.?!。？！]$/.test(isFirst ? open.text : text)) continue;
    sentences.push(open);
    open = undefined;
  }
  return open === undefined ? sentences : [...sentences, open];
}

function joinedTo(before: string, word: string): string {
  const needsSpace = !/^[\s\p{Script=Han}。，？！]/u.test(word);
  return needsSpace ? `${before} ${word}` : before + word;
}
