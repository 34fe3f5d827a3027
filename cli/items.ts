/** Doing the same to several things (cli.md 1.4, 1.6): some at once, each on its own, and told one by one where any failed. */
import { pMapIterable, pMapSkip } from 'p-map';
import type { CommandContext } from './context.ts';
import { startCount } from './counted.ts';
import { NotSent, skipUnsent } from './dry-run.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { concurrencyOf } from './flags.ts';
import { namedBy } from './hint-words.ts';
import { both } from './language.ts';
import type { View } from './output/columns.ts';
import { describeFailure, failureMembers, type Report } from './report.ts';
import { againAfter, leftOpen } from './unfinished.ts';

/** What became of one. */
type Item<T> = { readonly reference: string } & (
  | { readonly state: 'done'; readonly row: T }
  | { readonly state: 'failed'; readonly error: unknown; readonly failure: Report }
  | { readonly state: 'held back' | 'not begun' }
);

/** What JSON tells of one, where any failed. */
interface ItemReport {
  /** A number where an id was named, else the word that named it. */
  id: number | string;
  ok: boolean;
  error?: Record<string, unknown>;
  /** What the command prints of one that is done. */
  result?: unknown;
}

const reportView: View<ItemReport> = { columns: [], id: ({ id }) => id, verbatim: true };

/**
 * Does the same to several items, each on its own; throws exit 11 after all when some failed, with a report in JSON.
 * A single item fails with its own error, and so do all that fail for what is wrong with none of them.
 */
export async function forEachItem(
  context: CommandContext,
  references: readonly string[],
  work: (reference: string) => Promise<void>,
): Promise<void> {
  const items = await workThrough(context, references, work);
  if (isReported(context, items)) await printReport(context, items, () => undefined);
  refuseFailures(items);
}

/**
 * The same, and prints what became of the items that did not fail: one object, or a list where several were named.
 * @param atOnce how many, for a command whose `--concurrency` says something else
 */
export async function printEachItem<T>(
  context: CommandContext,
  { references, view, atOnce }: { readonly references: readonly string[]; readonly view: View<T>; atOnce?: number },
  work: (reference: string) => Promise<T>,
): Promise<void> {
  const items = await workThrough(context, references, work, atOnce);
  const rows = items.flatMap((item) => (item.state === 'done' ? [item.row] : []));
  const [row] = rows;
  if (isReported(context, items)) await printReport(context, items, await context.printer.jsonOf(view));
  else if (references.length > 1) await context.printer.list(rows, view);
  else if (row !== undefined) await context.printer.one(row, view);
  refuseFailures(items);
}

/**
 * Does work that ends with a result even where it fails, some at once and counted: results come in order. What a dry run
 * held back, what `--fail-fast` left out and what was cut off, has none.
 */
export function sideBySide<T, R>(
  context: CommandContext,
  things: readonly T[],
  { work, hasFailed }: { work(thing: T): Promise<R>; hasFailed(result: R): boolean },
): AsyncIterable<R> {
  let isOver = false;
  const attempt = async (thing: T): Promise<R | typeof pMapSkip> => {
    if (isOver || context.signal.aborted) return pMapSkip;
    const result = await work(thing).catch(skipUnsent);
    // Told as failed, what was cut off would be disabled by whoever disables what failed.
    if (context.signal.aborted) return pMapSkip;
    isOver ||= result !== pMapSkip && context.flags.failFast === true && hasFailed(result);
    return result;
  };
  return attempted(context, things, attempt);
}

/** Results in order; one that is long in coming keeps neither those behind it from being worked at nor the count. */
async function* attempted<T, R>(
  context: CommandContext,
  things: readonly T[],
  attempt: (thing: T) => Promise<R>,
  concurrency = concurrencyOf(context.flags),
) {
  const progress = await startCount(context, things.length);
  const counted = async (thing: T): Promise<R> => {
    const result = await attempt(thing);
    progress.more();
    return result;
  };
  try {
    yield* pMapIterable(things, counted, { concurrency, backpressure: Number.POSITIVE_INFINITY });
  } finally {
    progress.end();
  }
}

/** Throws what a single item throws. */
async function workThrough<T>(
  context: CommandContext,
  references: readonly string[],
  work: (reference: string) => Promise<T>,
  atOnce?: number,
): Promise<Item<T>[]> {
  let isOver = false;
  const attempt = async (reference: string): Promise<Item<T>> => {
    if (isOver) return { reference, state: 'not begun' };
    return context.unanswered.watch(async (left) => {
      try {
        return { reference, state: 'done', row: await work(reference) };
      } catch (failed) {
        if (references.length === 1) throw failed;
        if (failed instanceof NotSent) return { reference, state: 'held back' };
        isOver ||= context.flags.failFast === true || context.signal.aborted;
        const error = leftOpen(context, failed, left);
        return { reference, state: 'failed', error, failure: await describeItem(context, error, reference) };
      }
    });
  };
  const items: Item<T>[] = [];
  for await (const item of attempted(context, references, attempt, atOnce)) items.push(item);
  return items;
}

function isReported<T>({ printer, flags }: CommandContext, items: readonly Item<T>[]): boolean {
  return printer.machine && flags.quiet !== true && items.some(({ state }) => state === 'failed');
}

async function printReport<T>(
  context: CommandContext,
  items: readonly Item<T>[],
  resultOf: (row: T) => unknown,
): Promise<void> {
  const reports = items.flatMap((item): ItemReport[] => {
    const { reference, state } = item;
    const id =
      /^[1-9]\d{0,15}$/.test(reference) && Number.isSafeInteger(Number(reference)) ? Number(reference) : reference;
    if (state === 'held back') return [];
    if (state === 'done') {
      const result = resultOf(item.row);
      return [{ id, ok: true, ...(result === undefined ? {} : { result }) }];
    }
    if (state === 'failed') return [{ id, ok: false, error: failureMembers(item.failure) }];
    const message = context.say(both('not begun, since another one failed', '因其他项失败而未处理'));
    return [{ id, ok: false, error: { code: 'not_begun', message } }];
  });
  // Fields are wished of the result.
  await context.printerOf({ ...context.flags, json: '' }).list(reports, reportView);
}

async function describeItem(context: CommandContext, error: unknown, reference?: string): Promise<Report> {
  const { language, subjects } = context;
  const url = await context.target().then((target) => target.url);
  const named = reference === undefined ? subjects.named : namedBy(subjects, reference);
  return describeFailure(error, { language, url, named });
}

/** Ends of what is wrong with whoever asks, or with the way to the server, whatever is asked for. */
const generalEnds: ReadonlySet<number> = new Set([
  exitCodes.notSignedIn,
  exitCodes.forbidden,
  exitCodes.rateLimited,
  exitCodes.unavailable,
]);

/** The failure to end with where nothing succeeded and all of it ends alike, for what is wrong with no item. */
function generalFailure(
  failed: readonly { readonly error: unknown; readonly failure: Report }[],
): { readonly error: unknown } | undefined {
  const [first] = failed;
  if (first === undefined || !generalEnds.has(first.failure.exitCode)) return undefined;
  return failed.every(({ failure }) => failure.exitCode === first.failure.exitCode) ? first : undefined;
}

/** Throws what stands for failures of all that was tried, where it has nothing to do with what was asked for. */
export async function refuseGeneralFailure(context: CommandContext, errors: readonly unknown[]): Promise<void> {
  const failed = await Promise.all(
    errors.map(async (error) => ({ error, failure: await describeItem(context, error) })),
  );
  const general = generalFailure(failed);
  if (general !== undefined) throw general.error;
}

/** Throws exit 11 where any failed, and what single items end with where it is nothing about them. */
function refuseFailures<T>(items: readonly Item<T>[]): void {
  const failed = items.filter((item) => item.state === 'failed');
  if (failed.length === 0) return;
  const general = items.some(({ state }) => state === 'done') ? undefined : generalFailure(failed);
  if (general !== undefined) throw general.error;
  const list = failed.map(({ reference, failure }) => `${reference}: ${failure.message}`).join('; ');
  const left = items.filter(({ state }) => state === 'not begun').length;
  throw new CliError(
    'partial',
    exitCodes.partial,
    both(
      `{failed} of {all} failed${left === 0 ? '' : ', {left} {left:was|were} not begun'}: {list}`,
      `{all} 项中有 {failed} 项失败${left === 0 ? '' : '，{left} 项未处理'}：{list}`,
      { failed: failed.length, all: items.length, left, list },
    ),
    againAfter(failed.map(({ error }) => error)),
  );
}
