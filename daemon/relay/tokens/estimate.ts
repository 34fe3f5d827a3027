/**
 * Token counting without a vocabulary: one pass over the characters with a weight for each class (relay.md 14.3).
 * Works on pieces, so that a stream's text need not be kept.
 */

/** Tokens of the frame around each streamed tool call (relay.md 14.3). */
export const TOKENS_PER_TOOL_CALL = 7;

/** Whose weights apply. */
export type TokenFamily = 'openai' | 'claude' | 'gemini';

type CharacterClass = keyof typeof weightTable;

/** Tokens for a run of letters, a run of digits, or one character of another class. Source: relay.md 14.3. */
const weightTable = {
  word: { openai: 1.02, claude: 1.13, gemini: 1.15 },
  number: { openai: 1.55, claude: 1.63, gemini: 2.8 },
  cjk: { openai: 0.85, claude: 1.21, gemini: 0.68 },
  symbol: { openai: 0.4, claude: 0.4, gemini: 0.38 },
  math: { openai: 2.68, claude: 4.52, gemini: 1.05 },
  url: { openai: 1, claude: 1.26, gemini: 1.2 },
  at: { openai: 2, claude: 2.82, gemini: 2.5 },
  emoji: { openai: 2.12, claude: 2.6, gemini: 1.08 },
  newline: { openai: 0.5, claude: 0.89, gemini: 1.15 },
  space: { openai: 0.42, claude: 0.39, gemini: 0.2 },
} as const;

const classes: readonly CharacterClass[] = [
  'word',
  'number',
  'cjk',
  'symbol',
  'math',
  'url',
  'at',
  'emoji',
  'newline',
  'space',
];
const word = classes.indexOf('word');
const number = classes.indexOf('number');

function weightsOf(family: TokenFamily): Float64Array {
  return Float64Array.from(classes, (name) => weightTable[name][family]);
}

const weights: Readonly<Record<TokenFamily, Float64Array>> = {
  openai: weightsOf('openai'),
  claude: weightsOf('claude'),
  gemini: weightsOf('gemini'),
};

function isBetween(point: number, ranges: readonly (readonly [number, number])[]): boolean {
  return ranges.some(([low, high]) => point >= low && point <= high);
}

const cjkRanges = [
  [0x3040, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
  [0x20000, 0x3ffff],
] as const;

const emojiRanges = [
  [0x2600, 0x27bf],
  [0x1f000, 0x1faff],
] as const;

const mathRanges = [
  [0x2190, 0x21ff],
  [0x2200, 0x22ff],
  [0x27c0, 0x27ef],
  [0x2980, 0x2aff],
  [0x1d400, 0x1d7ff],
] as const;

/** Punctuation of CJK and typeset text, listed because it is frequent and the general rule is slow. */
const punctuationRanges = [
  [0x2010, 0x2027],
  [0x3001, 0x3020],
  [0xff01, 0xff0f],
  [0xff1a, 0xff20],
] as const;

const mathSigns = new Set([...'±×÷²³¹¼½¾°√∞ⁿ'].map((sign) => sign.codePointAt(0)));

function className(point: number): CharacterClass {
  if (isBetween(point, punctuationRanges)) return 'symbol';
  if (isBetween(point, cjkRanges)) return 'cjk';
  const text = String.fromCodePoint(point);
  if (text === '\n') return 'newline';
  if (text === '@') return 'at';
  if ('/:?&=;#%'.includes(text)) return 'url';
  if (/\s/.test(text)) return 'space';
  if (isBetween(point, emojiRanges)) return 'emoji';
  if (mathSigns.has(point) || isBetween(point, mathRanges)) return 'math';
  if (/\p{Nd}/u.test(text)) return 'number';
  if (/[\p{L}\p{M}_]/u.test(text)) return 'word';
  return 'symbol';
}

function classOf(point: number): number {
  return classes.indexOf(className(point));
}

/** Classes of the first code points, where nearly all text lives. */
const tableSize = 0x250;
const classTable = Uint8Array.from({ length: tableSize }, (_, point) => classOf(point));
const firstIdeograph = 0x4e00;
const lastIdeograph = 0x9fff;
const ideograph = classes.indexOf('cjk');

/** Counts a text that arrives in pieces; the pieces are not kept. Cutting the text elsewhere changes nothing. */
export class TextMeter {
  readonly #weights: Float64Array;
  #sum = 0;
  #run = -1;
  #highSurrogate = '';

  constructor(family: TokenFamily) {
    this.#weights = weights[family];
  }

  /** Estimated tokens of all pieces so far. */
  get tokens(): number {
    return Math.ceil(this.#sum - 1e-9);
  }

  add(piece: string): void {
    const text = this.#highSurrogate + piece;
    let length = text.length;
    this.#highSurrogate = '';
    if (length > 0 && (text.charCodeAt(length - 1) & 0xfc00) === 0xd800) {
      length -= 1;
      this.#highSurrogate = text.slice(length);
    }
    let sum = this.#sum;
    let run = this.#run;
    for (let index = 0; index < length; index += 1) {
      let point = text.charCodeAt(index);
      let kind: number;
      if (point < tableSize) kind = classTable[point] ?? 0;
      else if (point >= firstIdeograph && point <= lastIdeograph) kind = ideograph;
      else {
        point = text.codePointAt(index) ?? point;
        if (point > 0xffff) index += 1;
        kind = classOf(point);
      }
      if (kind !== run) sum += this.#weights[kind] ?? 0;
      run = kind === word || kind === number ? kind : -1;
    }
    this.#sum = sum;
    this.#run = run;
  }
}

/** Estimated tokens of one text. */
export function estimateText(family: TokenFamily, text: string): number {
  const meter = new TextMeter(family);
  meter.add(text);
  return meter.tokens;
}

/** Whose weights fit a model name. */
export function tokenFamilyOf(model: string): TokenFamily {
  const name = model.toLowerCase();
  if (name.includes('claude')) return 'claude';
  return /gemini|gemma|palm/.test(name) ? 'gemini' : 'openai';
}
