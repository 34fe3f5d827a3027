/** The screen of channels: the list with its health, one channel close up, tests with live results, on and off. */
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { usageError } from '../errors.ts';
import { both } from '../language.ts';
import { channelStatus } from '../views.ts';
import { ChannelDeeds } from './channel-deeds.ts';
import { channelForm } from './channel-form.ts';
import { ChannelKeysPage } from './channel-keys-page.ts';
import {
  type CallFigures,
  type ChannelFindings,
  channelColumns,
  detailLines,
  resultLines,
  stateComplaint,
} from './channel-lines.ts';
import { CloseLook } from './close-look.ts';
import type { Desk } from './desk.ts';
import { FilterLine } from './filter-words.ts';
import type { Form } from './form.ts';
import type { ActionOf } from './keys.ts';
import { lastHour } from './last-hour.ts';
import { besideWidth, type ListColumn, pane, type Size } from './layout.ts';
import { listLines } from './list-lines.ts';
import { pageRows } from './list-state.ts';
import { ListView } from './list-view.ts';
import { openOutput } from './palette.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';

const filterNames = ['group', 'model', 'type', 'status', 'tag'] as const;

export class ChannelsScreen implements Screen {
  readonly id = 'channels';
  readonly #view = new ListView<ChannelView>({
    keyOf: (row) => row.id,
    turned: () => this.#refresher.refresh('channels'),
    moved: () => this.#look.soon(),
    left: () => this.#back(),
  });
  readonly #list = this.#view.list;
  readonly #look: CloseLook<ChannelView, ChannelFindings>;
  readonly #filter = new FilterLine({
    names: filterNames,
    label: both('filter (text, group= model= type= status= tag=):', '筛选（文字、group= model= type= status= tag=）：'),
    check: ({ named: { status } }) => stateComplaint(status),
    changed: () => this.#restart(),
  });
  readonly sources: readonly Source[];
  readonly actions: Readonly<Record<ActionOf<'channels'>, () => void>> = {
    ...this.#view.actions,
    filter: () => this.#filter.ask(this.#desk),
    sort: () => {
      this.#byId = !this.#byId;
      this.#restart();
    },
    select: () => {
      this.#list.mark();
      this.#look.soon();
    },
    'select-all': () => this.#list.markAll(),
    test: () => void this.#deeds.test(this.#list.chosen),
    'test-all': () => void this.#deeds.testAll(),
    switch: () => this.#deeds.switch(this.#list.chosen),
    tag: () => this.#deeds.tag(this.#list.chosen),
    balance: () => this.#withCurrent((row) => this.#deeds.balance(row)),
    models: () => this.#withCurrent(({ id }) => openOutput(this.#desk, { line: `channel models ${id} --diff` })),
    why: () => this.#withCurrent((row) => this.#deeds.why(row)),
    delete: () => this.#withCurrent((row) => this.#deeds.delete(row)),
    copy: () => this.#withCurrent((row) => this.#deeds.copyKey(row)),
    browse: () => this.#withCurrent((row) => void this.#deeds.open(row)),
    keys: () => this.#withCurrent((row) => this.#desk.openPage(new ChannelKeysPage(this.#desk, this.#refresher, row))),
    export: () => {
      const ids = this.#list.chosen.map(({ id }) => id);
      openOutput(this.#desk, { line: `channel export ${ids.join(' ')}` });
    },
    new: () => this.#openForm(undefined),
    edit: () => this.#withCurrent((row) => this.#openForm(row)),
  };
  form: Form | undefined;
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  readonly #columns: readonly ListColumn<ChannelView>[];
  #calls: ReadonlyMap<number, CallFigures> = new Map();
  #byId = false;
  readonly #deeds: ChannelDeeds;

  constructor(desk: Desk, refresher: Refresher) {
    this.#desk = desk;
    this.#refresher = refresher;
    this.#columns = channelColumns(desk, (id) => this.#calls.get(id));
    this.#look = new CloseLook({
      kind: 'channel',
      list: this.#list,
      refresher,
      ask: (row) => this.#findingsOf(row),
    });
    this.sources = [
      { kind: 'channels', periodMs: 15_000, call: () => this.#load() },
      { kind: 'channel-calls', periodMs: 60_000, call: () => this.#askCalls() },
      this.#look.source,
    ];
    this.#deeds = new ChannelDeeds({
      desk,
      refresher,
      list: this.#list,
      onTested: () => {
        this.#look.forget();
      },
      onGone: () => {
        this.#view.close();
      },
    });
  }

  hidden(): void {
    this.#look.stop();
  }

  head(): string {
    const { say } = this.#desk;
    const filter = this.#filter.shown(this.#desk);
    const order = this.#byId ? say(both('id', '编号')) : say(both('priority', '优先级'));
    const marked = this.#list.marked.size;
    const selected = marked === 0 ? '' : ` · ${say(both(`${marked} selected`, `已选 ${marked}`))}`;
    return say(
      both(
        'filter: {filter}   sort: {order}   {total} {total:channel|channels}{selected}',
        '筛选：{filter}   排序：{order}   共 {total} 个渠道{selected}',
        { filter, order, total: this.#list.total, selected },
      ),
    );
  }

  body({ width, height }: Size): readonly string[] {
    if (width >= besideWidth || this.#view.isOpen) {
      return this.#view.lines(this.#desk, {
        columns: this.#columns,
        size: { width, height },
        detail: (row, room) => this.#detail(row, room),
      });
    }
    this.#view.fit(height);
    const below =
      this.#deeds.results.length === 0
        ? []
        : [this.#desk.glyphs.rule.repeat(width), ...resultLines(this.#desk, this.#deeds.results)];
    const shown = below.slice(0, Math.floor(height / 2));
    const size = { width, height: height - shown.length };
    return [...pane(listLines(this.#desk, this.#list, { columns: this.#columns, size }), size), ...shown];
  }

  #detail(row: ChannelView, width: number): readonly string[] {
    const wishes = { width, findings: this.#look.of(row), results: this.#deeds.results };
    return detailLines(this.#desk, row, wishes);
  }

  async #load(): Promise<void> {
    const { client } = this.#desk;
    const list = this.#list;
    const take = list.taking();
    const { page } = list;
    const { named, text } = this.#filter.words;
    const type = await typeNumber(named.type);
    const fits = (row: ChannelView) =>
      (type === undefined || row.type === type) &&
      (named.tag === undefined || row.tag === named.tag) &&
      (named.status === undefined || channelStatus(row) === named.status);
    if (text !== '' || named.model !== undefined) {
      const wish = { keyword: text, group: named.group, model: named.model, id_sort: this.#byId };
      const { items } = await client.channels.search(wish);
      take(items.filter(fits));
    } else {
      const isOn = named.status === 'enabled' || named.status === 'cooling';
      const { items, total } = await client.channels.list({
        status: named.status === undefined ? undefined : isOn ? 'enabled' : 'disabled',
        type,
        group: named.group,
        tag: named.tag,
        id_sort: this.#byId,
        page,
        page_size: pageRows,
      });
      const rows = items.filter(fits);
      take(rows, items.length < pageRows && page === 1 ? rows.length : total);
    }
    this.#look.soon();
  }

  async #askCalls(): Promise<void> {
    const { items } = await this.#desk.client.usageReports.report({ by: 'channel', top: 10_000, ...lastHour() });
    this.#calls = new Map(items.map(({ channel, requests, failures }) => [channel, { requests, failures }]));
  }

  async #findingsOf({ id }: ChannelView): Promise<ChannelFindings> {
    const { channels, usageReports } = this.#desk.client;
    const [keys, totals, tests] = await Promise.all([
      channels.keys({ id }),
      usageReports.ofChannel({ id }),
      channels.tests({ id, limit: 12 }),
    ]);
    return { keys, totals, tests };
  }

  #withCurrent(work: (row: ChannelView) => void): void {
    if (this.#list.current !== undefined) work(this.#list.current);
  }

  /** @param row the channel to be changed; undefined for a new one */
  #openForm(row: ChannelView | undefined): void {
    this.form = channelForm(this.#desk, row, (id) => {
      this.form = undefined;
      if (id !== undefined) {
        this.#list.want(id);
        this.#refresher.refresh('channels');
      }
      this.#desk.changed('key');
    });
  }

  /** Shows the channels of this name. */
  find(name: string): void {
    this.#filter.set(this.#desk, name);
  }

  #restart(): void {
    this.#list.restart();
    this.#refresher.refresh('channels');
  }

  #back(): void {
    if (this.#deeds.results.length > 0) this.#deeds.results = [];
    else if (this.#filter.text !== '') this.#filter.clear(this.#desk);
    else this.#list.marked.clear();
  }
}

async function typeNumber(word: string | undefined): Promise<number | undefined> {
  if (word === undefined) return undefined;
  const { parseChannelType } = await import('../../daemon/contract/channel-types.ts');
  const found = parseChannelType(word)?.type;
  if (found === undefined) throw usageError(both(`no channel type ${word}`, `没有渠道类型 ${word}`));
  return found;
}
