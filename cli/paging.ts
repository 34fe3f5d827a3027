/** Walking lists page by page: each page is given out as it comes, rows seen twice because the list moved are dropped. */
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { usageError } from './errors.ts';
import { both, type Say } from './language.ts';
import type { Progress } from './progress.ts';

const pageSize = 100;
/** What so many calls leave behind is some 10 MB. */
const pagesBetweenCollections = 200;
/** Longer walks are pointed to an export. */
const manyRows = 20_000;
const defaultLimit = 30;

export interface PageOf<T> {
  items: T[];
  total: number;
}

export interface Walk<T> {
  /** Pages count from 1. */
  page(number: number, size: number): Promise<PageOf<T>>;
  keyOf(row: T): string | number;
  /** Rows wanted; undefined for all. */
  limit: number | undefined;
  /** Told how many of how many were shown when the limit cut the list. */
  onCut?(shown: number, total: number): void;
  /** Told once how many rows there are to walk when a file would be the better way to them. */
  onMany?: ((rows: number) => void) | undefined;
  /** Asked for when a walk of several pages begins. */
  progress?(): Promise<Pick<Progress, 'at' | 'end'>>;
}

/**
 * Keys of the rows given out last: a list that moves brings back what came just before, and a walk of millions must not
 * remember them all.
 */
class RecentKeys {
  #keys = new Set<string | number>();
  #before = new Set<string | number>();

  /** False for a key that is there already. */
  add(key: string | number): boolean {
    if (this.#keys.has(key) || this.#before.has(key)) return false;
    if (this.#keys.size >= 10_000) {
      this.#before = this.#keys;
      this.#keys = new Set();
    }
    this.#keys.add(key);
    return true;
  }
}

/** Rows up to the limit. */
export async function* walk<T>(options: Walk<T>): AsyncGenerator<T> {
  const seen = new RecentKeys();
  let count = 0;
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  const size = Math.min(pageSize, limit);
  let collect: (() => void) | undefined;
  const progress = limit > pageSize ? await options.progress?.() : undefined;
  try {
    for (let number = 1; count < limit; number += 1) {
      const { items, total } = await options.page(number, size);
      if (number === 1 && Math.min(limit, total) > manyRows) options.onMany?.(Math.min(limit, total));
      for (const row of items) {
        if (count >= limit) break;
        if (!seen.add(options.keyOf(row))) continue;
        count += 1;
        yield row;
      }
      progress?.at(count, Math.min(limit, total));
      if (number % pagesBetweenCollections === 0) {
        collect ??= (await import('./garbage.ts')).garbageCollector();
        collect();
      }
      if (items.length < size || count >= total) return;
      if (count >= limit) options.onCut?.(count, total);
    }
  } finally {
    progress?.end();
  }
}

/** Adds the flags that say how much of a list is shown. */
export function withLimit(command: Command, say: Say): Command {
  return command
    .option('--limit <n>', say(both('rows at most (30)', '最多行数（30）')))
    .option('--all', say(both('every row', '全部')));
}

/** `--limit N`, or another flag of that meaning, or `--all` as a number of rows. Throws exit 3. */
export function limitOf(flags: Readonly<Record<string, unknown>>, flag: 'limit' | 'top' = 'limit'): number | undefined {
  const field = `--${flag}`;
  const wish = flags[flag];
  if (flags.all === true && wish !== undefined) {
    const text = both(`--all gives every row: leave ${field} out, or --all`, `--all 输出全部，不能与 ${field} 同用`);
    throw usageError(text, { field });
  }
  if (flags.all === true) return undefined;
  if (wish === undefined) return defaultLimit;
  const limit = Number(wish);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw usageError(both(`${field} takes a whole number above 0`, `${field} 须为大于 0 的整数`), { field });
}

/**
 * What a walk tells: how far it is, and how much of the list was left out.
 * @param exportCommand the command that has a long list in one file
 */
export function told(
  context: CommandContext,
  exportCommand?: string,
): Pick<Walk<unknown>, 'onCut' | 'onMany' | 'progress'> {
  const onMany =
    exportCommand === undefined
      ? undefined
      : (rows: number) =>
          context.note(
            context.say(
              both(
                '{rows} {rows:row comes|rows come} page by page; tollgate {command} has them in one go',
                '共 {rows} 行，将逐页获取；tollgate {command} 可一次导出',
                { rows, command: exportCommand },
              ),
            ),
          );
  return { onCut: cutNote(context), onMany, progress: () => context.startProgress('items') };
}

/** Tells how much of a list was left out. */
export function cutNote(context: CommandContext): (shown: number, total: number) => void {
  return (shown, total) =>
    context.note(
      context.say(both(`Showing ${shown} of ${total}; --all for the rest`, `显示 ${shown}/${total}；--all 显示全部`)),
    );
}

/** The first rows of a list that came whole. */
export function cut<T>(rows: readonly T[], limit: number | undefined, onCut: (shown: number, total: number) => void) {
  if (limit === undefined || rows.length <= limit) return rows;
  onCut(limit, rows.length);
  return rows.slice(0, limit);
}
