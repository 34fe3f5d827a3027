/** A text in its normal form NFKC: what a reader sees of it, and all of it. */
export interface Seen {
  readonly read: string;
  readonly written: string;
}

export function seenOf(text: string): Seen {
  if (!BEYOND_ASCII.test(text)) return { read: text, written: text };
  const written = text.normalize('NFKC');
  return { read: visible(written), written };
}

/** Plain text is its own normal form, which is found out sooner than made. */
const BEYOND_ASCII = /[^ -~\t\n\r]/;

/** Soft hyphens, joiners, spaces without width and the like: a word with one inside reads as without. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** What a reader sees of a text in its normal form, in that form again. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, '').normalize('NFKC');
}
