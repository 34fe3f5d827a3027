/** `usage`: what was spent, from the hourly figures. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { both } from '../language.ts';
import { limitOf } from '../paging.ts';
import { seesAll } from './log-filters.ts';

interface Hour {
  readonly model_name: string;
  /** Unix seconds. */
  readonly created_at: number;
  readonly token_used: number;
  readonly count: number;
  readonly quota: number;
}

interface UsageRow {
  readonly key: string;
  count: number;
  token_used: number;
  quota: number;
}

/** Where an hour of a model belongs; days and weeks (from Monday) are those of UTC. */
const keys: Readonly<Record<string, (hour: Hour) => string>> = {
  model: (hour) => hour.model_name,
  hour: (hour) => new Date(hour.created_at * 1000).toISOString().replace(':00.000Z', 'Z'),
  day: (hour) => dayText(hour.created_at),
  // The first day of 1970 was a Thursday.
  week: (hour) => dayText(hour.created_at - ((Math.floor(hour.created_at / 86_400) + 3) % 7) * 86_400),
};

function dayText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

function keyOf(by: string): (hour: Hour) => string {
  const parts = by.split(',').map((name) => {
    const known = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (known === undefined) {
      throw usageError(
        both(`cannot sum by ${name}; there are ${Object.keys(keys).join(', ')}`, `不能按 ${name} 汇总`),
        {
          field: '--by',
        },
      );
    }
    return known;
  });
  return (hour) => parts.map((part) => part(hour)).join(' ');
}

/** Sums under their keys: by time when they begin with a time, else the largest first. */
function sumsOf(hours: readonly Hour[], by: string): UsageRow[] {
  const key = keyOf(by);
  const rows = new Map<string, UsageRow>();
  for (const hour of hours) {
    const name = key(hour);
    const row = rows.get(name) ?? { key: name, count: 0, token_used: 0, quota: 0 };
    row.count += hour.count;
    row.token_used += hour.token_used;
    row.quota += hour.quota;
    rows.set(name, row);
  }
  const isByModel = by.startsWith('model');
  return [...rows.values()].sort((left, right) =>
    isByModel ? right.quota - left.quota : left.key < right.key ? -1 : 1,
  );
}

async function hoursOf(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<readonly Hour[]> {
  const client = await context.client();
  const since = typeof flags.since === 'string' ? flags.since : '24h';
  const span = {
    start_timestamp: await context.instant(since, 'past', '--since'),
    end_timestamp:
      typeof flags.until === 'string'
        ? await context.instant(flags.until, 'past', '--until')
        : Math.floor(Date.now() / 1000),
  };
  const username = typeof flags.user === 'string' ? flags.user : undefined;
  const answer = (await seesAll(context, flags))
    ? await client.usageData.list({ ...span, username })
    : await client.usageData.listOwn(span);
  return answer.items;
}

export function registerUsageCommands(program: Command, runtime: Runtime): void {
  const say = (pair: { en: string; zh: string }) => pair[runtime.language];
  const usage = group(program, runtime, 'usage', both('What was spent', '用量'));
  leaf(
    usage
      .command('report')
      .option(
        '--by <keys>',
        say(both('model, hour, day, week, or two of them (model)', '按 model、hour、day、week（可组合）')),
      )
      .option('--since <time>', say(both('from this time on (24h)', '起始时间（24h）')))
      .option('--until <time>', say(both('until this time', '结束时间')))
      .option('--user <name>', say(both('of this user', '指定用户')))
      .option('--mine', say(both('only own figures', '仅本人用量')))
      .option('--limit <n>', say(both('rows at most (30)', '最多行数（30）')))
      .option('--all', say(both('every row', '全部'))),
    runtime,
    {
      summary: both('Sum requests, tokens and money', '汇总请求、token 与金额'),
      examples: ['usage report --by day,model --since 30d -o csv'],
      calls: ['usageData.list', 'usageData.listOwn', 'account.get'],
    },
    async (context, _args, flags) => {
      const rows = sumsOf(await hoursOf(context, flags), String(flags.by ?? 'model'));
      const money = await context.moneyText();
      const total = rows.reduce((sum, row) => sum + row.quota, 0);
      const requests = rows.reduce((sum, row) => sum + row.count, 0);
      await context.printer.list(rows.slice(0, limitOf(flags)), {
        columns: [
          { heading: 'KEY', value: (row) => row.key, priority: 1 },
          { heading: 'REQUESTS', value: (row) => row.count, align: 'right' },
          { heading: 'TOKENS', value: (row) => row.token_used, align: 'right' },
          { heading: '$', value: (row) => money(row.quota), align: 'right' },
          {
            heading: 'SHARE',
            value: (row) => `${total === 0 ? 0 : Math.round((row.quota / total) * 100)}%`,
            align: 'right',
          },
        ],
        fields: ['key', 'count', 'token_used', 'quota'],
        id: (row) => row.key,
      });
      context.note(context.say(both(`${requests} requests, ${money(total)}`, `${requests} 次请求，${money(total)}`)));
    },
  );
}
