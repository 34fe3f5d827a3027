/** The screen to begin with: rates, spending, what needs attention, who and what is asked most, and the last failures. */
import { roles } from '../../daemon/contract/roles.ts';
import type { SystemView } from '../../daemon/contract/system.ts';
import type { UsageReportRow } from '../../daemon/contract/usage-reports.ts';
import { type Bilingual, both } from '../language.ts';
import type { LogRow } from '../views.ts';
import { type CallFigures, errorShare, stateComplaint } from './channel-lines.ts';
import type { Desk } from './desk.ts';
import { FilterLine } from './filter-words.ts';
import type { ActionOf } from './keys.ts';
import { lastHour } from './last-hour.ts';
import { beside, cell, pane, type Size, sparkline, wrapped } from './layout.ts';
import { listLines } from './list-lines.ts';
import { movesOf } from './list-moves.ts';
import { ListState } from './list-state.ts';
import { isMeant, needsSomebody, overviewColumns, type SystemChannel, worstFirst } from './overview-channels.ts';
import { noneUnpriced, notesOf } from './overview-notes.ts';
import type { Source } from './refresh.ts';
import type { Screen } from './screen.ts';

interface Rates {
  readonly rpm: number;
  readonly tpm: number;
  readonly quota: number;
}

/** The time whose failures are told, seconds. */
const callsSeconds = 5 * 60;
/** Type of log rows that stand for calls. */
const consumeRow = 2;
/** Rates held for the small bars. */
const heldRates = 120;
const topRows = 5;
const hour = 3600;
/** Hours whose spending is drawn. */
const heldHours = 24;

/** Rows of channels that need somebody. */
const attentionRows = 4;
/** From here on all channels are listed, and everything else stands at their right. */
const wideWidth = 116;
/** Of the list of channels beside the rest. */
const listWidth = 76;
const listShare = 0.63;
/** With less room, models are listed without their tokens. */
const tokensWidth = 36;

export class OverviewScreen implements Screen {
  readonly id = 'overview';
  readonly #list = new ListState<SystemChannel>((row) => row.id);
  readonly #ownSources: readonly Source[];
  readonly #siteSources: readonly Source[];
  readonly actions: Readonly<Record<ActionOf<'overview'>, () => void>> = {
    ...movesOf(this.#list, { height: () => this.#height, turned: () => undefined }),
    open: () => {
      if (this.#list.current !== undefined) this.#onOpen(this.#list.current.name);
    },
    filter: () => this.#filter.ask(this.#desk),
    back: () => this.#filter.clear(this.#desk),
  };
  readonly #filter = new FilterLine({
    names: ['status'],
    label: both('filter channels (text, status=):', '筛选渠道（文字、status=）：'),
    check: ({ named: { status } }) => stateComplaint(status),
    changed: () => {
      this.#list.restart();
      this.#arrange();
    },
  });
  readonly #desk: Desk;
  readonly #onOpen: (channel: string) => void;
  /** Whose figures these are. */
  #whose = '';
  #height = attentionRows;
  #isWide = false;
  #rates: readonly Rates[] = [];
  /** What was spent in each of the last hours, the running one at the end. */
  #hours: readonly number[] = [];
  /** Milliseconds in which half of the calls had their first token, as the hour went by. */
  #firstTokens: readonly number[] = [];
  /** Calls of the last minutes, as they went by. */
  #calls: readonly CallFigures[] = [];
  #unpriced = noneUnpriced;
  #system: SystemView | undefined;
  #models: readonly UsageReportRow[] = [];
  #users: readonly UsageReportRow[] = [];
  #failures: readonly LogRow[] | undefined;

  /** @param onOpen shows a channel by its name */
  constructor(desk: Desk, onOpen: (channel: string) => void) {
    this.#desk = desk;
    this.#onOpen = onOpen;
    this.#ownSources = [
      { kind: 'rates', periodMs: 5000, call: () => this.#askRates() },
      { kind: 'models', periodMs: 60_000, call: () => this.#askModels() },
      { kind: 'failures', periodMs: 30_000, call: () => this.#askFailures() },
      { kind: 'hours', periodMs: 60_000, call: () => this.#askHours() },
    ];
    this.#siteSources = [
      ...this.#ownSources,
      { kind: 'system', periodMs: 30_000, call: () => this.#askSystem() },
      { kind: 'calls', periodMs: 15_000, call: () => this.#askCalls() },
      { kind: 'unpriced', periodMs: 60_000, call: () => this.#askUnpriced() },
      { kind: 'users', periodMs: 60_000, call: () => this.#askUsers() },
    ];
  }

  /** Somebody else may have signed in since. */
  get #isAdmin(): boolean {
    return this.#desk.where.role >= roles.admin;
  }

  get sources(): readonly Source[] {
    return this.#isAdmin ? this.#siteSources : this.#ownSources;
  }

  /** Shows nothing of what somebody else was told. */
  shown(): void {
    const { username, role } = this.#desk.where;
    const whose = `${role} ${username}`;
    if (whose === this.#whose) return;
    this.#whose = whose;
    [this.#rates, this.#hours, this.#firstTokens, this.#calls] = [[], [], [], []];
    [this.#models, this.#users, this.#failures] = [[], [], undefined];
    this.#unpriced = noneUnpriced;
    this.#system = undefined;
    this.#arrange();
  }

  head(): string {
    const { say } = this.#desk;
    if (!this.#isAdmin) return say(both('your own figures', '本人数据'));
    if (this.#system === undefined) return say(both('asking…', '查询中…'));
    const { channels } = this.#system;
    const count = (status: number) => channels.filter((row) => row.status === status).length;
    const cooling = channels.filter((row) => row.status === 1 && row.cooling > 0).length;
    const filter = this.#filter.text;
    const [en, zh] = filter === '' ? ['', ''] : [` · filter: ${filter}`, ` · 筛选：${filter}`];
    return say(
      both(
        `Channels  ${count(1)} enabled · ${count(2)} disabled · ${count(3)} auto-disabled · ${cooling} cooling${en}`,
        `渠道  ${count(1)} 启用 · ${count(2)} 禁用 · ${count(3)} 自动禁用 · ${cooling} 冷却${zh}`,
      ),
    );
  }

  body(size: Size): readonly string[] {
    const isWide = this.#isAdmin && !this.#desk.isPlain && size.width >= wideWidth;
    if (isWide !== this.#isWide) {
      this.#isWide = isWide;
      this.#arrange();
    }
    return isWide ? this.#wideBody(size) : this.#narrowBody(size);
  }

  #narrowBody({ width, height }: Size): readonly string[] {
    const { glyphs } = this.#desk;
    const rule = glyphs.rule.repeat(width);
    // Models have one figure more than users.
    const left = Math.floor((width - 1) * 0.55);
    const right = width - left - 1;
    const tops = (lines: readonly string[], room: number) => pane(lines, { width: room, height: topRows + 1 });
    const isBeside = this.#isAdmin && !this.#desk.isPlain;
    const top = isBeside
      ? beside(tops(this.#modelLines(left), left), tops(this.#userLines(right), right), glyphs.bar)
      : [...this.#modelLines(width), ...(this.#isAdmin ? this.#userLines(width) : [])];
    const needy = this.#isAdmin ? this.#needyLines(width) : [];
    const notes = this.#isAdmin ? this.#notes(width).slice(0, 4) : [];
    const above = [
      ...this.#tiles(width),
      rule,
      ...needy,
      ...(needy.length === 0 ? [] : [rule]),
      ...top,
      rule,
      ...notes,
    ];
    const failures = this.#failureLines().slice(0, Math.max(2, height - above.length - 1));
    return [...above, ...failures].slice(0, height);
  }

  /** All channels at the left, and who asks for what beside them. */
  #wideBody({ width, height }: Size): readonly string[] {
    const { glyphs } = this.#desk;
    const rule = glyphs.rule.repeat(width);
    const notes = this.#notes(width).slice(0, 4);
    const above = [...this.#tiles(width), rule];
    const below = notes.length === 0 ? [] : [rule, ...notes];
    const room = Math.max(1, height - above.length - below.length);
    const left = { width: Math.max(listWidth, Math.floor(width * listShare)), height: room };
    const right = { width: width - left.width - 1, height: room };
    this.#height = Math.max(1, room - 1);
    const columns = overviewColumns(this.#desk, true);
    const list = listLines(this.#desk, this.#list, { columns, size: left });
    const line = glyphs.rule.repeat(right.width);
    const aside = [
      ...this.#modelLines(right.width),
      line,
      ...this.#userLines(right.width),
      line,
      ...this.#failureLines(),
    ];
    return [...above, ...beside(pane(list, left), pane(aside, right), glyphs.bar), ...below];
  }

  #tiles(width: number): readonly string[] {
    const { say, money, glyphs } = this.#desk;
    const now = this.#rates.at(-1);
    const calls = this.#calls.at(-1);
    const share = calls === undefined ? '-' : errorShare(calls);
    const first = this.#system?.first_token ?? undefined;
    const failed = [
      both('Failed (5 min)', '失败率（5 分钟）'),
      share === '-' ? share : `${share} %`,
      this.#calls.map(({ requests, failures }) => failures / Math.max(1, requests + failures)),
    ] as const;
    const firstToken = [
      both('First token p50/p95', '首字 p50/p95'),
      first ? `${seconds(first.p50)}/${seconds(first.p95)} s` : '-',
      this.#firstTokens,
    ] as const;
    const spent = this.#hours.at(-1);
    const thisHour = [
      both('Spent this hour', '本小时消费'),
      spent === undefined ? '-' : money(spent),
      this.#hours,
    ] as const;
    const tiles: readonly (readonly [label: Bilingual, value: string, figures: readonly number[]])[] = [
      [both('Requests/min', '每分钟请求'), now ? String(now.rpm) : '-', this.#rates.map(({ rpm }) => rpm)],
      [both('Tokens/min', '每分钟 token'), now ? short(now.tpm) : '-', this.#rates.map(({ tpm }) => tpm)],
      [both('Spent today', '今日消费'), now ? money(now.quota) : '-', this.#rates.map(({ quota }) => quota)],
      ...(this.#isAdmin && !this.#isWide ? [] : [thisHour]),
      ...(this.#isWide ? [firstToken] : []),
      ...(this.#isAdmin ? [failed] : []),
    ];
    if (this.#desk.isPlain) return tiles.map(([label, value]) => `${say(label)}: ${value}`);
    const each = Math.floor(width / tiles.length);
    const line = (texts: readonly string[]) => texts.map((text) => cell(` ${text}`, each)).join('');
    return [
      line(tiles.map(([label]) => say(label))),
      line(tiles.map(([, value]) => `  ${value}`)),
      line(tiles.map(([, , figures]) => sparkline(figures, each - 3, glyphs))),
    ];
  }

  #modelLines(width: number): readonly string[] {
    const { say, money } = this.#desk;
    const heading = say(both('Models, 60 min', '模型，近 60 分钟'));
    if (this.#desk.isPlain) return [heading, ...this.#models.map((row) => this.#spoken(row.model_name, row))];
    const hasTokens = width >= tokensWidth;
    const line = (name: string, requests: string, tokens: string, cost: string) => {
      const figures = [
        cell(requests, 6, 'right'),
        ...(hasTokens ? [cell(tokens, 7, 'right')] : []),
        cell(cost, 9, 'right'),
      ];
      return ` ${cell(name, Math.max(8, width - (hasTokens ? 27 : 19)))} ${figures.join(' ')}`;
    };
    return [
      line(heading, say(both('req', '请求')), say(both('tokens', 'token')), '$'),
      ...this.#models
        .slice(0, topRows)
        .map(({ model_name, requests, prompt_tokens, completion_tokens, quota }) =>
          line(model_name, short(requests), short(prompt_tokens + completion_tokens), money(quota)),
        ),
    ];
  }

  #userLines(width: number): readonly string[] {
    const { say, money } = this.#desk;
    const heading = say(both('Users, 60 min', '用户，近 60 分钟'));
    if (this.#desk.isPlain) return [heading, ...this.#users.map((row) => this.#spoken(row.username, row))];
    const line = (name: string, requests: string, cost: string) =>
      ` ${cell(name, Math.max(8, width - 19))} ${cell(requests, 6, 'right')} ${cell(cost, 9, 'right')}`;
    return [
      line(heading, say(both('req', '请求')), '$'),
      ...this.#users
        .slice(0, topRows)
        .map(({ username, requests, quota }) => line(username, short(requests), money(quota))),
    ];
  }

  /** Whose it is and what it came to, for lines that are read aloud. */
  #spoken(name: string, { requests, quota }: UsageReportRow): string {
    const { say, money } = this.#desk;
    const cost = money(quota);
    return say(
      both('{name}: {requests} {requests:call|calls}, {cost}', '{name}：{requests} 次调用，{cost}', {
        name,
        requests,
        cost,
      }),
    );
  }

  /** Channels that need somebody: a list where there are any. */
  #needyLines(width: number): readonly string[] {
    const rows = this.#list.rows.length;
    if (rows === 0) {
      const nothing = both('No channel that needs attention matches the filter', '没有需要关注的渠道符合筛选');
      return this.#filter.text === '' ? [] : [` ${this.#desk.say(nothing)}`];
    }
    this.#height = Math.min(rows, attentionRows);
    const size = { width, height: this.#height + 1 };
    return listLines(this.#desk, this.#list, { columns: overviewColumns(this.#desk, false), size });
  }

  #notes(width: number): readonly string[] {
    const { say } = this.#desk;
    const texts = notesOf({ system: this.#system, unpriced: this.#unpriced }, say);
    return texts.map((text) => ` ! ${wrapped(text, width - 4)[0] ?? ''}`);
  }

  #failureLines(): readonly string[] {
    const { say, context } = this.#desk;
    if (this.#failures === undefined) return [];
    if (this.#failures.length === 0) return [` ${say(both('No failed calls lately', '近期没有失败的调用'))}`];
    const timeOf = (row: LogRow) => context.clocks.clockText(row.created_at);
    const told = this.#failures.map((row) => `  ${timeOf(row)} ${row.username} ${row.model_name}  ${row.content}`);
    return [` ${say(both('Last failures', '最近失败'))}`, ...told];
  }

  async #askRates(): Promise<void> {
    const { client, context } = this.#desk;
    const wish = { start_timestamp: await context.instant('today', 'past', 'today') };
    const { rpm, tpm, quota } = await (this.#isAdmin ? client.logs.stat(wish) : client.logs.statOwn(wish));
    this.#rates = [...this.#rates, { rpm, tpm, quota }].slice(-heldRates);
  }

  async #askSystem(): Promise<void> {
    this.#system = await this.#desk.client.system.get({});
    const { first_token } = this.#system;
    if (first_token) this.#firstTokens = [...this.#firstTokens, first_token.p50].slice(-heldRates);
    this.#arrange();
  }

  /** Lists what there is room for. */
  #arrange(): void {
    const { channels = [] } = this.#system ?? {};
    const { named, text } = this.#filter.words;
    const listed = this.#isWide ? worstFirst(channels) : channels.filter(needsSomebody);
    this.#list.show(listed.filter((row) => isMeant(row, { text, state: named.status })));
  }

  async #askCalls(): Promise<void> {
    const { client } = this.#desk;
    const start_timestamp = Math.floor(Date.now() / 1000) - callsSeconds;
    const count = async (failed: boolean) =>
      (await client.logs.list({ type: consumeRow, failed, start_timestamp, page: 1, page_size: 1 })).total;
    const [requests, failures] = await Promise.all([count(false), count(true)]);
    this.#calls = [...this.#calls, { requests, failures }].slice(-heldRates);
  }

  async #askUnpriced(): Promise<void> {
    const wish = { enabled: true, unset: true, page: 1, page_size: 1 };
    const { items, total } = await this.#desk.client.prices.list(wish);
    this.#unpriced = { total, example: items[0]?.model_name ?? '' };
  }

  async #askHours(): Promise<void> {
    const { client } = this.#desk;
    const now = Math.floor(Date.now() / 1000);
    const running = now - (now % hour);
    const wish = { by: 'hour', start_timestamp: running - (heldHours - 1) * hour, end_timestamp: now };
    const { items } = await (this.#isAdmin ? client.usageReports.report(wish) : client.usageReports.reportOwn(wish));
    const spent = new Map(items.map(({ time, quota }) => [time, quota]));
    this.#hours = Array.from({ length: heldHours }, (_, at) => spent.get(running - (heldHours - 1 - at) * hour) ?? 0);
  }

  async #askModels(): Promise<void> {
    const { client } = this.#desk;
    const wish = { by: 'model', top: topRows, ...lastHour() };
    const { items } = await (this.#isAdmin ? client.usageReports.report(wish) : client.usageReports.reportOwn(wish));
    this.#models = items;
  }

  async #askUsers(): Promise<void> {
    const { items } = await this.#desk.client.usageReports.report({ by: 'user', top: topRows, ...lastHour() });
    this.#users = items;
  }

  async #askFailures(): Promise<void> {
    const { client } = this.#desk;
    const wish = { failed: true, page: 1, page_size: 10, start_timestamp: Math.floor(Date.now() / 1000) - 24 * hour };
    const { items } = await (this.#isAdmin ? client.logs.list(wish) : client.logs.listOwn(wish));
    this.#failures = items;
  }
}

/** 1.2k, 3.4M. */
function short(figure: number): string {
  if (figure < 10_000) return String(figure);
  return figure < 1_000_000 ? `${(figure / 1000).toFixed(1)}k` : `${(figure / 1_000_000).toFixed(2)}M`;
}

/** 0.42, 12.1. */
function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 10_000 ? 2 : 1);
}
