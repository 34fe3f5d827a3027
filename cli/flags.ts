/** Reading flags and arguments as commander hands them over. */
import { Option } from 'commander';
import { usageError } from './errors.ts';
import { splitList } from './input/text.ts';
import { both } from './language.ts';

/** Flags of commands that take several items (cli.md 1.4), as commander hands them over. */
export interface ItemWishes {
  /** How many are done at once. */
  concurrency?: string;
  /** Begins no more of them when one has failed. */
  failFast?: boolean;
}

/** The text of a flag; undefined when it was not given. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A variadic argument as a list. */
export function wordsOf(value: string | string[] | undefined): string[] {
  if (value === undefined || value === '') return [];
  return Array.isArray(value) ? value : [value];
}

/** `--concurrency` as a number of things at once: 4, at most 32. Throws exit 3. */
export function concurrencyOf(flags: { readonly concurrency?: unknown }): number {
  const wish = Number(flags.concurrency ?? 4);
  if (Number.isSafeInteger(wish) && wish > 0) return Math.min(32, wish);
  throw usageError(both('--concurrency takes a whole number above 0', '--concurrency 须为大于 0 的整数'), {
    field: '--concurrency',
  });
}

/** Collects a flag that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** What was given for a list: once, with commas between, or several times. */
export function givenFor(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' ? [value] : [];
}

/** What reads the text that stands in a flag, in a file or on standard input. */
interface TextReader {
  value(given: string, field: string): Promise<string>;
}

/** The words of a list: comma lists, `@file` or `-`, one or several of them. None when the flag is absent. */
export async function listOf(context: TextReader, value: unknown, field: string): Promise<string[]> {
  const words: string[] = [];
  for (const given of givenFor(value)) words.push(...splitList(await context.value(given, field)));
  return words;
}

/** A whole number as people write it: `60`, `10k`, `2m`. Undefined for anything else. */
export function figureOf(text: string): number | undefined {
  const [, figure, unit = ''] = /^(\d+)([km]?)$/i.exec(text) ?? [];
  return figure === undefined ? undefined : Number(figure) * ({ k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1);
}

/** A limit as the daemon takes it: such a number, or 0 for `none`. Throws exit 3. */
export function limitFigure(text: string, field: string): number {
  const limit = text === 'none' ? 0 : figureOf(text);
  if (limit !== undefined) return limit;
  throw usageError(both(`${field} is a whole number or none`, `${field} 须为整数或 none`), { field });
}

/**
 * A flag that takes one of a few words: help lists them and shells complete them. The command says itself what is none,
 * or takes more than these.
 */
export function wordFlag(flags: string, text: string, words: readonly string[]): Option {
  const option = new Option(flags, text);
  option.argChoices = [...words];
  return option;
}

/** Refuses a word that is none of these, and says which there are; undefined is a flag that was not given. */
export function expectAmong(word: string | undefined, known: readonly string[], field: string): void {
  if (word === undefined || known.includes(word)) return;
  const list = known.join(', ');
  throw usageError(both(`no ${word}; there are ${list}`, `没有 ${word}；可用：${list}`), { field });
}

/** Refuses an edit whose flags name nothing to be changed. Throws exit 3. */
export function expectChange(changes: object): void {
  if (Object.keys(changes).length > 0) return;
  throw usageError(both('nothing to change', '没有需要修改的内容'), {
    hint: both('--help lists what can be changed', '--help 列出可修改的内容'),
  });
}
