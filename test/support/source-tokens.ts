/**
 * Cuts TypeScript into words, marks and literals, without understanding it: enough to read imports and to find what the
 * house forbids, in milliseconds. JSX text may be cut oddly, but never beyond the end of its line.
 */

export type TokenKind = 'word' | 'mark' | 'string' | 'template' | 'regex' | 'number';

export interface Token {
  readonly kind: TokenKind;
  /** As written; for strings and templates what stands between the quotes. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** True when nothing, not even a space, stands between this token and the one before. */
  readonly joined: boolean;
}

const beforeRegex = new Set(
  'return typeof case in of void delete throw new await yield else do instanceof default extends'.split(' '),
);
const space = /\s+/y;
const lineComment = /\/\/[^\n]*/y;
const blockComment = /\/\*[\s\S]*?(?:\*\/|$)/y;
const word = /[\p{ID_Start}$_#@][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /(?:0[xob][\da-f_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:e[+-]?\d+)?)n?/iy;
const quoted = /'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\]?)+\/[a-z]*/y;
const templatePart = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const mark = /=>|[!=]==?|\?\?=?|\?\.|\.\.\.|&&=?|\|\|=?|\*\*|[\s\S]/y;

/** All tokens of a source, in order; comments and space are left out. */
export function tokensOf(source: string): Token[] {
  return new Scanner(source).all();
}

class Scanner {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  /** Depth of braces at which each open `${` of a template closes. */
  readonly #templates: number[] = [];
  #at = 0;
  #line = 1;
  #braces = 0;

  constructor(source: string) {
    this.#source = source;
  }

  all(): Token[] {
    while (this.#at < this.#source.length) this.#next();
    return this.#tokens;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source)?.[0];
  }

  #skip(text: string): void {
    this.#at += text.length;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line += 1;
  }

  #add(kind: TokenKind, raw: string, text: string): void {
    const joined = this.#at > 0 && !/\s/.test(this.#source[this.#at - 1] ?? ' ');
    this.#tokens.push({ kind, text, line: this.#line, joined });
    this.#skip(raw);
  }

  #next(): void {
    const first = this.#source[this.#at] ?? '';
    const blank = this.#take(space) ?? this.#take(lineComment) ?? this.#take(blockComment);
    if (blank) {
      this.#skip(blank);
      return;
    }
    if (first === '`') {
      this.#template();
      return;
    }
    const literal = this.#literal(first);
    if (literal) this.#add(literal.kind, literal.raw, literal.text);
    else this.#mark(this.#take(mark) ?? first);
  }

  #literal(first: string): { kind: TokenKind; raw: string; text: string } | undefined {
    if (first === "'" || first === '"') {
      const raw = this.#take(quoted) ?? first;
      return { kind: 'string', raw, text: raw.slice(1, -1) };
    }
    const name = this.#take(word);
    if (name) return { kind: 'word', raw: name, text: name };
    const digits = /[\d.]/.test(first) ? this.#take(number) : undefined;
    if (digits) return { kind: 'number', raw: digits, text: digits };
    const pattern = first === '/' && this.#regexMayStand() ? this.#take(regex) : undefined;
    return pattern ? { kind: 'regex', raw: pattern, text: pattern } : undefined;
  }

  #mark(text: string): void {
    if (text === '{') this.#braces += 1;
    if (text === '}') {
      if (this.#templates.at(-1) === this.#braces) {
        this.#templates.pop();
        this.#template();
        return;
      }
      this.#braces -= 1;
    }
    this.#add('mark', text, text);
  }

  /** Reads template text after its opening mark, up to the closing quote or the next `${`. */
  #template(): void {
    const line = this.#line;
    const joined = this.#at > 0 && !/\s/.test(this.#source[this.#at - 1] ?? ' ');
    this.#at += 1;
    const text = this.#take(templatePart) ?? '';
    this.#skip(text);
    this.#tokens.push({ kind: 'template', text, line, joined });
    if (this.#source.startsWith('${', this.#at)) {
      this.#at += 2;
      this.#templates.push(this.#braces);
    } else {
      this.#at += 1;
    }
  }

  #regexMayStand(): boolean {
    const before = this.#tokens.at(-1);
    if (!before) return true;
    if (before.kind === 'word') return beforeRegex.has(before.text);
    return before.kind === 'mark' && !')]}'.includes(before.text);
  }
}

export interface SourceImport {
  /** As written. */
  readonly specifier: string;
  readonly line: number;
  /** `type`: erased by the compiler; `dynamic`: by call; `static`: loaded with the file. */
  readonly how: 'static' | 'type' | 'dynamic';
}

/** Every import and re-export of a source. A dynamic import of something computed is left out. */
export function importsOf(tokens: readonly Token[]): SourceImport[] {
  const found: SourceImport[] = [];
  tokens.forEach((token, at) => {
    if (token.kind !== 'word' || (token.text !== 'import' && token.text !== 'export')) return;
    if (tokens[at - 1]?.text === '.') return;
    const next = tokens[at + 1];
    if (token.text === 'import' && next?.text === '(' && tokens[at + 2]?.kind === 'string') {
      // `typeof import('x')` is a type.
      const how = tokens[at - 1]?.text === 'typeof' ? 'type' : 'dynamic';
      found.push({ specifier: tokens[at + 2]?.text ?? '', line: token.line, how });
      return;
    }
    const source = next?.kind === 'string' && token.text === 'import' ? next : sourceAfter(tokens, at + 1);
    if (!source) return;
    const type = next?.text === 'type' && tokens[at + 2]?.text !== 'from';
    found.push({ specifier: source.text, line: token.line, how: type ? 'type' : 'static' });
  });
  return found;
}

/** The specifier behind `from` of the clause that begins here; undefined when this is no import or re-export. */
function sourceAfter(tokens: readonly Token[], start: number): Token | undefined {
  let at = start;
  if (tokens[at]?.text === 'type') at += 1;
  for (; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at] ?? { kind: 'mark', text: ';' };
    if (text === 'from' && tokens[at + 1]?.kind === 'string') return tokens[at + 1];
    if (text === '{') {
      while (at < tokens.length && tokens[at]?.text !== '}') at += 1;
    } else if (kind !== 'word' && text !== '*' && text !== ',') {
      return undefined;
    } else if (/^(?:const|function|class|interface|async|default|abstract|let|declare|enum)$/.test(text)) {
      return undefined;
    }
  }
  return undefined;
}
