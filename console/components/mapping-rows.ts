/** A map of names as JSON text and as rows of a table. */

export interface MappingRow {
  readonly from: string;
  readonly to: string;
}

/** The rows of a JSON object whose members are all texts or numbers; undefined for any other text. */
export function rowsOfMapping(text: string): MappingRow[] | undefined {
  if (text.trim() === '') return [];
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const rows = Object.entries(value).map(([from, to]) => ({ from, to }));
  const isPlain = (row: { from: string; to: unknown }): row is { from: string; to: string | number } =>
    typeof row.to === 'string' || typeof row.to === 'number';
  return rows.every(isPlain) ? rows.map(({ from, to }) => ({ from, to: String(to) })) : undefined;
}

/** The text of rows; "" for none. Rows without a name are left out, a repeated one counts as it stands last. */
export function mappingText(rows: readonly MappingRow[]): string {
  const filled = rows.filter(({ from }) => from.trim() !== '');
  if (filled.length === 0) return '';
  return JSON.stringify(Object.fromEntries(filled.map(({ from, to }) => [from.trim(), to.trim()])), null, 2);
}

/** A name and where it stands, from 1. */
export interface PlacedName {
  readonly name: string;
  readonly place: number;
}

const textOrLine = /"((?:[^"\\]|\\.)*)"(\s*:)?|\n/g;

/** The names of a JSON object without objects in it, also those that reading it loses, by lines. */
export function namesByLine(text: string): PlacedName[] {
  const names: PlacedName[] = [];
  let place = 1;
  for (const [, name, colon] of text.matchAll(textOrLine)) {
    if (name === undefined) place += 1;
    else if (colon !== undefined) names.push({ name: String(JSON.parse(`"${name}"`)), place });
    place += colon?.split('\n').slice(1).length ?? 0;
  }
  return names;
}

export function namesByRow(rows: readonly MappingRow[]): PlacedName[] {
  return rows.flatMap(({ from }, index) => (from.trim() === '' ? [] : [{ name: from.trim(), place: index + 1 }]));
}

/** The first name that is there again, where it stands last: there it counts. */
export function repeatedName(names: readonly PlacedName[]): PlacedName | undefined {
  const seen = new Set<string>();
  const again = names.find(({ name }) => seen.size === seen.add(name).size);
  return again && names.findLast(({ name }) => name === again.name);
}

/** The object that a text says; undefined for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Arrays and null are no objects here; what is left has members of any kind.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** True for "" and for the text of a JSON object: what every JSON column of a channel takes. */
export function isObjectText(text: string): boolean {
  return text.trim() === '' || parseObject(text) !== undefined;
}

/** The names of the first circle that the rows go round in, the first one repeated at its end; undefined without one. */
export function findLoop(rows: readonly MappingRow[]): string[] | undefined {
  const next = new Map(rows.filter(({ from, to }) => from !== '' && to !== '').map(({ from, to }) => [from, to]));
  for (const start of next.keys()) {
    const path = [start];
    // A name that stands for itself is how a mapping says "as it is".
    for (let at = next.get(start); at !== undefined && at !== path.at(-1); at = next.get(at)) {
      if (at === start) return [...path, start];
      if (path.includes(at)) break;
      path.push(at);
    }
  }
  return undefined;
}
