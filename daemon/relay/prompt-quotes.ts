/**
 * Takes out of an upstream's words what they quote of the request. Some vendors repeat the whole prompt in a refusal;
 * the client may read it there, but what is kept holds no prompt (relay.md 19.3, 22).
 */

const hidden = '***';
/** Shorter runs are words that any two texts share. */
const QUOTE_LENGTH = 16;
/** Every run of `QUOTE_LENGTH` characters holds a whole piece of the prompt of this length, wherever it begins. */
const PIECE_LENGTH = QUOTE_LENGTH / 2;
/** Places of one piece in the words that are looked at: more are a pattern, and every place costs a comparison. */
const MAX_PLACES = 16;
/** Characters of the words that are looked through; the rest of longer ones is left out. */
const MAX_WORDS = 8192;

/**
 * The words with `***` for every run of at least 16 characters that stands in one of the texts, too, and for every text
 * of at least 8 that stands in them whole.
 */
export function withoutQuotes(words: string, texts: readonly string[]): string {
  const looked = words.slice(0, MAX_WORDS);
  const places = placesOfPieces(looked);
  if (places.size === 0) return looked;
  /** 1 for every character that is quoted: what is known to be is not compared again. */
  const quoted = new Uint8Array(looked.length);
  for (const text of texts) {
    for (let at = 0; at + PIECE_LENGTH <= text.length; at += PIECE_LENGTH) {
      for (const place of places.get(text.slice(at, at + PIECE_LENGTH)) ?? []) {
        if (quoted[place] === 1 && quoted[place + PIECE_LENGTH - 1] === 1) continue;
        const [from, to] = runAround({ words: looked, place }, { text, at });
        if (to - from >= QUOTE_LENGTH || to - from === text.length) quoted.fill(1, from, to);
      }
    }
  }
  return hide(looked, quoted);
}

function placesOfPieces(words: string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let place = 0; place + PIECE_LENGTH <= words.length; place += 1) {
    const piece = words.slice(place, place + PIECE_LENGTH);
    const known = places.get(piece);
    if (known === undefined) places.set(piece, [place]);
    else if (known.length < MAX_PLACES) known.push(place);
  }
  return places;
}

/** As far as both go on alike, to the left and to the right of a piece that they share. */
function runAround(
  { words, place }: { words: string; place: number },
  { text, at }: { text: string; at: number },
): [from: number, to: number] {
  let before = 0;
  while (before < Math.min(place, at) && words[place - before - 1] === text[at - before - 1]) before += 1;
  let after = PIECE_LENGTH;
  const room = Math.min(words.length - place, text.length - at);
  while (after < room && words[place + after] === text[at + after]) after += 1;
  return [place - before, place + after];
}

function hide(words: string, quoted: Uint8Array): string {
  let shown = '';
  for (let at = 0; at < words.length; ) {
    const isQuoted = quoted[at] === 1;
    const next = quoted.indexOf(isQuoted ? 0 : 1, at);
    const end = next === -1 ? words.length : next;
    shown += isQuoted ? hidden : words.slice(at, end);
    at = end;
  }
  return shown;
}
