/** Values made comparable: keys in order, secrets hidden, members side by side. Pure. */

export interface DiffRow {
  readonly name: string;
  /** Absent: there was none. */
  readonly before?: string | number | boolean | null;
  /** Absent: it is gone. */
  readonly after?: string | number | boolean | null;
}

const hidden = '***';

/** The value with keys in alphabetical order and secrets hidden; one that is not the other side's still differs. */
export function sortedValue(value: unknown, other: unknown, secrets: readonly string[], mark: string): unknown {
  if (Array.isArray(value)) {
    return value.map((member: unknown, index) => sortedValue(member, memberOf(other, index), secrets, mark));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, member]) => {
      const counterpart = memberOf(other, name);
      if (!secrets.includes(name)) return [name, sortedValue(member, counterpart, secrets, mark)];
      const isSame = JSON.stringify(member) === JSON.stringify(counterpart);
      return [name, member === '' || member === null ? member : hidden + (isSame ? '' : mark)];
    }),
  );
}

function memberOf(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function memberText(value: unknown): string | number | boolean | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : JSON.stringify(value);
}

/** The members that differ, by name. */
export function changedRows(before: unknown, after: unknown, secrets: readonly string[]): DiffRow[] {
  const old = new Map(entriesOf(before));
  const now = new Map(entriesOf(after));
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names.flatMap((name): DiffRow[] => {
    const [one, other] = [old.get(name), now.get(name)];
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    const isSecret = secrets.includes(name);
    return [
      {
        name,
        ...(one === undefined ? {} : { before: isSecret ? hidden : memberText(one) }),
        ...(other === undefined ? {} : { after: isSecret ? hidden : memberText(other) }),
      },
    ];
  });
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** By how much of the old number a number moved; undefined where that says nothing. */
export function movedBy({ before, after }: DiffRow): number | undefined {
  if (typeof before !== 'number' || typeof after !== 'number' || before === 0) return undefined;
  return (after - before) / Math.abs(before);
}
