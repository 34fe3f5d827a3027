/** A JSON value as the lines that a viewer shows and folds. Pure. */

export interface JsonLine {
  readonly depth: number;
  /** Name of the member; absent in lists and for the outermost value. */
  readonly name?: string;
  /** The value, or its bracket. */
  readonly text: string;
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'open' | 'close';
  /** `messages[0].content`; "" for the outermost value. */
  readonly path: string;
  readonly hasComma: boolean;
  /** Of an opening bracket: the index of its closing line, and how many members lie between. */
  readonly end?: number;
  readonly size?: number;
}

/** `a.b`, `a[0]`, `a["b c"]`. */
function memberPath(path: string, name: string): string {
  if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) return path === '' ? name : `${path}.${name}`;
  return `${path}[${JSON.stringify(name)}]`;
}

const kinds: Record<string, JsonLine['kind']> = { string: 'string', number: 'number', boolean: 'boolean' };

export function jsonLines(value: unknown): JsonLine[] {
  const lines: JsonLine[] = [];
  const add = (current: unknown, depth: number, path: string, hasComma: boolean, name?: string) => {
    const named = name === undefined ? {} : { name };
    if (typeof current !== 'object' || current === null) {
      const text = JSON.stringify(current) ?? 'null';
      lines.push({ depth, ...named, text, kind: kinds[typeof current] ?? 'null', path, hasComma });
      return;
    }
    const isList = Array.isArray(current);
    const members = isList
      ? current.map((member: unknown, index) => ({ member, path: `${path}[${index}]`, named: [] }))
      : Object.entries(current).map(([key, member]) => ({ member, path: memberPath(path, key), named: [key] }));
    const [opening, closing] = isList ? ['[', ']'] : ['{', '}'];
    if (members.length === 0) {
      lines.push({ depth, ...named, text: opening + closing, kind: 'null', path, hasComma });
      return;
    }
    const start = lines.length;
    lines.push({ depth, ...named, text: opening, kind: 'open', path, hasComma, size: members.length });
    for (const [index, entry] of members.entries()) {
      add(entry.member, depth + 1, entry.path, index < members.length - 1, ...entry.named);
    }
    const open = lines[start];
    if (open) lines[start] = { ...open, end: lines.length };
    lines.push({ depth, text: closing, kind: 'close', path, hasComma });
  };
  add(value, 0, '', false);
  return lines;
}

/** Indexes of the lines that are not inside a folded one. */
export function visibleLines(lines: readonly JsonLine[], folded: ReadonlySet<number>): number[] {
  const visible: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    visible.push(index);
    const end = lines[index]?.end;
    if (end !== undefined && folded.has(index)) index = end;
  }
  return visible;
}

/** Indexes of the lines that hold a text, in names or values. */
export function linesWith(lines: readonly JsonLine[], query: string): number[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap((line, index) =>
    line.kind !== 'close' && `${line.name ?? ''}\n${line.text}`.toLowerCase().includes(wanted) ? [index] : [],
  );
}
