/** `redemption export` and `redemption uses`: whole codes as a file, and who used a gift. */

import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { chosenBy } from '../empty-words.ts';
import { expectAmong, textOf, wordFlag } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { printFile, wantedFormat } from '../server-file.ts';
import { find, findCalls, statusNumbers } from './redemption-rows.ts';

const formats = ['text', 'csv', 'json', 'ndjson'] as const;

interface UseRow {
  user_id: number;
  username: string;
  used_time: number;
  quota: number;
}

const usesView = (context: CommandContext): View<UseRow> => {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'USER', value: (row) => row.username || row.user_id, priority: 1 },
      { heading: 'CREDITED', unit: 'money', value: (row) => money(row.quota), align: 'right', priority: 2 },
      { heading: 'AT', unit: 'time', value: (row) => context.agoText(row.used_time), priority: 2 },
    ],
    id: (row) => row.user_id,
  };
};

export function registerRedemptionExport(redemption: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    redemption
      .command('export')
      .option('--search <text>', say(both('id, start of the name, or whole code', '编号、名称开头或完整兑换码')))
      .option('--name <name>', say(both('exactly this name', '完整名称')))
      .addOption(wordFlag('--status <status>', say(both('in this state', '指定状态')), Object.keys(statusNumbers)))
      .option('--gift', say(both('gift codes alone', '仅礼品码')))
      .addOption(wordFlag('--format <format>', say(both('form of the file', '文件格式')), formats)),
    runtime,
    {
      summary: both('Export whole codes, streamed', '导出完整兑换码'),
      examples: ['redemption export --name spring --format csv --out spring.csv'],
      prints: 'text',
      calls: ['redemptions.export'],
    },
    async (context, _args, flags) => {
      const status = textOf(flags.status);
      const ending = textOf(flags.out)?.split('.').at(-1);
      const format = wantedFormat(flags, formats) ?? formats.find((known) => known === ending);
      expectAmong(status, Object.keys(statusNumbers), '--status');
      const answer = await (await context.client()).redemptions.export({
        keyword: textOf(flags.search),
        name: chosenBy(flags.name, '--name'),
        status: statusNumbers[status ?? ''],
        is_gift: flags.gift === true ? true : undefined,
        format: format ?? 'text',
      });
      await printFile(context, answer);
    },
  );

  leaf(
    withLimit(redemption.command('uses').argument('<code>'), say),
    runtime,
    {
      summary: both('List who used a gift code', '查看礼品码的使用记录'),
      examples: ['redemption uses 12'],
      prints: usesView,
      rows: 'redemptions.uses',
      orders: [],
      calls: ['redemptions.uses', ...findCalls],
    },
    async (context, [reference], flags) => {
      const client = await context.client();
      const { id } = await find(context, String(reference));
      const rows = walk<UseRow>({
        page: (page, page_size) => client.redemptions.uses({ id, page, page_size }),
        keyOf: (row) => row.user_id,
        limit: limitOf(flags),
        ...told(context),
      });
      await context.printer.list(rows, usesView(context));
    },
  );
}
