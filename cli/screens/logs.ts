/** The screen of the log: rows as they are written, by the stream of events; 2,000 of them are held. */

import { Following, sourceOf } from '../commands/log-follow.ts';
import { type Bilingual, both } from '../language.ts';
import { quoted } from './command-words.ts';
import type { Desk } from './desk.ts';
import { FilterLine } from './filter-words.ts';
import type { ActionOf } from './keys.ts';
import { besideWidth, type ListColumn, pane, type Size } from './layout.ts';
import { listLines } from './list-lines.ts';
import { ListView } from './list-view.ts';
import { filterFlags, logFilterNames } from './log-filter.ts';
import { type LiveRow, logColumns, logDetail } from './log-lines.ts';
import { openOutput } from './palette.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';

const heldRows = 2000;
const rowsASecond = 200;
/** Rows of the past to begin with. */
const pastRows = 100;

export class LogsScreen implements Screen {
  readonly id = 'logs';
  // Rows of users have no id that tells them apart, so each gets one as it comes.
  readonly #view = new ListView<LiveRow>({
    keyOf: (row) => this.#numbers.get(row) ?? 0,
    turned: () => undefined,
    moved: () => {
      this.#isAtNewest = this.#list.current === this.#list.rows[0];
    },
    left: () => {
      if (this.#filter.text !== '') this.#filter.clear(this.#desk);
    },
  });
  readonly #list = this.#view.list;
  readonly #numbers = new WeakMap<LiveRow, number>();
  readonly #filter = new FilterLine({
    names: logFilterNames,
    label: both(
      'filter (user= model= type= channel= group= errors=yes):',
      '筛选（user= model= type= channel= group= errors=yes）：',
    ),
    check: ({ text }) =>
      text === ''
        ? undefined
        : both(`${text} is no filter; write model=${text}`, `${text} 不是筛选项；请写 model=${text}`),
    changed: () => this.#restart(),
  });
  readonly sources: readonly Source[] = [{ kind: 'log', periodMs: 2000, call: () => this.#keepFollowing() }];
  readonly actions: Readonly<Record<ActionOf<'logs'>, () => void>> = {
    ...this.#view.actions,
    follow: () => {
      this.#isAtNewest = true;
      this.#list.goTo('first');
    },
    filter: () => this.#filter.ask(this.#desk),
    copy: () => {
      const { request_id: id } = this.#list.current ?? { request_id: '' };
      if (id === '') return;
      this.#desk.copy(id);
      this.#desk.tell(both(`on the clipboard: ${id}`, `已复制：${id}`), { command: `tollgate log get ${id}` });
    },
    why: () => {
      const { current } = this.#list;
      if (current === undefined || current.model_name === '') return;
      const { model_name, username } = current;
      openOutput(this.#desk, { line: `channel explain --user ${quoted(username)} --model ${quoted(model_name)}` });
    },
    export: () => this.#askFile(),
  };
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  readonly #columns: readonly ListColumn<LiveRow>[];
  #isAtNewest = true;
  #count = 0;
  #leftOut = 0;
  #waiting: LiveRow[] = [];
  #second = { at: 0, rows: 0 };
  #following: AbortController | undefined;
  #failure: unknown;

  constructor(desk: Desk, refresher: Refresher) {
    // Its rows are never all there: none so far is none.
    this.#list.show([]);
    this.#desk = desk;
    this.#refresher = refresher;
    this.#columns = logColumns(desk);
  }

  hidden(): void {
    this.#stop();
  }

  head(): string {
    const { say } = this.#desk;
    const filter = this.#filter.shown(this.#desk);
    const held = this.#list.rows.length;
    const waiting = this.#waiting.length;
    const more = waiting === 0 ? '' : say(both(` · ${waiting} waiting`, ` · ${waiting} 条待显示`));
    return say(
      both(
        'filter: {filter}   {held} {held:row|rows} held · {left} left out{more}',
        '筛选：{filter}   已保留 {held} 条 · 略过 {left} 条{more}',
        { filter, held, left: this.#leftOut, more },
      ),
    );
  }

  body({ width, height }: Size): readonly string[] {
    if (!this.#refresher.isPaused) this.#showWaiting();
    const { current } = this.#list;
    this.#view.fit(height);
    if (width >= besideWidth || this.#view.isOpen) {
      return this.#view.lines(this.#desk, {
        columns: this.#columns,
        size: { width, height },
        detail: (row, room) => logDetail(this.#desk, row, room),
      });
    }
    const detail = current === undefined || height < 14 ? [] : logDetail(this.#desk, current, width).slice(0, 7);
    const size = { width, height: height - (detail.length === 0 ? 0 : detail.length + 1) };
    const list = pane(listLines(this.#desk, this.#list, { columns: this.#columns, size }), size);
    return detail.length === 0 ? list : [...list, this.#desk.glyphs.rule.repeat(width), ...detail];
  }

  /** Writes what the filter finds of the last day into a file, as `log export` does. */
  #askFile(): void {
    const { since = '1d', errors, ...flags } = this.#filter.words.named;
    const words = Object.entries({ ...flags, since }).map(([name, value]) => `--${name} ${quoted(String(value))}`);
    const onlyErrors = errors === undefined || errors === 'no' ? [] : ['--errors'];
    this.#desk.ask(
      both(`file for the rows since ${since}:`, `写入文件（自 ${since} 起的日志）：`),
      (line) => {
        const file = line.trim();
        if (file === '') return;
        openOutput(this.#desk, { line: ['log export', ...words, ...onlyErrors, `--out ${quoted(file)}`].join(' ') });
      },
      'log.csv',
    );
  }

  /** Follows unless it does; a failure of before is told here, so that the status word knows of it. */
  #keepFollowing(): Promise<void> {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) return Promise.reject(failure);
    if (this.#following === undefined) void this.#follow();
    return Promise.resolve();
  }

  async #follow(): Promise<void> {
    const ends = new AbortController();
    this.#following = ends;
    const { context } = this.#desk;
    try {
      const source = await sourceOf(context, filterFlags(this.#filter.words));
      const signal = AbortSignal.any([ends.signal, context.signal]);
      const note = (text: Bilingual) => this.#desk.tell(text);
      // Of the past, rows may be held from the time before the screen was left.
      const held = new Set([...this.#waiting, ...this.#list.rows].map(source.keyOf));
      for await (const rows of new Following(source, { signal, note }).portions(pastRows)) {
        // What was asked for by the filter of before is of no use any more.
        if (ends.signal.aborted) return;
        this.#take(rows.filter((row) => !held.has(source.keyOf(row))));
        held.clear();
      }
    } catch (failure) {
      if (!ends.signal.aborted && !context.signal.aborted) this.#failure = failure;
    } finally {
      if (this.#following === ends) this.#following = undefined;
    }
  }

  #stop(): void {
    this.#following?.abort();
    this.#following = undefined;
  }

  /** Rows that came, the oldest first; of too many at once some are left out. */
  #take(rows: readonly LiveRow[]): void {
    const second = Math.floor(Date.now() / 1000);
    if (this.#second.at !== second) this.#second = { at: second, rows: 0 };
    const room = Math.max(0, rowsASecond - this.#second.rows);
    const kept = room === 0 ? [] : rows.slice(-room);
    this.#second.rows += kept.length;
    this.#leftOut += rows.length - kept.length;
    for (const row of kept) {
      this.#count += 1;
      this.#numbers.set(row, this.#count);
    }
    this.#waiting = [...kept.toReversed(), ...this.#waiting].slice(0, heldRows);
    this.#desk.changed();
  }

  #showWaiting(): void {
    if (this.#waiting.length === 0) return;
    this.#list.show([...this.#waiting, ...this.#list.rows].slice(0, heldRows));
    this.#waiting = [];
    if (this.#isAtNewest) this.#list.goTo('first');
  }

  #restart(): void {
    this.#list.restart();
    this.#list.show([]);
    this.#waiting = [];
    this.#isAtNewest = true;
    this.#stop();
    this.#refresher.refresh();
  }
}
