/** `redemption`: codes, in batches first; a CI job creates them once however often it runs. */
import type { Command } from 'commander';
import type { RedemptionBatchView } from '../../daemon/contract/redemptions.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { collect, expectAmong, expectChange, textOf, wordFlag } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { unsetFields, unsetText } from '../unset.ts';
import { maskKey } from '../views.ts';
import { registerRedemptionCreate } from './redemption-create.ts';
import { registerRedemptionExport } from './redemption-export.ts';
import {
  batchView,
  blankCodeFields,
  type CodeRow,
  codeView,
  fields,
  find,
  findCalls,
  statusNumbers,
  withCodeFlags,
} from './redemption-rows.ts';
import { registerRedemptionSwitches } from './redemption-switches.ts';

export function registerRedemptionCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const redemption = group(program, runtime, 'redemption', both('Redemption codes', '兑换码'));
  registerRedemptionCreate(redemption, runtime);

  leaf(
    withLimit(
      redemption
        .command('list')
        .alias('ls')
        .option('--search <text>', say(both('id, start of the name, or whole code', '编号、名称开头或完整兑换码')))
        .option('--name <name>', say(both('exactly this name', '完整名称')))
        .addOption(wordFlag('--status <status>', say(both('in this state', '指定状态')), Object.keys(statusNumbers)))
        .option('--gift', say(both('gift codes alone', '仅礼品码')))
        .option('--reveal', say(both('show whole codes', '显示完整兑换码'))),
      say,
    ),
    runtime,
    {
      summary: both('List codes', '列出兑换码'),
      examples: ['redemption list --name spring --status unused'],
      prints: codeView,
      rows: 'redemptions.list',
      orders: [],
      calls: ['redemptions.list', 'redemptions.search'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const status = textOf(flags.status);
      expectAmong(status, Object.keys(statusNumbers), '--status');
      const filter = {
        keyword: textOf(flags.search),
        name: textOf(flags.name),
        status: statusNumbers[status ?? ''],
        is_gift: flags.gift === true ? true : undefined,
      };
      const rows = walk<CodeRow>({
        page: (page, page_size) =>
          filter.keyword === undefined
            ? client.redemptions.list({ ...filter, page, page_size })
            : client.redemptions.search({ ...filter, page, page_size }),
        keyOf: (row) => row.id,
        limit: limitOf(flags),
        ...told(context, 'redemption export'),
      });
      async function* shown() {
        for await (const row of rows) yield flags.reveal === true ? row : { ...row, key: maskKey(row.key) };
      }
      await context.printer.list(shown(), codeView(context));
    },
  );

  leaf(
    redemption
      .command('get')
      .alias('show')
      .argument('<code>')
      .option('--reveal', say(both('show the whole code', '显示完整兑换码'))),
    runtime,
    {
      summary: both('Show one code', '查看兑换码'),
      examples: ['redemption get 12'],
      prints: codeView,
      rows: 'redemptions.get',
      calls: [...findCalls],
    },
    async (context, [reference], flags) => {
      const row = await find(context, String(reference));
      await context.printer.one(flags.reveal === true ? row : { ...row, key: maskKey(row.key) }, codeView(context));
    },
  );

  leaf(
    withLimit(redemption.command('batches').option('--search <text>', say(both('start of the name', '名称开头'))), say),
    runtime,
    {
      summary: both('Count codes by their name', '按名称汇总兑换码'),
      examples: ['redemption batches --search spring'],
      prints: batchView,
      rows: 'redemptions.batches',
      orders: [],
      calls: ['redemptions.batches'],
    },
    async (context, _args, flags) => {
      const { redemptions } = await context.client();
      const keyword = textOf(flags.search);
      const rows = walk<RedemptionBatchView>({
        page: (page, page_size) => redemptions.batches({ keyword, page, page_size }),
        keyOf: (row) => row.name,
        limit: limitOf(flags),
        ...told(context),
      });
      await context.printer.list(rows, batchView(context));
    },
  );

  registerRedemptionExport(redemption, runtime);

  leaf(
    withCodeFlags(
      redemption
        .command('edit')
        .argument('<code>')
        .option('--name <name>', say(both('new name', '新名称')))
        .option('--unset <fields>', say(unsetText), collect),
      say,
      'edit',
    ),
    runtime,
    {
      summary: both('Change an unused code', '修改未使用的兑换码'),
      examples: ['redemption edit 12 --valid-until 2027-01-01', 'redemption edit 12 --unset valid-until'],
      prints: codeView,
      rows: 'redemptions.get',
      calls: ['redemptions.update', ...findCalls],
    },
    async (context, [reference], flags) => {
      const client = await context.client();
      const given = { ...unsetFields(flags.unset, blankCodeFields), ...(await fields(context, flags)) };
      expectChange(given);
      const row = await find(context, String(reference));
      const updated = await client.redemptions.update({ id: row.id, ...given });
      context.done(both(`code ${updated.id} is changed`, `已修改兑换码 ${updated.id}`));
      await context.printer.one({ ...updated, key: maskKey(updated.key) }, codeView(context));
    },
  );

  registerRedemptionSwitches(redemption, runtime);
}
