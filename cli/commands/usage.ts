/** `usage`: what was spent, from the sums that the server keeps. */

import type { Command } from 'commander';
import type { SiteTotalsView } from '../../daemon/contract/usage-reports.ts';
import { type Flags, group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { collect, givenFor, textOf } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { type Bilingual, both, sayIn } from '../language.ts';
import type { Column, View } from '../output/columns.ts';
import { limitOf } from '../paging.ts';
import { closedSpanOf } from '../time-span.ts';
import { seesAll } from './log-filters.ts';

/** What `--all` asks for. */
const mostRows = 10_000;

interface UsageRow {
  time: number | null;
  username: string;
  model_name: string;
  channel: number;
  channel_name: string;
  token_name: string;
  group: string;
  requests: number;
  failures: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Absent where the caller may not know it. */
  cost?: number | undefined;
}

/** Columns of what is summed by; the server knows which there are. */
function keyColumns(context: CommandContext, by: readonly string[]): Column<UsageRow>[] {
  return by.flatMap((key): Column<UsageRow>[] => {
    const named = (heading: string, value: Column<UsageRow>['value']) => [{ heading, value, priority: 1 }];
    if (key === 'user') return named('USER', (row) => row.username);
    if (key === 'model') return named('MODEL', (row) => row.model_name);
    if (key === 'channel') return named('CHANNEL', (row) => row.channel_name || `#${row.channel}`);
    if (key === 'token') return named('TOKEN', (row) => row.token_name);
    if (key === 'group') return named('GROUP', (row) => row.group);
    const value = (row: UsageRow) => (row.time === null ? '' : context.timeText(row.time));
    return [{ heading: key.toUpperCase(), unit: 'time', value, priority: 1 }];
  });
}

/** What is summed by. */
function keysOf(flags: Flags): string[] {
  const by = splitList(givenFor(flags.by));
  return by.length > 0 ? by : [flags.cost === true ? 'channel' : 'model'];
}

async function question(context: CommandContext, flags: Readonly<Record<string, unknown>>) {
  return {
    by: keysOf(flags).join(','),
    ...(await closedSpanOf(context, flags)),
    token_name: textOf(flags.token),
    model_name: textOf(flags.model),
    group: textOf(flags.group),
    top: limitOf(flags, 'top') ?? mostRows,
  };
}

/** The server says not how many rows there are beyond those that are asked for. */
function leftOutText(count: number): Bilingual {
  const rest = count === mostRows ? both('', '') : both('; --all for the rest', '；--all 显示全部');
  return both(
    `Showing the first {count} {count:row|rows}${rest.en}; the sum is of all`,
    `仅显示前 {count} 行${rest.zh}；合计包含全部`,
    { count },
  );
}

/** What was charged and its part of everything; or with `--cost` what the operator earned by it. */
function moneyColumns(
  context: CommandContext,
  { whole, withCost }: { whole: number; withCost: boolean },
): Column<UsageRow>[] {
  const money = context.moneyCells();
  const amount = (heading: string, units: (row: UsageRow) => number): Column<UsageRow> => ({
    heading,
    unit: 'money',
    value: (row) => money(units(row)),
    align: 'right',
  });
  if (!withCost)
    return [
      amount('$', (row) => row.quota),
      { heading: 'SHARE', value: (row) => share(row.quota, whole), align: 'right' },
    ];
  return [
    amount('COST', (row) => row.cost ?? 0),
    amount('REVENUE', (row) => row.quota),
    amount('MARGIN', (row) => row.quota - (row.cost ?? 0)),
  ];
}

/** @param whole what all rows were charged, of which each is a share */
function reportView(context: CommandContext, flags: Flags, whole: number): View<UsageRow> {
  return {
    columns: [
      ...keyColumns(context, keysOf(flags)),
      { heading: 'REQUESTS', value: (row) => row.requests, align: 'right' },
      { heading: 'FAILED', value: (row) => row.failures, align: 'right', priority: 7 },
      { heading: 'TOKENS', value: (row) => row.prompt_tokens + row.completion_tokens, align: 'right' },
      ...moneyColumns(context, { whole, withCost: flags.cost === true }),
    ],
    id: (row) => row.username || row.model_name || row.channel || row.token_name || row.group || (row.time ?? ''),
  };
}

/** Costs are those of channels, which only operators see. */
function checkCost(by: readonly string[], isOperator: boolean): void {
  if (isOperator && by.includes('channel')) return;
  throw usageError(both('--cost is for --by channel, over all users', '--cost 仅用于 --by channel 的全站报表'), {
    field: '--cost',
  });
}

export function registerUsageCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const usage = group(program, runtime, 'usage', both('What was spent', '用量'));
  leaf(
    usage
      .command('report')
      .option(
        '--by <keys>',
        say(
          both(
            'user, model, channel, token, group, hour, day or week; up to two (model)',
            '按 user、model、channel、token、group、hour、day、week 汇总，最多两项（model）',
          ),
        ),
        collect,
      )
      .option('--since <time>', say(both('from this time on (24h)', '起始时间（24h）')))
      .option('--until <time>', say(both('until this time', '结束时间')))
      .option('--user <name>', say(both('of this user', '指定用户')))
      .option('--token <name>', say(both('of this token', '指定令牌')))
      .option('--model <name>', say(both('of this model; a trailing % is a wildcard', '指定模型，末尾 % 为通配')))
      .option('--channel <id>', say(both('served by this channel', '指定渠道')))
      .option('--group <group>', say(both('billed by this group', '指定分组')))
      .option('--cost', say(both('by channel: cost of the attempts against revenue', '按渠道对比请求成本与收入')))
      .option('--mine', say(both('only own figures', '仅本人用量')))
      .option('--top <n>', say(both('rows at most (30)', '最多行数（30）')))
      .option('--all', say(both('every row', '全部'))),
    runtime,
    {
      summary: both('Sum requests, tokens and money', '汇总请求、token 与金额'),
      examples: ['usage report --by user,day --since 30d -o csv', 'usage report --by channel --cost --since 7d'],
      prints: (context, flags) => reportView(context, flags, 0),
      rows: 'usageReports.report',
      orders: [],
      calls: ['usageReports.report', 'usageReports.reportOwn', 'account.credential'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const asked = await question(context, flags);
      const withCost = flags.cost === true;
      const isOperator = await seesAll(context, flags);
      if (withCost) checkCost(keysOf(flags), isOperator);
      const { items, totals } = isOperator
        ? await client.usageReports.report({ ...asked, username: textOf(flags.user), channel: textOf(flags.channel) })
        : await client.usageReports.reportOwn(asked);
      await context.printer.list<UsageRow>(items, reportView(context, flags, totals.quota));
      if (items.length >= Math.min(asked.top, mostRows)) context.note(context.say(leftOutText(items.length)));
      const { requests, failures, quota, cost = 0 } = totals;
      const money = await context.moneyText();
      const spent = withCost ? both(`, cost ${money(cost)}`, `，成本 ${money(cost)}`) : both('', '');
      context.note(
        context.say(
          both(
            '{requests} {requests:request|requests}, {failures} failed, {charged}{en}',
            '{requests} 次请求，{failures} 次失败，{charged}{zh}',
            { requests, failures, charged: money(quota), en: spent.en, zh: spent.zh },
          ),
        ),
      );
    },
  );
  registerSite(usage, runtime);
}

const siteFigures = [
  'requests',
  'failures',
  'quota',
  'active_users',
  'users',
  'new_users',
  'topped_up',
  'paid_orders',
] as const;

function siteView(context: CommandContext): View<SiteTotalsView> {
  const money = context.moneyCells();
  const isMoney = (figure: string) => figure === 'quota' || figure === 'topped_up';
  return {
    columns: siteFigures.map((figure) => ({
      heading: figure.toUpperCase().replace('_', ' '),
      unit: isMoney(figure) ? 'money' : undefined,
      value: (row) => (isMoney(figure) ? money(row[figure]) : row[figure]),
      align: 'right',
    })),
    id: (row) => row.quota,
  };
}

function registerSite(usage: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    usage
      .command('site')
      .option('--since <time>', say(both('from this time on (24h)', '起始时间（24h）')))
      .option('--until <time>', say(both('until this time', '结束时间'))),
    runtime,
    {
      summary: both('Show what moved on the site as a whole', '查看站点整体数据'),
      examples: ['usage site --since 30d'],
      prints: siteView,
      rows: 'usageReports.site',
      calls: ['usageReports.site'],
    },
    async (context, _args, flags) => {
      const totals = await (await context.client()).usageReports.site(await closedSpanOf(context, flags));
      await context.printer.one(totals, siteView(context));
    },
  );
}

function share(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.round((part / whole) * 100)}%`;
}
