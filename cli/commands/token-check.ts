/** `token check`: what any relay key has used and may use, by the key itself. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { tokenCalls } from '../own-tokens.ts';
import { relayKeyOf } from '../relay-key.ts';
import { logView } from '../views.ts';

interface CheckRow {
  name: string;
  total_granted: number;
  total_used: number;
  total_available: number;
  unlimited_quota: boolean;
  expires_at: number;
}

function checkView(context: CommandContext): View<CheckRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'NAME', value: (row) => row.name, priority: 1 },
      { heading: 'GRANTED', unit: 'money', value: (row) => money(row.total_granted), align: 'right', priority: 4 },
      { heading: 'USED', unit: 'money', value: (row) => money(row.total_used), align: 'right', priority: 3 },
      {
        heading: 'LEFT',
        unit: 'money',
        value: (row) => (row.unlimited_quota ? 'unlimited' : money(row.total_available)),
        align: 'right',
        priority: 2,
      },
      {
        heading: 'EXPIRES',
        unit: 'time',
        value: (row) => (row.expires_at === 0 ? 'never' : context.timeText(row.expires_at)),
        priority: 5,
      },
    ],
    fields: ['name', 'total_granted', 'total_used', 'total_available', 'unlimited_quota', 'expires_at'],
    id: (row) => row.total_available,
  };
}

export function registerTokenCheck(token: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    token
      .command('check')
      .argument('[source]')
      .option('--token <token>', say(both('an own token by id or name', '本人的令牌（编号或名称）')))
      .option('--log', say(both('list its last calls', '列出最近调用'))),
    runtime,
    {
      summary: both(
        'Show what a relay key has used; - reads it from standard input',
        '查询令牌用量；- 表示从标准输入读取',
      ),
      examples: ['token check - < key', 'token check --token laptop --log'],
      prints: (context, flags) => (flags.log === true ? logView(context) : checkView(context)),
      rows: 'logs.listByKey',
      calls: ['billing.keyUsage', 'logs.listByKey', 'tokens.revealKey', ...tokenCalls],
    },
    async (context, [source], flags) => {
      const key = await relayKeyOf(context, {
        source: source === '' ? undefined : String(source),
        own: textOf(flags.token),
      });
      const { url } = await context.target();
      const client = await context.clientFor(url, key);
      if (flags.log === true) {
        return context.printer.list((await client.logs.listByKey({})).items, logView(context));
      }
      const { data } = await client.billing.keyUsage();
      const { name, total_granted, total_used, total_available, unlimited_quota, expires_at } = data;
      const row = { name, total_granted, total_used, total_available, unlimited_quota, expires_at };
      await context.printer.one(row, checkView(context));
    },
  );
}
