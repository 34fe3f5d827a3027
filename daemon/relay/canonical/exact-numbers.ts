/**
 * Numbers in the arguments of tool calls that a double cannot hold, such as ids of 64 bits. Where arguments are objects
 * on the wire, JSON would change their last digits on the way from object to text and back: a tool would be called with
 * the id of something else. Only calls that hold such numbers are looked at twice.
 */
import { isObject, type Json } from '../json.ts';

/** Where a long number may stand, as it was written or as JSON writes what it could not keep. */
const long = /[[:,]\s*-?\d(?:\d{15}|\d*\.\d{15}|[.\d]*e[+-]?\d)/i;
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/** JSON in which numbers that a double would change stand as marked strings. */
export class MarkedNumbers {
  readonly json: Json;
  readonly #mark: RegExp;

  private constructor(json: Json, mark: RegExp) {
    this.json = json;
    this.#mark = mark;
  }

  /** Undefined where nothing needs a mark, and for what is no JSON. */
  static in(text: string): MarkedNumbers | undefined {
    if (!long.test(text)) return undefined;
    let name = 'number';
    while (text.includes(name)) name += '-';
    const marked = text.replace(stringOrNumber, (piece) => (isChanged(piece) ? `"${name}${piece}"` : piece));
    if (marked === text) return undefined;
    try {
      const json: Json = JSON.parse(marked);
      return new MarkedNumbers(json, new RegExp(`"${name}([^"]*)"`, 'g'));
    } catch {
      return undefined;
    }
  }

  /** Text that was made of `json`, with the numbers as they were. */
  restored(text: string): string {
    return text.replace(this.#mark, '$1');
  }
}

function isChanged(piece: string): boolean {
  return piece.length > 15 && !piece.startsWith('"') && JSON.stringify(Number(piece)) !== piece;
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
  if (!items.some((item) => isCall(item) && long.test(item.input))) return items;
  const numbers = MarkedNumbers.in(source());
  if (numbers === undefined) return items;
  const again = readAgain(numbers.json);
  return items.map((item, at) => {
    const marked = again[at];
    return isCall(item) && isCall(marked) ? { ...item, input: numbers.restored(marked.input) } : item;
  });
}

/** JSON that was made with the inputs as objects, in their order, with their numbers as the inputs have them. */
export function withExactArguments(json: string, inputs: Iterable<string>): string {
  let exact = json;
  let from = 0;
  for (const input of inputs) {
    const numbers = MarkedNumbers.in(input);
    if (numbers === undefined || !isObject(numbers.json)) continue;
    // An object with members cannot stand inside a string: its quotes would be escaped.
    const changed = JSON.stringify(JSON.parse(input));
    const at = exact.indexOf(changed, from);
    if (at < 0) continue;
    const kept = numbers.restored(JSON.stringify(numbers.json));
    exact = exact.slice(0, at) + kept + exact.slice(at + changed.length);
    from = at + kept.length;
  }
  return exact;
}
