/**
 * Cuts a text where neither its normal form NFKC nor its lower case looks across, so that both can be made of one piece
 * after the other. In one piece they hold up the loop: U+FDFA grows 18-fold, and marks in a wrong order are sorted in
 * quadratic time.
 */

/**
 * Characters that nothing joins: no marks, which are put in order and composed with what stands before them, no vowels
 * and final consonants of Hangul and Kirat Rai, which are composed as well, and nothing without a meaning or a width.
 */
const ALONE = /^[^\p{M}\p{Cs}\p{Cn}\p{Co}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\u{16d40}-\u{16d7f}]+$/u;
/** Whether a sigma ends its word is seen past these, up to the next other character. */
const SEEN_PAST = /[\p{Case_Ignorable}Σ]/u;

/** A place to cut is looked for within so many characters; where there is none, nobody could read the text anyway. */
const SEARCHED = 256;

/** Units of UTF-16 that are made normal at a time: marks in a wrong order cost their square. */
export const PIECE_UNITS = 1024;

/** Pieces of about so many units of UTF-16, which make up the text. */
export function* normalPieces(text: string, units: number): Generator<string> {
  let from = 0;
  while (text.length - from > units + SEARCHED) {
    const to = cutFrom(text, from + units);
    yield text.slice(from, to);
    from = to;
  }
  yield text.slice(from);
}

function cutFrom(text: string, start: number): number {
  let second: number | undefined;
  for (let at = start; at < start + SEARCHED; at += 1) {
    const sides = [characterBefore(text, at), characterAt(text, at)].map((each) => each.normalize('NFKC'));
    if (!sides.every((each) => ALONE.test(each))) continue;
    if (!sides.some((each) => SEEN_PAST.test(each))) return at;
    second ??= at;
  }
  if (second !== undefined) return second;
  return isWithinPair(text, start) ? start + 1 : start;
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function characterBefore(text: string, at: number): string {
  return characterAt(text, isWithinPair(text, at - 1) ? at - 2 : at - 1);
}

/** Between the halves of a character beyond U+FFFF. */
function isWithinPair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
