/** The console's catalogues, and which of their keys its sources name. */
import { readdirSync } from 'node:fs';
import type { ConsoleSource } from './console-sources.ts';

/** Texts by key, of one namespace in one language. */
export type Catalogue = ReadonlyMap<string, string>;

/** A key that a source asks for, or a pattern of keys where a part is only known at run time. */
export interface AskedKey {
  readonly path: string;
  readonly line: number;
  /** As written, `…` for the parts that are computed. */
  readonly written: string;
  /** Where it may stand; empty where the source does not tell. */
  readonly namespaces: readonly string[];
  readonly pattern: RegExp;
}

const folder = new URL('../../console/i18n/catalogues/', import.meta.url);
const plural = /_(?:zero|one|two|few|many|other)$/;

/** All catalogues of a language, by namespace. */
export async function cataloguesOf(language: 'zh' | 'en'): Promise<Map<string, Catalogue>> {
  const found = new Map<string, Catalogue>();
  for (const name of readdirSync(new URL(`${language}/`, folder))) {
    const { texts }: { texts: object } = await import(
      `../../console/i18n/catalogues/${language}/${name.replace('.ts', '')}.ts`
    );
    found.set(name.replace(/\.ts$/, ''), new Map(flat(texts)));
  }
  return found;
}

function flat(texts: object, before = ''): [string, string][] {
  return Object.entries(texts).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null ? flat(value, `${before}${name}.`) : [[before + name, String(value)]],
  );
}

/** The key that a source names: without the ending for one of its numbers. */
export function nameOf(key: string): string {
  return key.replace(plural, '');
}

/** Names between braces. */
export function parametersOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)[^}]*\}/g)].map(([, name]) => name ?? ''))].sort();
}

/** First namespaces of `useTranslation`, by the name that the function of texts has here. */
function translators(code: string): Map<string, string[]> {
  const found = new Map<string, string[]>([['i18next.t', ['frame']]]);
  const use = /\{([^{}]*)\}\s*=\s*useTranslation\(\s*(?:\[?\s*'([^']+)')?/g;
  for (const [, members = '', namespace = 'frame'] of code.matchAll(use)) {
    const local = /\bt\b(?:\s*:\s*(\w+))?/.exec(members);
    if (!local) continue;
    const name = local[1] ?? 't';
    found.set(name, [...(found.get(name) ?? []), namespace]);
  }
  return found;
}

/** Every key that is handed to a function of texts, or to `i18nKey`. */
export function askedKeys({ path, code }: ConsoleSource): AskedKey[] {
  const known = translators(code);
  const names = [...new Set(['t', ...known.keys()])].map((name) => name.replace('.', '\\.')).join('|');
  const asked: AskedKey[] = [];
  const all = [...known].filter(([name]) => name !== 'i18next.t').flatMap(([, namespaces]) => namespaces);
  for (const match of code.matchAll(new RegExp(`(?<![\\w.])(${names})\\(`, 'g'))) {
    const argument = firstArgument(code, match.index + match[0].length);
    const namespaces = known.get(match[1] ?? '') ?? [];
    asked.push(
      ...literalsOf(argument)
        .map((written) => ({ written, namespaces, at: match.index }))
        .map(toAsked),
    );
  }
  for (const match of code.matchAll(/\bi18nKey=(?:"([^"]+)"|\{([^}]+)\})/g)) {
    const literals = match[1] === undefined ? literalsOf(match[2] ?? '') : [match[1]];
    asked.push(...literals.map((written) => ({ written, namespaces: all, at: match.index })).map(toAsked));
  }
  return asked;

  function toAsked({ written, namespaces, at }: { written: string; namespaces: readonly string[]; at: number }) {
    const [namespace, key] = /^([\w-]+):(.*)$/s.exec(written)?.slice(1) ?? [undefined, written];
    return {
      path,
      line: code.slice(0, at).split('\n').length,
      written,
      namespaces: namespace === undefined ? namespaces : [namespace],
      pattern: patternOf(key ?? written),
    };
  }
}

/** A text of the sources that may be a key: in a table, or put together elsewhere. */
export function namedTexts({ code }: ConsoleSource): RegExp[] {
  const plain = [...code.matchAll(/'([\w:.-]+)'|"([\w:.-]+)"/g)].map(([, single, double]) => single ?? double ?? '');
  const computed = [...code.matchAll(/`([\w:.-]*\.\$\{[^`]*)`/g)].map(([, text]) => text ?? '');
  return [...new Set([...plain, ...computed.map(withGaps)])].map((text) => patternOf(text.replace(/^[\w-]+:/, '')));
}

function patternOf(written: string): RegExp {
  const escaped = written.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.+')}$`);
}

function withGaps(template: string): string {
  return template.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…');
}

function firstArgument(code: string, from: number): string {
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    const sign = code[at] ?? '';
    if ('([{'.includes(sign)) depth += 1;
    if (depth === 0 && ',)'.includes(sign)) return code.slice(from, at);
    if (')]}'.includes(sign)) depth -= 1;
  }
  return code.slice(from);
}

/** Texts that the argument may come out as; what is only compared is none. */
function literalsOf(argument: string): string[] {
  const found = argument.matchAll(/(?:^|[?:([,|])\s*(?:'([^']+)'|"([^"]+)"|`([^`]+)`)/g);
  return [...found].map(([, single, double, template]) => single ?? double ?? withGaps(template ?? ''));
}
