/** What ARCHITECTURE.md section 13 forbids and can be seen in the tokens of one file. */
import type { SourceFile } from './source-files.ts';
import type { Token } from './source-tokens.ts';

interface Rule {
  readonly reason: string;
  /** Paths the rule leaves alone. */
  readonly except?: RegExp;
  /** True when the token at this place breaks the rule. */
  breaks(tokens: readonly Token[], at: number): boolean;
}

const typeMarks = new Set([':', '<', '|', '&', '=', '=>', '[', 'as', 'extends', 'keyof', 'readonly']);
const queryMethods = new Set(['raw', 'whereRaw', 'orderByRaw', 'groupByRaw', 'havingRaw', 'joinRaw', 'fromRaw']);

function text(tokens: readonly Token[], at: number): string {
  return tokens[at]?.text ?? '';
}

/** The token that closes the bracket opened here. */
function closing(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let here = at; here < tokens.length; here += 1) {
    const token = tokens[here];
    if (token?.kind !== 'mark') continue;
    if ('([{'.includes(token.text)) depth += 1;
    if (')]}'.includes(token.text)) depth -= 1;
    if (depth === 0) return here;
  }
  return tokens.length;
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text === word;
}

const rules: readonly Rule[] = [
  {
    reason: '`any` says nothing; unknown input is `unknown` until it was read',
    breaks: (tokens, at) => {
      if (!isWord(tokens[at], 'any')) return false;
      // The last of several type arguments; elsewhere a comma or a bracket stands before a variable of that name.
      if (text(tokens, at - 1) === ',') return text(tokens, at + 1) === '>';
      return typeMarks.has(text(tokens, at - 1)) && ![':', '(', '.'].includes(text(tokens, at + 1));
    },
  },
  {
    reason: '`!` silences the compiler; decide what happens when the value is missing',
    breaks: (tokens, at) => {
      const [before, token, after] = [tokens[at - 1], tokens[at], tokens[at + 1]];
      if (token?.kind !== 'mark' || token.text !== '!' || !token.joined || !before) return false;
      const ends =
        before.kind === 'mark' ? ')]'.includes(before.text) : before.kind === 'word' && !isKeyword(before.text);
      return ends && (!after || '.,;:)]}['.includes(after.text) || after.text === '?.');
    },
  },
  {
    reason: 'enums are not erasable; use a union of literals',
    breaks: (tokens, at) =>
      isWord(tokens[at], 'enum') && tokens[at + 1]?.kind === 'word' && text(tokens, at + 2) === '{',
  },
  {
    reason: 'default exports have no name; only migrations and configuration files have them',
    // A declaration file describes what somebody else wrote.
    except: /^migrations\/|\.d\.ts$/,
    breaks: (tokens, at) => isWord(tokens[at], 'export') && isWord(tokens[at + 1], 'default'),
  },
  {
    reason: '`process.env` is read in config/ and handed down',
    except: /^(?:daemon\/config|cli|bin|test)\//,
    breaks: (tokens, at) =>
      isWord(tokens[at], 'process') && text(tokens, at + 1) === '.' && isWord(tokens[at + 2], 'env'),
  },
  {
    reason: 'SQL is not built by joining texts; bind values, quote names with ??',
    // A private server of a test makes and drops databases, whose names cannot be bound.
    except: /^test\/support\/postgres-server\.ts$/,
    breaks: (tokens, at) => {
      const token = tokens[at];
      if (token?.kind !== 'word' || !queryMethods.has(token.text) || text(tokens, at - 1) !== '.') return false;
      if (text(tokens, at + 1) !== '(') return false;
      const end = closing(tokens, at + 1);
      return hasJoin(tokens, at + 2, end);
    },
  },
  {
    reason: 'the daemon calls out where the address guard decides, never by the `fetch` of Node (S6)',
    // The client of the contract, which pages and the command line use.
    except: /^(?!daemon\/)|^daemon\/contract\/client\.ts$/,
    breaks: (tokens, at) => {
      if (!isWord(tokens[at], 'fetch') || text(tokens, at + 1) !== '(') return false;
      if (text(tokens, at - 1) === '.') return isWord(tokens[at - 2], 'globalThis');
      // One that was handed in, or made of a guard.
      const isOwn = (token: Token, here: number) =>
        isWord(token, 'fetch') && [':', ',', '}', '='].includes(text(tokens, here + 1));
      return !isSignature(tokens, at) && !tokens.some(isOwn);
    },
  },
  {
    reason: 'the daemon calls out from `upstream/` and `integrations/` alone, where the address guard decides (S6)',
    except: /^(?!daemon\/)|^daemon\/(?:upstream|integrations)\//,
    breaks: (tokens, at) =>
      isWord(tokens[at], 'from') && /^node:(?:https|http2|tls|dns|dns\/promises|dgram)$/.test(text(tokens, at + 1)),
  },
  {
    reason: 'the daemon runs no code but that of its own files and packages (S22, S27)',
    // V8 hands out its collector in no other way.
    except: /^(?!daemon\/)|^daemon\/telemetry\/idle-memory\.ts$/,
    breaks: (tokens, at) => {
      if (isWord(tokens[at], 'from')) return text(tokens, at + 1) === 'node:vm';
      if (text(tokens, at + 1) !== '(' || text(tokens, at - 1) === '.') return false;
      if (isWord(tokens[at], 'eval') || isWord(tokens[at], 'Function')) return true;
      if (!isWord(tokens[at], 'import') || isSignature(tokens, at)) return false;
      return tokens[at + 2]?.kind !== 'string' || /^(?!node:)[a-z]+:/i.test(text(tokens, at + 2));
    },
  },
  {
    reason: 'a module keeps no state of its own that changes; put it into an object that is handed down',
    except: /^test\//,
    breaks: (tokens, at) => isWord(tokens[at], 'let') && tokens[at + 1]?.kind === 'word' && isTopLevel(tokens, at),
  },
];

/** True for `name(first: Type`, where a method is declared and not called. */
function isSignature(tokens: readonly Token[], at: number): boolean {
  return text(tokens, at + 1) === '(' && text(tokens, at + 3) === ':';
}

function isKeyword(word: string): boolean {
  return /^(?:return|typeof|case|in|of|void|delete|throw|new|await|yield|else|do|if|while|is|asserts)$/.test(word);
}

/**
 * True when the first argument joins in something other than texts of this file: a template may hold the names of
 * constants that are made of literals, such as what differs between the engines, and literals may be added up.
 */
function hasJoin(tokens: readonly Token[], start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const token = tokens[at];
    if (token?.kind === 'mark' && token.text === ',') return false;
    if (token?.kind === 'mark' && token.text === '+' && !isLiteralSum(tokens, at)) return true;
    if (token?.kind === 'template' && tokens[at + 1]?.kind === 'word') {
      const isName = tokens[at + 2]?.kind === 'template';
      if (!isName || !isLiteralConstant(tokens, text(tokens, at + 1))) return true;
    }
    if (token?.kind === 'mark' && '([{'.includes(token.text)) at = closing(tokens, at);
  }
  return false;
}

function isLiteralSum(tokens: readonly Token[], at: number): boolean {
  return [tokens[at - 1], tokens[at + 1]].every((side) => side?.kind === 'string' || side?.kind === 'template');
}

/** True for a constant by its spelling, and for `const name = …` whose value is put together from literals, directly or by a choice between them. */
function isLiteralConstant(tokens: readonly Token[], name: string): boolean {
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return true;
  const at = tokens.findIndex((token, here) => isWord(token, 'const') && text(tokens, here + 1) === name);
  if (at < 0 || text(tokens, at + 2) !== '=') return false;
  const end = tokens.findIndex((token, here) => here > at && token.text === ';' && token.kind === 'mark');
  const value = tokens.slice(at + 3, end);
  const isMadeOfValues = value.some((token, here) => token.kind === 'template' && value[here + 1]?.kind === 'word');
  return !isMadeOfValues && value.some(({ kind }) => ['string', 'template', 'number'].includes(kind));
}

function isTopLevel(tokens: readonly Token[], at: number): boolean {
  let depth = 0;
  for (let here = 0; here < at; here += 1) {
    const token = tokens[here];
    if (token?.kind !== 'mark') continue;
    if ('([{'.includes(token.text)) depth += 1;
    if (')]}'.includes(token.text)) depth -= 1;
  }
  return depth === 0;
}

/** Comments that switch a check off. Comments are no tokens, so they are looked for in the text. */
const silencers = /@ts-(?:ignore|nocheck|expect-error)|biome-ignore-all/;

/** Everything in a file that the house forbids, as `file:line: reason`. */
export function forbiddenIn(file: SourceFile): string[] {
  const findings: string[] = [];
  if (!/\.tsx?$/.test(file.path)) return findings;
  for (const rule of rules) {
    if (rule.except?.test(file.path)) continue;
    file.tokens.forEach((token, at) => {
      if (rule.breaks(file.tokens, at)) findings.push(`${file.path}:${token.line}: ${rule.reason}`);
    });
  }
  const isThisList = file.path === 'test/support/architecture-words.ts';
  file.text.split('\n').forEach((line, at) => {
    if (!isThisList && silencers.test(line)) findings.push(`${file.path}:${at + 1}: a check is switched off`);
  });
  return findings;
}

/** Suites that nobody runs: made with `suite(…)` without `.run()`, or taken from uvu as `test`, which the runner has not. */
export function looseSuites(file: SourceFile): string[] {
  const { tokens, path } = file;
  const isRun = (name: string) =>
    tokens.some((token, at) => token.text === name && text(tokens, at + 1) === '.' && text(tokens, at + 2) === 'run');
  const made = tokens.flatMap((token, at) => {
    const isMade = isWord(token, 'const') && text(tokens, at + 2) === '=' && isWord(tokens[at + 3], 'suite');
    return isMade ? [{ name: text(tokens, at + 1), line: token.line }] : [];
  });
  const isImported = file.imports.some(({ specifier }) => specifier === 'uvu') && importsTest(tokens);
  const loose = made
    .filter(({ name }) => !isRun(name))
    .map(({ name, line }) => `${path}:${line}: ${name}.run() is missing`);
  return isImported ? [...loose, `${path}: a suite of its own is missing, with a name: suite('…')`] : loose;
}

function importsTest(tokens: readonly Token[]): boolean {
  const uvu = tokens.findIndex((token, at) => token.text === 'uvu' && text(tokens, at - 1) === 'from');
  const opening = tokens.findLastIndex((token, at) => at < uvu && isWord(token, 'import'));
  return tokens.slice(opening, uvu).some((token) => isWord(token, 'test'));
}
