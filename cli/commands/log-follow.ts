/**
 * `log list --follow`: rows as they are written. They come from the daemon's stream of events; where there is none, or no
 * room for one more, the newest rows are asked for every two seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnEventView } from '../../daemon/contract/events.ts';
import type { Flags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { parseDuration, timerMs } from '../input/time.ts';
import { type Bilingual, both } from '../language.ts';
import { limitOf, type PageOf, walk } from '../paging.ts';
import { type LogRow, logView } from '../views.ts';
import { filters, rowKey, seesAll } from './log-filters.ts';

const pollMs = 2000;
const longestPauseMs = 30_000;
/** A row may become visible a little later than younger ones. */
const overlapSeconds = 10;
/** Rows that are made up for at once. */
const madeUpFor = 10_000;
/** Rows by which doubles are recognised. */
const remembered = 20_000;

/** Prints the newest rows of the filter, then every new one until Ctrl-C or `--timeout`. */
export async function followLog(context: CommandContext, flags: Flags): Promise<void> {
  for (const name of ['sort', 'until', 'content', 'all']) {
    if (flags[name] === undefined) continue;
    const text = both(`--follow does not go with --${name}`, `--follow 不能与 --${name} 同用`);
    throw usageError(text, { field: `--${name}` });
  }
  const ends = new AbortController();
  const end = () => ends.abort();
  context.signal.addEventListener('abort', end, { once: true });
  const seconds = typeof flags.timeout === 'string' ? parseDuration(flags.timeout, '--timeout') : undefined;
  const timer = seconds === undefined ? undefined : setTimeout(end, timerMs(seconds));
  try {
    const source = await sourceOf(context, flags);
    const note = (text: Bilingual) => context.note(context.say(text));
    const following = new Following(source, { signal: ends.signal, note });
    await context.printer.follow(following.portions(limitOf(flags) ?? madeUpFor), logView(context));
  } catch (error) {
    // The time is up, which is all that was asked for.
    if (!ends.signal.aborted || context.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', end);
  }
}

type Event = OwnEventView | { readonly event: 'channel' };
type Events = AsyncIterator<Event>;

/** Where rows come from: the whole log, or that of the caller. */
export interface Source {
  readonly keyOf: (row: LogRow) => string | number;
  page(window: { page: number; page_size: number; start_timestamp?: number }): Promise<PageOf<LogRow>>;
  /** What happens from now on. */
  events(signal: AbortSignal): Promise<AsyncIterable<Event>>;
}

/** Whose rows the filter of `flags` means, and where they come from. */
export async function sourceOf(context: CommandContext, flags: Flags): Promise<Source> {
  const client = await context.client();
  const filter = await filters(context, flags);
  const { username: _username, channel: _channel, ...own } = filter;
  if (await seesAll(context, flags)) {
    return {
      keyOf: rowKey('all rows'),
      page: (window) => client.logs.list({ ...filter, ...window }),
      events: (signal) => client.events.follow({ ...filter, only: 'log' }, { signal }),
    };
  }
  return {
    keyOf: rowKey('own rows'),
    page: (window) => client.logs.listOwn({ ...own, ...window }),
    events: (signal) => client.events.followOwn(own, { signal }),
  };
}

export interface FollowingDeps {
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** A line for people. */
  readonly note: (text: Bilingual) => void;
}

/** Rows of a source as they are written: by the stream of events, else by asking again and again. */
export class Following {
  readonly #source: Source;
  readonly #deps: FollowingDeps;
  readonly #seen = new Set<string | number>();
  /** Unix seconds of the newest row. */
  #newest: number | undefined;
  #hasStream = true;

  constructor(source: Source, deps: FollowingDeps) {
    this.#source = source;
    this.#deps = deps;
  }

  /** Rows, the oldest first, without an end. Rejects once the signal ends it, and when the first call is refused. */
  async *portions(past: number): AsyncGenerator<LogRow[]> {
    let isBegun = false;
    let failures = 0;
    for (;;) {
      let pauseMs = pollMs;
      let events: Events | undefined;
      try {
        events = await this.#open();
        yield this.#unseen(isBegun ? await this.#missed() : await this.#past(past));
        isBegun = true;
        failures = 0;
        if (events) yield* this.#rowsOf(events);
      } catch (error) {
        if (!isBegun || !mayPass(error)) throw error;
        this.#deps.note(both('the server cannot be reached; trying again', '无法连接服务器，正在重试'));
        pauseMs = Math.min(longestPauseMs, pollMs * 2 ** failures);
        failures += 1;
      } finally {
        await events?.return?.();
      }
      await sleep(pauseMs, undefined, { signal: this.#deps.signal });
    }
  }

  /** A stream that tells of every row from now on; undefined where rows must be asked for. */
  async #open(): Promise<Events | undefined> {
    if (!this.#hasStream) return undefined;
    try {
      const events = (await this.#source.events(this.#deps.signal))[Symbol.asyncIterator]();
      const { done, value } = await events.next();
      return done === true || value.event === 'ended' ? undefined : events;
    } catch (error) {
      if (!lacksStream(error)) throw error;
      this.#hasStream = false;
      return undefined;
    }
  }

  /** Rows of a stream until it ends. */
  async *#rowsOf(events: Events): AsyncGenerator<LogRow[]> {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true || value.event === 'ended') return;
      if (value.event === 'log') yield this.#unseen([value.data]);
      if (value.event === 'skipped') this.#noteGap(value.data.rows);
    }
  }

  /** The newest rows of the filter. */
  async #past(limit: number): Promise<LogRow[]> {
    const { keyOf, page } = this.#source;
    const walked = walk<LogRow>({ keyOf, limit, page: (number, page_size) => page({ page: number, page_size }) });
    return oldestFirst(walked);
  }

  /** Rows since the newest that was seen, and those of the seconds before it. */
  async #missed(): Promise<LogRow[]> {
    const { keyOf, page } = this.#source;
    const since = this.#newest === undefined ? {} : { start_timestamp: this.#newest - overlapSeconds };
    const walked = walk<LogRow>({
      keyOf,
      limit: madeUpFor,
      page: (number, page_size) => page({ ...since, page: number, page_size }),
      onCut: (shown, total) => this.#noteGap(total - shown),
    });
    return oldestFirst(walked);
  }

  #noteGap(rows: number | null): void {
    if (rows === null) this.#deps.note(both('rows were left out here', '此处有日志被略过'));
    else this.#deps.note(both('{rows} {rows:row was|rows were} left out here', '此处略过 {rows} 条日志', { rows }));
  }

  #unseen(rows: readonly LogRow[]): LogRow[] {
    return rows.filter((row) => {
      const key = this.#source.keyOf(row);
      this.#newest = Math.max(this.#newest ?? 0, row.created_at);
      if (this.#seen.has(key)) return false;
      this.#seen.add(key);
      const [oldest] = this.#seen;
      if (this.#seen.size > remembered && oldest !== undefined) this.#seen.delete(oldest);
      return true;
    });
  }
}

async function oldestFirst(rows: AsyncIterable<LogRow>): Promise<LogRow[]> {
  const held: LogRow[] = [];
  for await (const row of rows) held.push(row);
  return held.reverse();
}

function memberOf(error: unknown, name: 'code' | 'status'): unknown {
  return error instanceof Error ? Reflect.get(error, name) : undefined;
}

/** An older server, or one that has no place left. */
function lacksStream(error: unknown): boolean {
  const [code, status] = [memberOf(error, 'code'), memberOf(error, 'status')];
  return code === 'event_streams_full' || code === 'invalid_answer' || status === 404;
}

/** A server that is away or about to come back. */
function mayPass(error: unknown): boolean {
  const [code, status] = [memberOf(error, 'code'), memberOf(error, 'status')];
  const isAway = code === 'network_error' || code === 'timeout';
  return isAway || status === 429 || status === 502 || status === 503 || status === 504;
}
