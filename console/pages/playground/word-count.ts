/** How many words a text has, in any language. */
export function wordCount(text: string): number {
  let count = 0;
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) {
    if (isWordLike) count += 1;
  }
  return count;
}
