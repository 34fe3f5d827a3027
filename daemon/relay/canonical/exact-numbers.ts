/**
 * Numbers in free JSON that a double, or the way JSON writes one, would change: ids of 64 bits, `1.0`, `-0`, `1e3`. A
 * tool would be called with the id of something else, or told another schema than its own. So they stand as marked
 * strings while they are passed on as values, and become what they were where the text is written. Only what holds such
 * numbers is looked at twice.
 */
import { isObject, type Json } from '../json.ts';
import { isNestedTooDeep } from '../json-nesting.ts';

/** Begins a number that stands as a string. A private letter: what has it already is left as it is. */
const MARK = '\ue000';
const escapedMark = /\\ue000/i;
/** Where such a number may stand, as it was written or as JSON writes what it could not keep. */
const suspect = /[[:,]\s*(?:-0(?![.\d])|-?\d(?:\d{15}|\d*(?:\.\d*)?e|\d*\.\d*0(?!\d)|\d*\.\d{15}))/i;
/** A string that has no end goes to the end of the text: looking for one from each of its quotes would take for ever. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
/**
 * A marked number in JSON, however often the text around it was put into a string. Looked for where a row of backslashes
 * begins and nowhere within: a prompt may be nothing but backslashes.
 */
const marked = /(?<!\\)(\\*)"\ue000(-?\d[\d.eE+-]*)\1"/g;
const short = /^-?[1-9]\d{0,14}$/;

function isChanged(piece: string): boolean {
  return !short.test(piece) && !piece.startsWith('"') && JSON.stringify(Number(piece)) !== piece;
}

/** True for bytes that have the mark themselves, so that nothing in them can be marked. */
export function hasOwnMarks(bytes: Buffer): boolean {
  return bytes.includes(MARK) || (bytes.includes('\\u') && escapedMark.test(bytes.toString('latin1')));
}

/** JSON text with such numbers marked; undefined where there are none, and for what is no JSON. */
export function markNumbers(text: string): string | undefined {
  return MarkedNumbers.in(text)?.text;
}

/** Text that was made of marked JSON, with the numbers as they were. */
export function restoreNumbers(text: string): string {
  return text.includes(MARK) ? text.replace(marked, '$2') : text;
}

/** The digits of a marked number; undefined for any other value. */
export function digitsOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : undefined;
}

/** JSON in which numbers that a double would change stand as marked strings. */
export class MarkedNumbers {
  readonly json: Json;
  /** The same as text. */
  readonly text: string;

  private constructor(json: Json, text: string) {
    this.json = json;
    this.text = text;
  }

  /** Undefined where nothing needs a mark, and for what is no JSON, nested too deep or has marks of its own. */
  static in(text: string): MarkedNumbers | undefined {
    if (!suspect.test(text) || text.includes(MARK) || escapedMark.test(text) || isNestedTooDeep(text)) return undefined;
    const made = text.replace(stringOrNumber, (piece) => (isChanged(piece) ? `"${MARK}${piece}"` : piece));
    if (made === text) return undefined;
    try {
      const json: Json = JSON.parse(made);
      return new MarkedNumbers(json, made);
    } catch {
      return undefined;
    }
  }

  /** Text that was made of `json`, with the numbers as they were. */
  restored(text: string): string {
    return restoreNumbers(text);
  }

  /** The JSON as it is read without marks, but for objects under this name: they are text with their numbers as they were. */
  withTexts(name: string): Json {
    return withTexts(this.json, name);
  }
}

function withTexts(value: Json, name: string): Json {
  const digits = digitsOf(value);
  if (digits !== undefined) return Number(digits);
  if (Array.isArray(value)) return value.map((entry) => withTexts(entry, name));
  if (!isObject(value)) return value;
  const told = Object.entries(value).map(([key, member]) => {
    const isText = key === name && isObject(member);
    return [key, isText ? restoreNumbers(JSON.stringify(member)) : withTexts(member, name)] as const;
  });
  return Object.fromEntries(told);
}

interface Item {
  readonly type: string;
}

type Call = Item & { readonly input: string };

function isCall(item: Item | undefined): item is Call {
  return item?.type === 'tool-call' && 'input' in item && typeof item.input === 'string';
}

/** The inputs of calls as `source` has them, which is read once more where one of them may have lost digits. */
export function withExactInputs<Some extends Item>(
  items: readonly Some[],
  source: () => string,
  readAgain: (json: Json) => readonly Some[],
): readonly Some[] {
  if (!items.some(isCall)) return items;
  const numbers = MarkedNumbers.in(source());
  if (numbers === undefined) return items;
  const again = readAgain(numbers.json);
  return items.map((item, at) => {
    const read = again[at];
    return isCall(item) && isCall(read) ? { ...item, input: numbers.restored(read.input) } : item;
  });
}

/** Where an object begins with these members; -1 for nowhere. */
function placeOf(members: string, json: string, from: number): number {
  for (let at = json.indexOf(members, from); at >= 0; at = json.indexOf(members, at + 1)) {
    const next = json[at + members.length];
    if (next === '}' || next === ',') return at;
  }
  return -1;
}

/** Letters of an object's beginning by which it is known to stand nowhere, without a search for it. */
const OPENING = 16;

/** How every object in the text begins. */
function openingsIn(json: string): ReadonlySet<string> {
  const openings = new Set<string>();
  for (let at = json.indexOf('{'); at >= 0; at = json.indexOf('{', at + 1)) openings.add(json.slice(at, at + OPENING));
  return openings;
}

/**
 * JSON that was made with the inputs as objects, in their order, with their numbers as the inputs have them. What is
 * put in is gathered beside the text: a text that is made anew for each of many inputs takes minutes.
 */
export function withExactArguments(json: string, inputs: Iterable<string>): string {
  const read = Array.from(inputs, (input) => {
    const numbers = MarkedNumbers.in(input);
    return { input, numbers, members: isObject(numbers?.json) ? membersOf(input) : undefined };
  });
  const changed = new Set(read.flatMap(({ members }) => members ?? []));
  if (changed.size === 0) return json;
  const openings = openingsIn(json);
  const pieces: string[] = [];
  let from = 0;
  for (const { input, numbers, members = membersOf(input) } of read) {
    // One that lost nothing may look like one that did, and stand before it: a double and the number beside it.
    if (members === undefined || !changed.has(members)) continue;
    if (members.length >= OPENING && !openings.has(members.slice(0, OPENING))) continue;
    const at = placeOf(members, json, from);
    if (at < 0) continue;
    const exact = numbers === undefined ? members : numbers.restored(JSON.stringify(numbers.json)).slice(0, -1);
    pieces.push(json.slice(from, at), exact);
    from = at + members.length;
  }
  return pieces.length === 0 ? json : pieces.join('') + json.slice(from);
}

/**
 * An input as it stands in JSON that was made of its value; undefined for what is no JSON. An object with members cannot
 * stand inside a string: its quotes would be escaped. Its end is left open, for the wire may put members of its own behind
 * those of the input.
 */
function membersOf(input: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(input)).slice(0, -1);
  } catch {
    return undefined;
  }
}
