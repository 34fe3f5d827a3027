/**
 * Asks upstreams what has become of the tasks that are not final yet (relay.md 8.8, 9). One round at a time; several
 * nodes may do the same round, since every change is conditional on the row.
 */
import type { FormatId } from '../../relay/format.ts';
import { parseJson } from '../../relay/formats/fields.ts';
import type { Json } from '../../relay/json.ts';
import { providerOf } from '../../relay/providers/index.ts';
import type { Snapshot } from '../../snapshots/snapshots.ts';
import { askUpstream, type TaskRequest, type TaskUpstreams, taskCall } from './task-request.ts';
import { type Heard, ofDeleted, type Told, taskWords } from './task-words.ts';

/** A task as the poll sees it. */
export interface FollowedTask {
  readonly channelId: number;
  readonly channelKeyHash: string;
}

/** One platform whose tasks are followed up. */
export interface FollowedPlatform<Row extends FollowedTask, News> {
  /** As its adapters speak it. */
  readonly format: FormatId;
  /** Tasks that one question may name. */
  readonly atOnce: number;
  /** What is not final, oldest first: the tasks of one round. */
  unfinished(): Promise<readonly Row[]>;
  /** The upstream's id; "" for a task that never got one. */
  idOf(row: Row): string;
  /** What to ask about these ids. */
  question(ids: readonly string[]): TaskRequest;
  /** News by id; undefined for an answer that cannot be read. */
  read(answer: Json): ReadonlyMap<string, News> | undefined;
  /** That it failed, without words of an upstream. */
  readonly failure: News;
  /** Writes what is new. */
  follow(row: Row, heard: Heard<News>): Promise<void>;
}

export interface TaskPollerDeps extends TaskUpstreams {
  readonly view: () => Snapshot;
  /** Told of channels that could not be asked, and of rows that could not be written. */
  readonly report: (failed: { readonly channelId: number; readonly error: unknown }) => void;
}

/** Every platform is asked in the same way; only it knows what its rows and news are. */
export class TaskPoller<Row extends FollowedTask, News> {
  readonly #deps: TaskPollerDeps;
  readonly #platform: FollowedPlatform<Row, News>;
  /** Where places that gave no answer are asked on: an index into their tasks. */
  readonly #resumeAt = new Map<string, number>();
  /** Channels that the last round looked for in vain. A new one may be unknown here for a moment, so once is not enough. */
  #missed: ReadonlySet<number> = new Set();

  constructor(deps: TaskPollerDeps, platform: FollowedPlatform<Row, News>) {
    this.#deps = deps;
    this.#platform = platform;
  }

  /** One round over all unfinished tasks; channels are asked side by side, so that a silent one delays no other. */
  async round(signal: AbortSignal): Promise<void> {
    const rows = await this.#platform.unfinished();
    const places = new Map<string, Row[]>();
    for (const row of rows) {
      const place = `${row.channelId} ${row.channelKeyHash}`;
      const known = places.get(place);
      if (known === undefined) places.set(place, [row]);
      else known.push(row);
    }
    const { channels } = this.#deps.view();
    const missing = new Set(rows.map(({ channelId }) => channelId).filter((id) => channels.get(id) === undefined));
    const gone = new Set([...missing].filter((id) => this.#missed.has(id)));
    this.#missed = missing;
    await Promise.all(
      [...places].map(([place, group]) =>
        gone.has(group[0]?.channelId ?? 0) ? this.#giveUp(group) : this.#followAll(place, group, signal),
      ),
    );
  }

  /** Tasks of a channel that was deleted: nobody can be asked what has become of them, so they end, and are paid back. */
  async #giveUp(rows: readonly Row[]): Promise<void> {
    for (const row of rows) await this.#follow(row, { news: this.#platform.failure, words: ofDeleted });
  }

  async #follow(row: Row, heard: Heard<News>): Promise<void> {
    try {
      await this.#platform.follow(row, heard);
    } catch (error) {
      this.#deps.report({ channelId: row.channelId, error });
    }
  }

  /**
   * Tasks of one channel and key. One that gives no answer is asked no more in this round, which others wait for the end
   * of, and in the next about those that it was not asked about.
   */
  async #followAll(place: string, rows: readonly Row[], signal: AbortSignal): Promise<void> {
    const { atOnce } = this.#platform;
    const from = this.#resumeAt.get(place) ?? 0;
    this.#resumeAt.delete(place);
    const turn = [...rows.slice(from), ...rows.slice(0, from)];
    for (let at = 0; at < turn.length && !signal.aborted; at += atOnce) {
      const some = turn.slice(at, at + atOnce);
      const news = await this.#ask(some);
      for (const row of some) {
        const heard = news === 'silent' ? undefined : news && (news.get(this.#platform.idOf(row)) ?? 'absent');
        await this.#follow(row, heard);
      }
      if (news !== 'silent') continue;
      this.#resumeAt.set(place, (from + at + some.length) % rows.length);
      return;
    }
  }

  /**
   * News by id, or that no answer came; undefined where nobody could be asked. Disabled channels can: what they began is
   * theirs to finish.
   */
  async #ask(rows: readonly Row[]): Promise<ReadonlyMap<string, Told<News>> | 'silent' | undefined> {
    const ids = [...new Set(rows.map((row) => this.#platform.idOf(row)))].filter((id) => id !== '');
    const [first] = rows;
    const view = this.#deps.view();
    const channel = first && view.channels.get(first.channelId);
    const key = channel?.keys.find(({ hash }) => hash === first?.channelKeyHash) ?? channel?.keys[0];
    const adapter = channel && providerOf(channel.record.type);
    // A channel may have been given another type since.
    const speaksIt = adapter?.speaks.tasks?.includes(this.#platform.format) === true;
    if (channel === undefined || key === undefined || !speaksIt || ids.length === 0) return undefined;
    try {
      const call = taskCall(adapter, channel, { format: this.#platform.format, model: '' });
      const asker = { view, client: {}, facts: { channel_id: channel.record.id } };
      const reply = await askUpstream(this.#deps, { adapter, channel, key, call, asker }, this.#platform.question(ids));
      if ('error' in reply) {
        this.#deps.report({ channelId: channel.record.id, error: reply.error });
        return 'silent';
      }
      if ('refusal' in reply) throw new Error(reply.refusal.message);
      const answer = reply.status === 200 ? parseJson(reply.body.toString('utf8')) : undefined;
      const news = answer === undefined ? undefined : this.#platform.read(answer);
      if (news === undefined) throw new Error(`status ${reply.status}: the answer cannot be read`);
      const words = taskWords(channel, key, view.options);
      return new Map([...news].map(([id, one]) => [id, { news: one, words }]));
    } catch (error) {
      this.#deps.report({ channelId: channel.record.id, error });
      return undefined;
    }
  }
}
