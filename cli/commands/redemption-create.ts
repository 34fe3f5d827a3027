/** `redemption create`: one call for a whole batch, safe to repeat. */
import type { Command } from 'commander';
import { mostCodes } from '../../daemon/contract/redemption-limits.ts';
import { leaf, type Runtime } from '../command.ts';
import { confirm, confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { fields, newCodeView, withCodeFlags } from './redemption-rows.ts';

/** More than this asks for the count. */
const manyCodes = 1000;
const manyDollars = 1000;

/** Large batches ask for the count; scripts say it with `--confirm`. */
async function confirmBatch(context: CommandContext, count: number, quota: number): Promise<void> {
  const { quotaPerUnit } = await context.site();
  const dollars = (count * quota) / quotaPerUnit;
  const question = both('{count} {count:code|codes} worth {worth} in all', '共 {count} 个兑换码，合计 {worth}', {
    count,
    worth: `$${dollars}`,
  });
  if (count > manyCodes) await confirmSevere(context, question, String(count));
  else if (dollars > manyDollars) {
    if (context.flags.confirm !== String(count)) await confirm(context, question);
  }
}

interface PreviewRow {
  count: number;
  total: number;
  /** Codes that carry the name already. */
  existing: number;
}

function previewView(context: CommandContext): View<PreviewRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'COUNT', value: (row) => row.count, align: 'right' },
      { heading: 'TOTAL', unit: 'money', value: (row) => money(row.total), align: 'right' },
      { heading: 'EXISTING', value: (row) => row.existing, align: 'right' },
    ],
    fields: ['count', 'total', 'existing'],
    id: (row) => row.count,
  };
}

/** Says what a batch would be; nothing is made. */
async function preview(
  context: CommandContext,
  { name, count, quota }: { name: string; count: number; quota: number },
): Promise<void> {
  const existing = await (await context.client()).redemptions.countByName({ name });
  await context.printer.one({ count, total: count * quota, existing }, previewView(context));
}

export function registerRedemptionCreate(redemption: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    withCodeFlags(
      redemption
        .command('create')
        .alias('add')
        .requiredOption('--name <name>', say(both('1-20 characters', '名称，1-20 个字符')))
        .option('--count <n>', say(both('how many, up to 10,000 (1)', '数量，最多 10,000（1）')))
        .option('--gift', say(both('usable by several users, once each', '可供多个用户各使用一次')))
        .option('--key <text>', say(both('one code with this text', '自定义兑换码')))
        .option(
          '--confirm <count>',
          say(
            both(
              `the count again, where it is above ${manyCodes} or all are worth more than ${manyDollars}usd`,
              `再次输入数量，用于超过 ${manyCodes} 个或总额超过 ${manyDollars}usd 的批次`,
            ),
          ),
        )
        .option('--dry-run', say(both('only say what would be made', '仅显示将创建的内容'))),
      say,
      'create',
    ),
    runtime,
    {
      summary: both(
        'Create codes, all or none; one code a line on standard output',
        '批量创建兑换码（全部成功或全部不创建），每行一个',
      ),
      examples: ['redemption create --name spring --count 500 --quota 2usd --out codes.csv --yes'],
      prints: (context, flags) => (flags.dryRun === true ? previewView(context) : newCodeView),
      calls: ['redemptions.create', 'redemptions.countByName', 'status.get'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const described = await fields(context, flags);
      if (described.quota === undefined)
        throw usageError(both('--quota is needed', '需要 --quota'), { field: '--quota' });
      const count = flags.count === undefined ? 1 : Number(flags.count);
      // Before anybody is asked to confirm a number that the server refuses.
      if (!Number.isSafeInteger(count) || count < 1 || count > mostCodes)
        throw usageError(
          both(`--count takes a whole number from 1 to ${mostCodes}`, `--count 须为 1 到 ${mostCodes} 的整数`),
          { field: '--count' },
        );
      const custom = textOf(flags.key);
      if (flags.dryRun === true) return preview(context, { name: described.name ?? '', count, quota: described.quota });
      await confirmBatch(context, custom === undefined ? count : 1, described.quota);
      const input = {
        ...described,
        count,
        is_gift: flags.gift === true,
        ...(custom === undefined ? {} : { key: await context.secret(custom, '--key') }),
      };
      const onReplayed = () =>
        context.note(
          context.say(both('these codes were made by an earlier call', '这些兑换码由之前的同一请求创建，未重复创建')),
        );
      const codes = await client.redemptions.create(input, { onReplayed });
      context.done(
        both('{count} {count:code|codes} named {name}', '{count} 个兑换码，名称 {name}', {
          count: codes.length,
          name: input.name ?? '',
        }),
      );
      const rows = codes.map((key) => ({
        key,
        name: input.name ?? '',
        quota: input.quota ?? 0,
        is_gift: input.is_gift,
        max_uses: input.is_gift ? (input.max_uses ?? -1) : -1,
        valid_from: input.valid_from ?? 0,
        valid_until: input.valid_until ?? 0,
      }));
      // Codes alone, one a line, whether or not this is a terminal; csv and json carry the rest.
      const { format } = context.printer;
      if (format === 'table' || format === 'tsv')
        await context.printer.text(rows.map((row) => `${row.key}\n`).join(''));
      else await context.printer.list(rows, newCodeView);
    },
  );
}
