/** `model`: which models there are, whether they are offered and what they cost. */
import type { Command } from 'commander';
import type { PriceEntryView } from '../../daemon/contract/prices.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { cut, cutNote, limitOf, told, walk, withLimit } from '../paging.ts';
import { findCalls, findChannel } from './channel-reference.ts';
import { inputPrice, rounded } from './price-input.ts';

const kinds = { 0: 'token', 1: 'call' } as const;

/** Completion entries may come from the rules of the site; only own ones are shown. */
const modelView: View<PriceEntryView> = {
  columns: [
    { heading: 'MODEL', value: (row) => row.model_name, priority: 1 },
    { heading: 'CHANNELS', value: (row) => row.channels, align: 'right', priority: 2 },
    { heading: 'GROUPS', value: (row) => row.groups.join(','), priority: 4 },
    {
      heading: 'KIND',
      unit: 'word',
      value: (row) => (row.quota_type === null ? 'unpriced' : kinds[row.quota_type]),
      priority: 2,
    },
    {
      heading: 'IN/M',
      unit: 'dollars',
      value: (row) => (row.model_ratio === null ? '' : rounded(inputPrice(row.model_ratio))),
      align: 'right',
      priority: 3,
    },
    {
      heading: 'OUT/M',
      unit: 'dollars',
      value: ({ model_ratio: ratio, completion_ratio: completion }) =>
        ratio === null || completion === null ? '' : rounded(inputPrice(ratio) * completion),
      align: 'right',
      priority: 3,
    },
    {
      heading: 'PER CALL',
      unit: 'dollars',
      value: (row) => (row.model_price === null ? '' : rounded(row.model_price)),
      align: 'right',
      priority: 4,
    },
  ],
  id: (row) => row.model_name,
};

const builtInView: View<{ id: string; owned_by: string }> = {
  columns: [
    { heading: 'MODEL', value: (row) => row.id, priority: 1 },
    { heading: 'OWNER', value: (row) => row.owned_by, priority: 2 },
  ],
  fields: ['id', 'owned_by'],
  id: (row) => row.id,
};

export function registerModelCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const model = group(program, runtime, 'model', both('Models of the site', '站点的模型'));
  leaf(
    withLimit(
      model
        .command('list')
        .alias('ls')
        .option('--search <text>', say(both('part of the name', '名称的一部分')))
        .option('--enabled', say(both('only those that an enabled channel offers', '仅启用渠道提供的模型')))
        .option('--unpriced', say(both('only offered models without a price', '仅已提供但未定价的模型')))
        .option('--channel <channel>', say(both('only those of this channel', '仅该渠道的模型')))
        .option('--builtin', say(both('the names this program knows', '程序内置的模型名'))),
      say,
    ),
    runtime,
    {
      summary: both('List models with their prices', '列出模型及价格'),
      examples: ['model list --enabled --all', 'model list --unpriced -q', 'model list --channel openai-main'],
      prints: (_context, flags) => (flags.builtin === true ? builtInView : modelView),
      rows: 'prices.list',
      orders: [],
      calls: ['prices.list', 'channels.builtInModels', ...findCalls],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const keyword = textOf(flags.search);
      const limit = limitOf(flags);
      const named = textOf(flags.channel);
      if (flags.builtin === true) {
        if (named !== undefined) {
          throw usageError(both('--channel does not go with --builtin', '--channel 不能与 --builtin 同用'), {
            field: '--channel',
          });
        }
        const known = await client.channels.builtInModels();
        const all = known.flatMap(({ id, owned_by }) => (id.includes(keyword ?? '') ? [{ id, owned_by }] : []));
        return context.printer.list(cut(all, limit, cutNote(context)), builtInView);
      }
      const channel = named === undefined ? undefined : (await findChannel(context, named)).id;
      const rows = walk<PriceEntryView>({
        page: (page, page_size) =>
          client.prices.list({
            keyword,
            enabled: flags.enabled === true,
            unset: flags.unpriced === true,
            channel,
            page,
            page_size,
          }),
        keyOf: (row) => row.model_name,
        limit,
        ...told(context),
      });
      await context.printer.list(rows, modelView);
    },
  );
}
