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

/** A value that is still to be told, or the end of one whose members have been. */
interface Awaited {
  readonly value?: unknown;
  readonly depth: number;
  readonly path: string;
  readonly hasComma: boolean;
  readonly name?: string;
  /** Of an end: the index of its opening line. */
  readonly start?: number;
}

/** Without calling itself: what an upstream sends may be nested deeper than a browser lets a function call itself. */
export function jsonLines(value: unknown): JsonLine[] {
  const lines: JsonLine[] = [];
  const awaited: Awaited[] = [{ value, depth: 0, path: '', hasComma: false }];
  for (let next = awaited.pop(); next; next = awaited.pop()) {
    const { value: current, depth, path, hasComma, name, start } = next;
    const shared = { depth, path, hasComma };
    const open = start === undefined ? undefined : lines[start];
    if (start !== undefined && open) {
      lines[start] = { ...open, end: lines.length };
      lines.push({ ...shared, text: open.text === '[' ? ']' : '}', kind: 'close' });
      continue;
    }
    const named = name === undefined ? {} : { name };
    if (typeof current !== 'object' || current === null) {
      const text = JSON.stringify(current) ?? 'null';
      lines.push({ ...shared, ...named, text, kind: kinds[typeof current] ?? 'null' });
      continue;
    }
    const members = membersOf(current, depth + 1, path);
    const [opening, closing] = Array.isArray(current) ? ['[', ']'] : ['{', '}'];
    if (members.length === 0) {
      lines.push({ ...shared, ...named, text: opening + closing, kind: 'null' });
      continue;
    }
    awaited.push({ ...shared, start: lines.length });
    for (const member of members.toReversed()) awaited.push(member);
    lines.push({ ...shared, ...named, text: opening, kind: 'open', size: members.length });
  }
  return lines;
}

function membersOf(value: object, depth: number, path: string): Awaited[] {
  if (Array.isArray(value)) {
    return value.map((member: unknown, index) => ({
      value: member,
      depth,
      path: `${path}[${index}]`,
      hasComma: index < value.length - 1,
    }));
  }
  const members = Object.entries(value);
  return members.map(([name, member], index) => ({
    value: member,
    depth,
    path: memberPath(path, name),
    hasComma: index < members.length - 1,
    name,
  }));
}

/** The JSON that the lines show. */
export function textOfLines(lines: readonly JsonLine[]): string {
  return lines
    .map(({ depth, name, text, kind, hasComma }) => {
      const label = name === undefined ? '' : `${JSON.stringify(name)}: `;
      return `${'  '.repeat(depth)}${label}${text}${hasComma && kind !== 'open' ? ',' : ''}`;
    })
    .join('\n');
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
