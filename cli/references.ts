/** Finding the thing an argument names (cli.md 1.3): an id, an exact name, or `name:123` for a name made of digits. */
import type { CommandContext } from './context.ts';
import { CliError, usageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { wordsOf } from './flags.ts';
import { type Bilingual, both } from './language.ts';

export interface Lookup<T> {
  /** Word of the resource in both languages, and in the plural where languages differ. */
  word: Bilingual;
  /** Code of the "not found" failure, e.g. `channel_not_found`. */
  notFound: string;
  byId(id: number): Promise<T>;
  /** Everything whose name or other text contains the words. */
  search(text: string): Promise<T[]>;
  nameOf(row: T): string;
  idOf(row: T): number;
}

/** The one row that is meant. Throws exit 6 for none and exit 3, with the candidates, for several. */
export async function resolve<T>(reference: string, lookup: Lookup<T>): Promise<T> {
  if (/^[1-9]\d{0,15}$/.test(reference)) return lookup.byId(Number(reference));
  const name = reference.startsWith('name:') ? reference.slice('name:'.length) : reference;
  if (name.trim() === '')
    throw usageError(both(`the name of a ${lookup.word.en} is empty`, `${lookup.word.zh}名称为空`));
  const found = (await lookup.search(name)).filter((row) => lookup.nameOf(row) === name);
  const [first, ...others] = found;
  if (first === undefined) throw notNamed(name, lookup);
  if (others.length > 0) {
    const candidates = found.map((row) => `${lookup.idOf(row)}`).join(', ');
    throw usageError(both(`${name} names several: ${candidates}`, `${name} 对应多个：${candidates}`), {
      hint: both('use the id', '请使用编号'),
    });
  }
  return first;
}

/** Exit 6: nothing has the name. */
export function notNamed(name: string, { word, notFound }: Pick<Lookup<unknown>, 'word' | 'notFound'>): CliError {
  const text = both(`there is no ${word.en} named ${name}`, `没有名为 ${name} 的${word.zh}`);
  return new CliError(notFound, exitCodes.notFound, text);
}

/** The things that a variadic argument names; `-` stands for ids or NDJSON with `id`, one a line on standard input. */
export async function referencesOf(context: CommandContext, value: string | string[] | undefined): Promise<string[]> {
  const words = wordsOf(value);
  if (!words.includes('-')) return words;
  const lines = (await context.value('-', '-')).split(/\r?\n/).map((line) => line.trim());
  const piped = lines.filter((line) => line !== '').map(referenceOn);
  return words.flatMap((word) => (word === '-' ? piped : [word]));
}

function referenceOn(line: string): string {
  // A list as `-o json` prints it, on one line or over several.
  if (line.startsWith('[')) {
    const hint = both('pipe what -q or -o ndjson prints', '请使用 -q 或 -o ndjson 的输出');
    throw usageError(
      both('standard input is a JSON list, not one item a line', '标准输入是 JSON 列表，而不是每行一项'),
      {
        field: '-',
        hint,
      },
    );
  }
  if (!line.startsWith('{')) return line;
  const id = idOf(line);
  if (id !== undefined) return id;
  throw usageError(both(`no id in ${line.slice(0, 80)}`, `该行没有 id：${line.slice(0, 80)}`), { field: '-' });
}

function idOf(line: string): string | undefined {
  try {
    const row: unknown = JSON.parse(line);
    if (typeof row !== 'object' || row === null || !('id' in row)) return undefined;
    return typeof row.id === 'number' || (typeof row.id === 'string' && row.id !== '') ? String(row.id) : undefined;
  } catch {
    return undefined;
  }
}
