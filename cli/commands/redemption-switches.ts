/** `redemption enable|disable|delete|count|delete-by-name|delete-disabled`: codes one by one, by name, or by state. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { confirm, confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { chosenBy } from '../empty-words.ts';
import { usageError } from '../errors.ts';
import { forEachItem } from '../items.ts';
import { both, sayIn } from '../language.ts';
import { nothingByName } from '../output/choices.ts';
import type { View } from '../output/columns.ts';
import { walk } from '../paging.ts';
import { referencesOf } from '../references.ts';
import { find, findCalls, noCodeNamed, statusNumbers } from './redemption-rows.ts';

const countView: View<{ count: number }> = {
  columns: [{ heading: 'COUNT', value: (row) => row.count, align: 'right' }],
  fields: ['count'],
  id: (row) => row.count,
};

/** Ids that one call takes. */
const mostIds = 10_000;

/** Disables every unused code of a name; returns how many. Throws exit 6 where no code has the name. */
async function disableByName(context: CommandContext, name: string): Promise<number> {
  const { redemptions } = await context.client();
  const ids: number[] = [];
  const rows = walk({
    page: (page, page_size) => redemptions.list({ name, status: statusNumbers.unused, page, page_size }),
    keyOf: (row) => row.id,
    limit: undefined,
    progress: () => context.startProgress('items'),
  });
  for await (const { id } of rows) ids.push(id);
  if (ids.length === 0) {
    if ((await redemptions.countByName({ name })) === 0) throw noCodeNamed(name);
    return 0;
  }
  await confirm(
    context,
    both('Disable {count} {count:code|codes} named {name}?', '禁用名称为 {name} 的 {count} 个兑换码？', {
      count: ids.length,
      name,
    }),
  );
  let count = 0;
  for (let from = 0; from < ids.length; from += mostIds) {
    count += await redemptions.disableBatch({ ids: ids.slice(from, from + mostIds) });
  }
  return count;
}

export function registerRedemptionSwitches(redemption: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const told = async (context: CommandContext, count: number, verb: { en: string; zh: string }) => {
    context.done(
      both('{count} {count:code is|codes are} {en}', '已{zh} {count} 个兑换码', { count, en: verb.en, zh: verb.zh }),
    );
    await context.printer.one({ count }, countView);
  };
  const setStatus = async (context: CommandContext, references: readonly string[], status: 1 | 2) => {
    const { redemptions } = await context.client();
    await forEachItem(context, references, async (reference) => {
      const { id } = await find(context, reference);
      await redemptions.update({ id, status, status_only: 'true' });
      const verb = status === 1 ? both('enabled', '启用') : both('disabled', '禁用');
      context.done(both(`code ${id}: ${verb.en}`, `兑换码 ${id}：已${verb.zh}`));
    });
  };
  const calls = ['redemptions.update', ...findCalls];

  leaf(
    redemption.command('enable').argument('<code...>'),
    runtime,
    {
      summary: both('Make disabled codes usable again; - reads ids', '启用兑换码；- 从标准输入读取'),
      examples: ['redemption enable 12 13'],
      prints: 'nothing',
      calls,
    },
    async (context, [codes]) => setStatus(context, await referencesOf(context, codes), 1),
  );

  leaf(
    redemption
      .command('disable')
      .argument('[code...]')
      .option('--name <name>', say(both('every unused code of exactly this name', '指定名称的全部未使用兑换码'))),
    runtime,
    {
      summary: both('Make unused codes unusable; - reads ids', '禁用兑换码；- 从标准输入读取'),
      examples: ['redemption disable 12 13', 'redemption disable --name spring --yes'],
      prints: (_context, flags) => (flags.name === undefined ? nothingByName : countView),
      calls: [...calls, 'redemptions.countByName', 'redemptions.disableBatch'],
    },
    async (context, [codes], flags) => {
      const name = chosenBy(flags.name, '--name');
      if (name !== undefined) return told(context, await disableByName(context, name), both('disabled', '禁用'));
      const references = await referencesOf(context, codes);
      if (references.length === 0 && codes?.length === 0) {
        throw usageError(both('name codes, or --name', '请指定兑换码或 --name'), { field: 'CODE' });
      }
      await setStatus(context, references, 2);
    },
  );

  leaf(
    redemption.command('delete').alias('rm').argument('<code...>'),
    runtime,
    {
      summary: both('Delete codes; - reads ids', '删除兑换码；- 从标准输入读取'),
      examples: ['redemption delete 12 13 --yes'],
      prints: 'nothing',
      calls: ['redemptions.delete', ...findCalls],
    },
    async (context, [codes]) => {
      const { redemptions } = await context.client();
      const references = await referencesOf(context, codes);
      if (references.length === 0) return;
      await confirm(
        context,
        both('Delete {count} {count:code|codes}?', '删除 {count} 个兑换码？', { count: references.length }),
      );
      await forEachItem(context, references, async (reference) => {
        const { id } = await find(context, reference);
        await redemptions.delete({ id });
        context.done(both(`code ${id} is deleted`, `已删除兑换码 ${id}`));
      });
    },
  );

  leaf(
    redemption.command('count').requiredOption('--name <name>', say(both('exactly this name', '完整名称'))),
    runtime,
    {
      summary: both('Count codes of a name', '按名称统计兑换码'),
      examples: ['redemption count --name spring'],
      prints: () => countView,
      calls: ['redemptions.countByName'],
    },
    async (context, _args, flags) => {
      const count = await (await context.client()).redemptions.countByName({ name: String(flags.name) });
      await context.printer.one({ count }, countView);
    },
  );

  leaf(
    redemption
      .command('delete-by-name')
      .argument('<name>')
      .option('--confirm <name>', say(both('the name again', '再次输入名称'))),
    runtime,
    {
      summary: both('Delete every code of a name', '删除指定名称的全部兑换码'),
      examples: ['redemption delete-by-name spring --confirm spring'],
      prints: () => countView,
      calls: ['redemptions.countByName', 'redemptions.deleteByName'],
    },
    async (context, [words]) => {
      const name = String(words);
      const { redemptions } = await context.client();
      const count = await redemptions.countByName({ name });
      const question = both('Delete {count} {count:code|codes} named {name}', '删除名称为 {name} 的 {count} 个兑换码', {
        count,
        name,
      });
      await confirmSevere(context, question, name);
      await told(context, await redemptions.deleteByName({ name }), both('deleted', '删除'));
    },
  );

  leaf(
    redemption
      .command('delete-disabled')
      .option('--confirm <count>', say(both('how many there are, for scripts', '已禁用的数量（用于脚本）'))),
    runtime,
    {
      summary: both('Delete every disabled code', '删除全部已禁用的兑换码'),
      examples: ['redemption delete-disabled --confirm 12'],
      prints: () => countView,
      calls: ['redemptions.list', 'redemptions.deleteDisabled'],
    },
    async (context) => {
      const { redemptions } = await context.client();
      const { total } = await redemptions.list({ status: statusNumbers.disabled, page_size: 1 });
      const question = both('Delete {total} disabled {total:code|codes}', '删除 {total} 个已禁用的兑换码', { total });
      await confirmSevere(context, question, String(total));
      await told(context, await redemptions.deleteDisabled(), both('deleted', '删除'));
    },
  );
}
