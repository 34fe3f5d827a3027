/** `--sort`: a whole list in the order of one of its fields (cli.md 1.4). */

export interface Order {
  /** A JSON field. */
  readonly field: string;
  readonly direction: 'ascending' | 'descending';
}

/** Reads `FIELD`, `FIELD:asc` and `FIELD:desc`; anything else is a field that is not there. */
export function orderOf(text: string): Order {
  const [, field = text, direction] = /^(.*):(asc|desc)$/.exec(text) ?? [];
  return { field, direction: direction === 'desc' ? 'descending' : 'ascending' };
}

/**
 * The rows in order; those that are equal stay as they were, and those without a value stand at the end either way.
 * Numbers and texts that are numbers go by their value, other texts by code point with their digits read as numbers
 * (`gpt-4` before `gpt-35`), whatever the language is.
 */
export function ordered<T>(rows: readonly T[], { field, direction }: Order): T[] {
  const keyed = rows.map((row) => ({ row, value: memberOf(row, field) }));
  const isNumeric = keyed.every(({ value }) => typeof value !== 'string' || value === '' || isNumber(value));
  const filled = keyed.filter(({ value }) => !isEmpty(value));
  const keys = filled.map(({ row, value }) => ({ row, key: keyOf(value, isNumeric) }));
  const sign = direction === 'descending' ? -1 : 1;
  keys.sort((a, b) => sign * compared(a.key, b.key));
  return [...keys, ...keyed.filter(({ value }) => isEmpty(value))].map(({ row }) => row);
}

function memberOf(row: unknown, field: string): unknown {
  return typeof row === 'object' && row !== null ? Reflect.get(row, field) : undefined;
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';
const isNumber = (text: string) => /^[+-]?\d+(\.\d+)?$/.test(text);

/** A number, or a text in pieces, every other one of digits. */
type Key = number | readonly string[];

function keyOf(value: unknown, isNumeric: boolean): Key {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return isNumeric && isNumber(text) ? Number(text) : text.split(/(\d+)/);
}

function compared(a: Key, b: Key): number {
  if (typeof a === 'number' || typeof b === 'number') {
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    return Number(a) - Number(b);
  }
  for (const [place, piece] of a.entries()) {
    const other = b[place];
    if (other === undefined) return 1;
    const difference = place % 2 === 1 ? Number(piece) - Number(other) : byCodePoint(piece, other);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  for (let at = 0; ; at += 1) {
    const [one, other] = [a.codePointAt(at), b.codePointAt(at)];
    if (one === undefined || other === undefined) return a.length - b.length;
    if (one !== other) return one - other;
  }
}
