/** What happens, told as it happens: rows of the usage log and changes of channels, to a bounded number of readers. */
import { TollgateError } from '../errors.ts';
import { isWithinFilter } from '../store/log-filter.ts';
import type { LogFilter, LogRecord, LogStore } from '../store/logs.ts';
import type { Actor } from './actor.ts';
import type { ChannelChange, ChannelWatch } from './channel-watch.ts';
import { EventQueue } from './event-queue.ts';
import type { LogFeed } from './log-feed.ts';
import { filterOf, type LogQuestion, ownFilter } from './logs.ts';

/** What a reader of log rows is told. */
export type LiveRowEvent =
  /** `position` names the row for a later `after`; it says nothing of the log to those who see own rows alone. */
  | { readonly kind: 'log'; readonly row: LogRecord; readonly position: string }
  /** From here on rows come as they are written. */
  | { readonly kind: 'ready' }
  /** That many rows were left out; undefined = nobody knows how many. */
  | { readonly kind: 'skipped'; readonly rows: number | undefined }
  /** The daemon ends the stream. */
  | { readonly kind: 'ended'; readonly code: 'shutting_down' };

export interface LiveChannelEvent {
  readonly kind: 'channel';
  readonly change: ChannelChange;
}

export type LiveEvent = LiveRowEvent | LiveChannelEvent;

export interface LiveEventsDeps {
  readonly feed: Pick<LogFeed, 'join'>;
  readonly logs: Pick<LogStore, 'list'>;
  readonly watch: Pick<ChannelWatch, 'begin' | 'look'>;
  /** Rows as their users may see them. */
  readonly asUser: (rows: readonly LogRecord[]) => LogRecord[];
  /** The position of a row as a text that only this user's streams can read. */
  readonly sealPosition: (userId: number, id: number) => string;
  /** Undefined for what is no such text. */
  readonly openPosition: (userId: number, text: string) => number | undefined;
  /** Streams of one user at once on this node. */
  readonly streamsPerUser: number;
}

export interface LiveQuestion extends LogQuestion {
  readonly only?: 'log' | 'channel' | undefined;
}

/** Streams of all users at once on this node. */
const streamsInAll = 500;
/** When to ask again where nobody knows when a reader will hang up. */
const comeBackSeconds = 5;
/** Events that wait for a slow reader. */
const waitingAtMost = 1000;
/** Rows that are made up for after a pause; whoever was away longer reads the list. */
const madeUpFor = 1000;
/** The store counts no further. */
const countedAtMost = 10_000;
const lookEveryMs = 1000;

interface Reader {
  readonly filter: LogFilter;
  readonly event: (row: LogRecord) => LiveRowEvent;
}

type RowStream = Pick<EventQueue<LiveRowEvent>, 'push' | 'end'>;

interface Wish<Event> {
  readonly rows: Reader | undefined;
  readonly afterId: number | undefined;
  /** Hands other events to the stream; returns the function that ends that. */
  readonly also?: (stream: EventQueue<LiveRowEvent | Event>) => () => void;
}

export class LiveEvents {
  readonly #deps: LiveEventsDeps;
  /** With the user of each. */
  readonly #streams = new Map<RowStream, number>();
  readonly #channelReaders = new Set<EventQueue<LiveEvent>>();
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(deps: LiveEventsDeps) {
    this.#deps = deps;
  }

  /**
   * Rows of everybody and changes of channels. `after` is the id of a row as text; anything else begins now. Throws
   * `event_streams_full`, `shutting_down`.
   */
  follow(actor: Actor, question: LiveQuestion, after: string | undefined): Promise<AsyncIterable<LiveEvent>> {
    const filter = { ...filterOf(question), afterId: undefined };
    const event = (row: LogRecord): LiveRowEvent => ({ kind: 'log', row, position: String(row.id) });
    return this.#open<LiveChannelEvent>(actor, {
      rows: question.only === 'channel' ? undefined : { filter, event },
      afterId: readId(after) ?? question.after_id,
      ...(question.only === 'log' ? {} : { also: (stream) => this.#joinChannels(stream) }),
    });
  }

  /** The caller's rows as users may see them; throws as `follow`. */
  followOwn(actor: Actor, question: LogQuestion, after: string | undefined): Promise<AsyncIterable<LiveRowEvent>> {
    const { userId } = actor;
    const event = (row: LogRecord): LiveRowEvent => {
      const [shown = row] = this.#deps.asUser([row]);
      return { kind: 'log', row: shown, position: this.#deps.sealPosition(userId, row.id) };
    };
    const afterId = after === undefined ? undefined : this.#deps.openPosition(userId, after);
    return this.#open<never>(actor, { rows: { filter: ownFilter(actor, question), event }, afterId });
  }

  /** Ends every stream and opens none from now on. */
  close(): void {
    this.#isOpen = false;
    for (const stream of this.#streams.keys()) stream.end({ kind: 'ended', code: 'shutting_down' });
  }

  async #open<Event>(actor: Actor, wish: Wish<Event>): Promise<EventQueue<LiveRowEvent | Event>> {
    if (!this.#isOpen) throw new TollgateError('shutting_down');
    const own = [...this.#streams.values()].filter((userId) => userId === actor.userId).length;
    if (own >= this.#deps.streamsPerUser || this.#streams.size >= streamsInAll) {
      throw new TollgateError('event_streams_full', {}, { retryAfterSeconds: comeBackSeconds });
    }
    const endings: (() => void)[] = [];
    const stream = new EventQueue<LiveRowEvent | Event>({
      limit: waitingAtMost,
      skipped: (rows) => ({ kind: 'skipped', rows }),
      onEnd: () => {
        for (const end of endings.splice(0)) end();
      },
    });
    // Counted from here on, so that calls of the same moment do not pass the limit together.
    this.#streams.set(stream, actor.userId);
    endings.push(() => this.#streams.delete(stream));
    try {
      const first = wish.rows ? await this.#joinRows(stream, wish.rows, { afterId: wish.afterId, endings }) : [];
      // A stream that was ended meanwhile has nobody left to take it apart.
      if (!this.#isOpen) throw new TollgateError('shutting_down');
      if (wish.also) endings.push(wish.also(stream));
      stream.begin([...first, { kind: 'ready' }]);
      return stream;
    } catch (error) {
      stream.end();
      for (const end of endings) end();
      throw error;
    }
  }

  /** Hands new rows to the stream from now on; returns what was missed since the row that the reader has seen last. */
  async #joinRows(
    stream: RowStream,
    { filter, event }: Reader,
    { afterId, endings }: { afterId: number | undefined; endings: (() => void)[] },
  ): Promise<LiveRowEvent[]> {
    const { position, leave } = await this.#deps.feed.join((rows) => {
      for (const row of rows) if (isWithinFilter(row, filter)) stream.push(event(row));
    });
    endings.push(leave);
    if (afterId === undefined || afterId >= position) return [];
    const { items, total } = await this.#deps.logs.list({ ...filter, afterId }, { offset: 0, limit: madeUpFor });
    // Later ones come by themselves.
    const missed = items.filter(({ id }) => id <= position).sort((left, right) => left.id - right.id);
    const rows = total < countedAtMost ? total - items.length : undefined;
    return [...(rows === 0 ? [] : [{ kind: 'skipped', rows } as const]), ...missed.map(event)];
  }

  #joinChannels(stream: EventQueue<LiveEvent>): () => void {
    if (this.#channelReaders.size === 0) {
      this.#deps.watch.begin();
      this.#timer = setInterval(() => this.#tellChanges(), lookEveryMs);
      this.#timer.unref();
    }
    this.#channelReaders.add(stream);
    return () => {
      this.#channelReaders.delete(stream);
      if (this.#channelReaders.size === 0) clearInterval(this.#timer);
    };
  }

  #tellChanges(): void {
    const changes = this.#deps.watch.look();
    for (const stream of this.#channelReaders) {
      for (const change of changes) stream.push({ kind: 'channel', change });
    }
  }
}

function readId(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
