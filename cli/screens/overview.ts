/** The screen to begin with: rates, spending, what needs attention, who and what is asked most, and the last failures. */
import type { SystemView } from '../../daemon/contract/system.ts';
import type { UsageReportRow } from '../../daemon/contract/usage-reports.ts';
import { type Bilingual, both } from '../language.ts';
import type { LogRow } from '../views.ts';
import { stateOf } from './channel-lines.ts';
import type { Desk } from './desk.ts';
import type { ActionOf } from './keys.ts';
import { beside, cell, type ListColumn, pane, type Size, sparkline, wrapped } from './layout.ts';
import { listLines } from './list-lines.ts';
import { ListState } from './list-state.ts';
import type { Source } from './refresh.ts';
import type { Screen } from './screen.ts';

interface Rates {
  readonly rpm: number;
  readonly tpm: number;
  readonly quota: number;
}

/** Rates held for the small bars. */
const heldRates = 120;
const topRows = 5;
const hour = 3600;

type SystemChannel = SystemView['channels'][number];

/** Rows of channels that need somebody. */
const attentionRows = 4;

export class OverviewScreen implements Screen {
  readonly id = 'overview';
  readonly #list = new ListState<SystemChannel>((row) => row.id);
  readonly sources: readonly Source[];
  readonly actions: Readonly<Record<ActionOf<'overview'>, () => void>> = {
    up: () => void this.#list.move(-1),
    down: () => void this.#list.move(1),
    open: () => {
      if (this.#list.current !== undefined) this.#onOpen(this.#list.current.name);
    },
  };
  readonly #desk: Desk;
  readonly #isAdmin: boolean;
  readonly #onOpen: (channel: string) => void;
  #rates: readonly Rates[] = [];
  #system: SystemView | undefined;
  #models: readonly UsageReportRow[] = [];
  #users: readonly UsageReportRow[] = [];
  #failures: readonly LogRow[] = [];

  /** @param onOpen shows a channel by its name */
  constructor(desk: Desk, onOpen: (channel: string) => void) {
    this.#desk = desk;
    this.#onOpen = onOpen;
    this.#isAdmin = desk.where.role >= 10;
    const common: readonly Source[] = [
      { kind: 'rates', periodMs: 5000, call: () => this.#askRates() },
      { kind: 'models', periodMs: 60_000, call: () => this.#askModels() },
      { kind: 'failures', periodMs: 30_000, call: () => this.#askFailures() },
    ];
    const whole: readonly Source[] = [
      { kind: 'system', periodMs: 30_000, call: () => this.#askSystem() },
      { kind: 'users', periodMs: 60_000, call: () => this.#askUsers() },
    ];
    this.sources = this.#isAdmin ? [...common, ...whole] : common;
  }

  head(): string {
    const { say } = this.#desk;
    if (!this.#isAdmin) return say(both('your own figures', '本人数据'));
    if (this.#system === undefined) return say(both('asking…', '查询中…'));
    const { channels } = this.#system;
    const count = (status: number) => channels.filter((row) => row.status === status).length;
    const cooling = channels.filter((row) => row.status === 1 && row.cooling > 0).length;
    return say(
      both(
        `Channels  ${count(1)} enabled · ${count(2)} disabled · ${count(3)} auto-disabled · ${cooling} cooling`,
        `渠道  ${count(1)} 启用 · ${count(2)} 停用 · ${count(3)} 自动停用 · ${cooling} 冷却`,
      ),
    );
  }

  body({ width, height }: Size): readonly string[] {
    const { glyphs } = this.#desk;
    const rule = glyphs.rule.repeat(width);
    const left = Math.floor((width - 1) / 2);
    const right = width - left - 1;
    const tops = (lines: readonly string[], room: number) => pane(lines, { width: room, height: topRows + 1 });
    const isBeside = this.#isAdmin && !this.#desk.isPlain;
    const top = isBeside
      ? beside(tops(this.#modelLines(left), left), tops(this.#userLines(right), right), glyphs.bar)
      : [...this.#modelLines(width), ...(this.#isAdmin ? this.#userLines(width) : [])];
    const needy = this.#needyLines(width);
    const notes = this.#notes(width).slice(0, 4);
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

  #tiles(width: number): readonly string[] {
    const { say, money, glyphs } = this.#desk;
    const now = this.#rates.at(-1);
    const sums = this.#system?.channels.reduce(
      (sum, { last_hour }) => ({ all: sum.all + last_hour.requests, bad: sum.bad + last_hour.failures }),
      { all: 0, bad: 0 },
    );
    const share = sums === undefined || sums.all === 0 ? '-' : `${((100 * sums.bad) / sums.all).toFixed(1)} %`;
    const tiles: readonly (readonly [label: Bilingual, value: string, figures: readonly number[]])[] = [
      [both('Requests/min', '每分钟请求'), now ? String(now.rpm) : '-', this.#rates.map(({ rpm }) => rpm)],
      [both('Tokens/min', '每分钟 token'), now ? short(now.tpm) : '-', this.#rates.map(({ tpm }) => tpm)],
      [both('Spent today', '今日消费'), now ? money(now.quota) : '-', this.#rates.map(({ quota }) => quota)],
      ...(this.#isAdmin ? [[both('Failed (60 min)', '失败率（60 分钟）'), share, []] as const] : []),
    ];
    const each = Math.floor(width / tiles.length);
    const line = (texts: readonly string[]) => texts.map((text) => cell(` ${text}`, each)).join('');
    return [
      line(tiles.map(([label]) => say(label))),
      line(tiles.map(([, value]) => `  ${value}`)),
      line(tiles.map(([, , figures]) => sparkline(figures, each - 3, glyphs))),
    ];
  }

  #modelLines(width: number): readonly string[] {
    const heading = both('Models, 60 min', '模型，近 60 分钟');
    return this.#topLines(
      heading,
      this.#models.map((row) => ({ name: row.model_name, row })),
      width,
    );
  }

  #userLines(width: number): readonly string[] {
    const heading = both('Users, 60 min', '用户，近 60 分钟');
    return this.#topLines(
      heading,
      this.#users.map((row) => ({ name: row.username, row })),
      width,
    );
  }

  #topLines(
    heading: Bilingual,
    rows: readonly { readonly name: string; readonly row: UsageReportRow }[],
    width: number,
  ): readonly string[] {
    const { say, money } = this.#desk;
    const line = (name: string, requests: string, cost: string) =>
      ` ${cell(name, Math.max(8, width - 21))} ${cell(requests, 7, 'right')} ${cell(cost, 10, 'right')}`;
    return [
      line(say(heading), say(both('req', '请求')), '$'),
      ...rows.slice(0, topRows).map(({ name, row }) => line(name, short(row.requests), money(row.quota))),
    ];
  }

  /** Channels that need somebody: a list where there are any. */
  #needyLines(width: number): readonly string[] {
    const rows = this.#list.rows.length;
    if (rows === 0) return [];
    const size = { width, height: Math.min(rows, attentionRows) + 1 };
    return listLines(this.#desk, this.#list, { columns: needyColumns(this.#desk), size });
  }

  /** Nodes that are lost, and the server's own warnings. */
  #notes(width: number): readonly string[] {
    const { say } = this.#desk;
    const { nodes = [], warnings = [] } = this.#system ?? {};
    const lost = nodes
      .filter(({ alive }) => !alive)
      .map(({ address }) => say(both(`node ${address} is not heard of`, `节点 ${address} 失联`)));
    const texts = [...lost, ...warnings.map(({ message }) => message)];
    return texts.map((text) => ` ! ${wrapped(text, width - 4)[0] ?? ''}`);
  }

  #failureLines(): readonly string[] {
    const { say, context } = this.#desk;
    if (this.#failures.length === 0) return [` ${say(both('No failed calls lately', '近期没有失败的调用'))}`];
    return [
      ` ${say(both('Last failures', '最近失败'))}`,
      ...this.#failures.map(
        (row) =>
          `  ${String(context.timeText(row.created_at)).slice(11, 19)} ${row.username} ${row.model_name}  ${row.content}`,
      ),
    ];
  }

  async #askRates(): Promise<void> {
    const { client, context } = this.#desk;
    const wish = { start_timestamp: await context.instant('today', 'past', 'today') };
    const { rpm, tpm, quota } = await (this.#isAdmin ? client.logs.stat(wish) : client.logs.statOwn(wish));
    this.#rates = [...this.#rates, { rpm, tpm, quota }].slice(-heldRates);
  }

  async #askSystem(): Promise<void> {
    this.#system = await this.#desk.client.system.get({});
    this.#list.show(this.#system.channels.filter(needsSomebody));
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

/** One call in ten that fails is no accident. */
const isFailing = ({ last_hour: { requests, failures } }: SystemChannel) => failures > 0 && failures * 10 >= requests;

function needsSomebody(row: SystemChannel): boolean {
  return row.status === 3 || (row.status === 1 && (row.cooling > 0 || isFailing(row)));
}

function needyColumns({ say }: Desk): readonly ListColumn<SystemChannel>[] {
  const share = ({ last_hour: { requests, failures } }: SystemChannel) =>
    requests === 0 ? '-' : ((100 * failures) / requests).toFixed(1);
  const reason = (row: SystemChannel) => {
    const { requests, failures } = row.last_hour;
    if (row.status === 3) return say(both('disabled automatically', '已自动停用'));
    return isFailing(row)
      ? say(both(`${failures} of ${requests} calls failed`, `${requests} 次调用中失败 ${failures} 次`))
      : '';
  };
  return [
    { heading: 'ID', width: 5, align: 'right', priority: 1, value: (row) => row.id },
    { heading: say(both('NAME', '名称')), width: 18, priority: 1, value: (row) => row.name },
    { heading: say(both('STATUS', '状态')), width: 14, priority: 2, value: (row) => stateOf(row, say) },
    { heading: say(both('ERR %', '失败 %')), width: 6, align: 'right', priority: 3, value: share },
    { heading: say(both('REASON', '原因')), width: 12, priority: 4, grows: true, value: reason },
  ];
}

function lastHour() {
  const end_timestamp = Math.floor(Date.now() / 1000);
  return { start_timestamp: end_timestamp - hour, end_timestamp };
}

/** 1.2k, 3.4M. */
function short(figure: number): string {
  if (figure < 10_000) return String(figure);
  return figure < 1_000_000 ? `${(figure / 1000).toFixed(1)}k` : `${(figure / 1_000_000).toFixed(2)}M`;
}
