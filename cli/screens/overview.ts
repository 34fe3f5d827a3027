/** The screen to begin with: rates, spending, what needs attention, who and what is asked most, and the last failures. */
import type { SystemView } from '../../daemon/contract/system.ts';
import type { UsageReportRow } from '../../daemon/contract/usage-reports.ts';
import { type Bilingual, both } from '../language.ts';
import type { LogRow } from '../views.ts';
import type { Desk } from './desk.ts';
import { beside, cell, pane, type Size, sparkline, wrapped } from './layout.ts';
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

export class OverviewScreen implements Screen {
  readonly id = 'overview';
  readonly sources: readonly Source[];
  readonly actions = {};
  readonly #desk: Desk;
  readonly #isAdmin: boolean;
  #rates: readonly Rates[] = [];
  #system: SystemView | undefined;
  #models: readonly UsageReportRow[] = [];
  #users: readonly UsageReportRow[] = [];
  #failures: readonly LogRow[] = [];

  constructor(desk: Desk) {
    this.#desk = desk;
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
    return say(
      both(
        `Channels  ${count(1)} enabled · ${count(2)} disabled · ${count(3)} auto-disabled`,
        `渠道  ${count(1)} 启用 · ${count(2)} 停用 · ${count(3)} 自动停用`,
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
    const notes = this.#notes(width);
    const used = 4 + 1 + top.length + 1 + Math.min(notes.length, 4);
    const failures = this.#failureLines().slice(0, Math.max(2, height - used - 1));
    return [...this.#tiles(width), rule, ...top, rule, ...notes.slice(0, 4), ...failures].slice(0, height);
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

  /** Channels that need somebody, nodes that differ, and the server's own warnings. */
  #notes(width: number): readonly string[] {
    const { say } = this.#desk;
    const { channels = [], nodes = [], warnings = [] } = this.#system ?? {};
    const off = channels
      .filter(({ status }) => status === 3)
      .map(({ id, name }) =>
        say(both(`channel ${id} ${name} is disabled automatically`, `渠道 ${id} ${name} 已自动停用`)),
      );
    const failing = channels
      .filter(
        ({ status, last_hour: { requests, failures } }) => status === 1 && failures > 0 && failures * 10 >= requests,
      )
      .map(({ id, name, last_hour: { requests, failures } }) =>
        say(
          both(
            `channel ${id} ${name}: ${failures} of ${requests} calls failed`,
            `渠道 ${id} ${name}：${requests} 次调用中失败 ${failures} 次`,
          ),
        ),
      );
    const lost = nodes
      .filter(({ alive }) => !alive)
      .map(({ address }) => say(both(`node ${address} is not heard of`, `节点 ${address} 失联`)));
    const texts = [...off, ...failing, ...lost, ...warnings.map(({ message }) => message)];
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

function lastHour() {
  const end_timestamp = Math.floor(Date.now() / 1000);
  return { start_timestamp: end_timestamp - hour, end_timestamp };
}

/** 1.2k, 3.4M. */
function short(figure: number): string {
  if (figure < 10_000) return String(figure);
  return figure < 1_000_000 ? `${(figure / 1000).toFixed(1)}k` : `${(figure / 1_000_000).toFixed(2)}M`;
}
