/** Where in a JSON text something is: its first mistake, or the value at a path. */

interface TextPosition {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

/** Where reading the text as JSON fails; undefined for JSON. */
export function jsonMistake(text: string): TextPosition | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const offset = scan(text, new Map());
    // What this reader takes and the browser does not is far too deep: the end is as good as any place.
    return positionAt(text, offset ?? text.length);
  }
}

/** Where the value at a path begins, or the nearest one around it. */
export function jsonPosition(text: string, path: readonly PropertyKey[]): TextPosition {
  const offsets = new Map<string, number>();
  scan(text, offsets);
  for (let length = path.length; length >= 0; length -= 1) {
    const offset = offsets.get(pathKey(path.slice(0, length)));
    if (offset !== undefined) return positionAt(text, offset);
  }
  return { line: 1, column: 1 };
}

const pathKey = (path: readonly PropertyKey[]): string => path.map((part) => String(part)).join('\0');

const space = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows no control character inside a string
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

class Mistake {
  readonly offset: number;
  constructor(offset: number) {
    this.offset = offset;
  }
}

/** Notes where each value begins; answers the offset of the first mistake. */
function scan(text: string, offsets: Map<string, number>): number | undefined {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const expect = (character: string) => {
    take(space);
    if (text[at] !== character) throw new Mistake(at);
    at += 1;
  };
  const isNext = (character: string): boolean => {
    take(space);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const member = (path: readonly PropertyKey[]) => {
    take(space);
    const start = at;
    const key = take(string);
    if (key === undefined) throw new Mistake(start);
    expect(':');
    value([...path, String(JSON.parse(key))]);
  };
  const value = (path: readonly PropertyKey[]): void => {
    take(space);
    offsets.set(pathKey(path), at);
    if (isNext('{')) {
      if (isNext('}')) return;
      do member(path);
      while (isNext(','));
      expect('}');
      return;
    }
    if (isNext('[')) {
      if (isNext(']')) return;
      let index = 0;
      do value([...path, index++]);
      while (isNext(','));
      expect(']');
      return;
    }
    if (take(string) === undefined && take(scalar) === undefined) throw new Mistake(at);
  };
  try {
    value([]);
    take(space);
    return at < text.length ? at : undefined;
  } catch (error) {
    return error instanceof Mistake ? error.offset : text.length;
  }
}
