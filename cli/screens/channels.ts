/** The screen of channels: the list with its health, one channel close up, tests with live results, on and off. */
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { usageError } from '../errors.ts';
import { both } from '../language.ts';
import { channelStatus } from '../views.ts';
import { ChannelDeeds } from './channel-deeds.ts';
import { type ChannelForm, channelForm } from './channel-form.ts';
import { ChannelKeysPage } from './channel-keys-page.ts';
import { type ChannelFindings, channelColumns, detailLines, resultLines } from './channel-lines.ts';
import type { Desk } from './desk.ts';
import { type FilterWords, isComplaint, readFilter } from './filter-words.ts';
import type { ActionOf } from './keys.ts';
import { beside, besideWidth, type ListColumn, pane, type Size } from './layout.ts';
import { listLines } from './list-lines.ts';
import { movesOf } from './list-moves.ts';
import { ListState, pageRows } from './list-state.ts';
import { openOutput } from './palette.ts';
import type { Press } from './press.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';

const filterNames = ['group', 'model', 'type', 'status', 'tag'] as const;
type Filter = FilterWords<(typeof filterNames)[number]>;

const statusWords: ReadonlySet<string> = new Set(['enabled', 'disabled', 'auto', 'cooling']);
const lookMs = 150;

export class ChannelsScreen implements Screen {
  readonly id = 'channels';
  readonly #list = new ListState<ChannelView>((row) => row.id);
  readonly sources: readonly Source[] = [
    { kind: 'channels', periodMs: 15_000, call: () => this.#load() },
    { kind: 'channel', periodMs: 60_000, call: () => this.#look() },
  ];
  readonly actions: Readonly<Record<ActionOf<'channels'>, () => void>> = {
    ...movesOf(this.#list, {
      height: () => this.#height,
      turned: () => this.#refresher.refresh('channels'),
      moved: () => this.#lookSoon(),
    }),
    open: () => {
      this.#isOpen = this.#list.current !== undefined;
    },
    back: () => this.#back(),
    filter: () => this.#askFilter(),
    sort: () => {
      this.#byId = !this.#byId;
      this.#list.restart();
      this.#refresher.refresh('channels');
    },
    select: () => this.#list.mark(),
    'select-all': () => this.#list.markAll(),
    test: () => void this.#deeds.test(this.#list.chosen),
    'test-all': () => void this.#deeds.testAll(),
    switch: () => this.#deeds.switch(this.#list.chosen),
    tag: () => this.#deeds.tag(this.#list.chosen),
    balance: () => this.#withCurrent((row) => this.#deeds.balance(row)),
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
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  readonly #columns: readonly ListColumn<ChannelView>[];
  #filterText = '';
  #filter: Filter = { named: {}, text: '' };
  #byId = false;
  #isOpen = false;
  #height = 10;
  #findings: ChannelFindings | undefined;
  readonly #deeds: ChannelDeeds;
  #form: ChannelForm | undefined;
  #lookTimer: NodeJS.Timeout | undefined;

  constructor(desk: Desk, refresher: Refresher) {
    this.#desk = desk;
    this.#refresher = refresher;
    this.#columns = channelColumns(desk);
    this.#deeds = new ChannelDeeds({
      desk,
      refresher,
      list: this.#list,
      onTested: () => {
        this.#findings = undefined;
      },
      onGone: () => {
        this.#isOpen = false;
      },
    });
  }

  get isDirty(): boolean {
    return this.#form?.isDirty ?? false;
  }

  take(press: Press): boolean {
    if (this.#form === undefined) return false;
    this.#form.press(press);
    return true;
  }

  formKeys(): readonly string[] | undefined {
    return this.#form?.keys();
  }

  hidden(): void {
    clearTimeout(this.#lookTimer);
  }

  head(): string {
    const { say } = this.#desk;
    const filter = this.#filterText === '' ? say(both('no filter', '未筛选')) : this.#filterText;
    const order = this.#byId ? say(both('id', '编号')) : say(both('priority', '优先级'));
    const marked = this.#list.marked.size;
    const selected = marked === 0 ? '' : ` · ${say(both(`${marked} selected`, `已选 ${marked}`))}`;
    return say(
      both(
        `filter: ${filter}   sort: ${order}   ${this.#list.total} channels${selected}`,
        `筛选：${filter}   排序：${order}   共 ${this.#list.total} 个渠道${selected}`,
      ),
    );
  }

  body({ width, height }: Size): readonly string[] {
    if (this.#form) return this.#form.lines({ width, height });
    const { current } = this.#list;
    this.#height = Math.max(1, height - 2);
    if (width >= besideWidth) {
      const left = Math.floor(width * 0.62);
      const right = width - left - 1;
      const list = listLines(this.#desk, this.#list, { columns: this.#columns, size: { width: left, height } });
      const detail = current === undefined ? [] : this.#detail(current, right);
      return beside(pane(list, { width: left, height }), pane(detail, { width: right, height }), this.#desk.glyphs.bar);
    }
    if (this.#isOpen && current) return this.#detail(current, width);
    const below =
      this.#deeds.results.length === 0
        ? []
        : [this.#desk.glyphs.rule.repeat(width), ...resultLines(this.#desk, this.#deeds.results)];
    const shown = below.slice(0, Math.floor(height / 2));
    const size = { width, height: height - shown.length };
    return [...pane(listLines(this.#desk, this.#list, { columns: this.#columns, size }), size), ...shown];
  }

  #detail(row: ChannelView, width: number): readonly string[] {
    const findings = this.#findings?.id === row.id ? this.#findings : undefined;
    return detailLines(this.#desk, row, { width, findings, results: this.#deeds.results });
  }

  async #load(): Promise<void> {
    const { client } = this.#desk;
    const list = this.#list;
    const { named, text } = this.#filter;
    const type = await typeNumber(named.type);
    const fits = (row: ChannelView) =>
      (type === undefined || row.type === type) &&
      (named.tag === undefined || row.tag === named.tag) &&
      (named.status === undefined || channelStatus(row) === named.status);
    if (text !== '' || named.model !== undefined) {
      const wish = { keyword: text, group: named.group, model: named.model, id_sort: this.#byId };
      const { items } = await client.channels.search(wish);
      list.show(items.filter(fits));
    } else {
      const isOn = named.status === 'enabled' || named.status === 'cooling';
      const { items, total } = await client.channels.list({
        status: named.status === undefined ? undefined : isOn ? 'enabled' : 'disabled',
        type,
        group: named.group,
        tag: named.tag,
        id_sort: this.#byId,
        page: list.page,
        page_size: pageRows,
      });
      const rows = items.filter(fits);
      list.show(rows, items.length < pageRows && list.page === 1 ? rows.length : total);
    }
    this.#lookSoon();
  }

  /** Asks for more of the channel that somebody stays on. */
  #lookSoon(): void {
    clearTimeout(this.#lookTimer);
    const { current } = this.#list;
    if (current === undefined || this.#findings?.id === current.id) return;
    this.#lookTimer = setTimeout(() => this.#refresher.refresh('channel'), lookMs);
  }

  async #look(): Promise<void> {
    const { current } = this.#list;
    if (current === undefined) return;
    const { id } = current;
    const { client } = this.#desk;
    const [keys, totals, tests] = await Promise.all([
      client.channels.keys({ id }),
      client.usageReports.ofChannel({ id }),
      client.channels.tests({ id, limit: 12 }),
    ]);
    this.#findings = { id, keys, totals, tests };
  }

  #withCurrent(work: (row: ChannelView) => void): void {
    if (this.#list.current !== undefined) work(this.#list.current);
  }

  /** @param row the channel to be changed; undefined for a new one */
  #openForm(row: ChannelView | undefined): void {
    this.#form = channelForm(this.#desk, row, (isSaved) => {
      this.#form = undefined;
      if (isSaved) this.#refresher.refresh('channels');
      this.#desk.changed('key');
    });
  }

  #back(): void {
    if (this.#isOpen) this.#isOpen = false;
    else if (this.#deeds.results.length > 0) this.#deeds.results = [];
    else if (this.#filterText !== '') this.#setFilter('');
    else this.#list.marked.clear();
  }

  #askFilter(): void {
    const label = both(
      'filter (text, group= model= type= status= tag=):',
      '筛选（文字、group= model= type= status= tag=）：',
    );
    this.#desk.ask(label, (line) => this.#setFilter(line), this.#filterText);
  }

  #setFilter(line: string): void {
    const read = readFilter(line, filterNames);
    if (isComplaint(read)) {
      this.#desk.tell(read, { tone: 'bad' });
      return;
    }
    const { status } = read.named;
    if (status !== undefined && !statusWords.has(status)) {
      this.#desk.tell(both(`no status ${status}`, `没有状态 ${status}`), { tone: 'bad' });
      return;
    }
    this.#filterText = line.trim();
    this.#filter = read;
    this.#list.restart();
    this.#refresher.refresh('channels');
  }
}

async function typeNumber(word: string | undefined): Promise<number | undefined> {
  if (word === undefined) return undefined;
  const { parseChannelType } = await import('../../daemon/contract/channel-types.ts');
  const found = parseChannelType(word)?.type;
  if (found === undefined) throw usageError(both(`no channel type ${word}`, `没有渠道类型 ${word}`));
  return found;
}
