/** `channel`: upstream accounts. This file shows them; what changes, tests and moves them stands beside it. */
import type { Command } from 'commander';
import type { ChannelType } from '../../daemon/contract/channel-types.ts';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { disabledFor } from '../../daemon/contract/status-reason.ts';
import { type Flags, group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { expectAmong, textOf, wordFlag } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import { nothingByName } from '../output/choices.ts';
import type { View } from '../output/columns.ts';
import { cut, cutNote, limitOf, told, walk, withLimit } from '../paging.ts';
import { rowFields } from '../row-fields.ts';
import { channelStatus, channelView } from '../views.ts';
import { registerChannelBalance } from './channel-balance.ts';
import { registerChannelExplain } from './channel-explain.ts';
import { createCommandOf } from './channel-fields.ts';
import { registerChannelKeys } from './channel-key.ts';
import { registerChannelLatency } from './channel-latency.ts';
import { registerChannelModels } from './channel-models.ts';
import { registerChannelOverride } from './channel-override.ts';
import { channelStates, channelTypeOf, findCalls, findChannel } from './channel-reference.ts';
import { registerChannelTags, tagRows, tagView } from './channel-tag.ts';
import { registerChannelTest } from './channel-test.ts';
import { registerChannelTransfer } from './channel-transfer.ts';
import { registerChannelWrites } from './channel-write.ts';

async function filterOf(flags: Flags) {
  const status = textOf(flags.status);
  expectAmong(status, channelStates, '--status');
  const wish = textOf(flags.type);
  const type = wish === undefined ? undefined : await channelTypeOf(wish);
  return { status, type, tag: textOf(flags.tag), group: textOf(flags.group) };
}

type Filter = Awaited<ReturnType<typeof filterOf>>;

/** What the server's own filters leave over. */
function passes(row: ChannelView, { status, type, tag }: Filter): boolean {
  if (status !== undefined && channelStatus(row) !== status) return false;
  return (type === undefined || row.type === type) && (tag === undefined || row.tag === tag);
}

async function* channelRows(context: CommandContext, flags: Flags, filter: Filter): AsyncGenerator<ChannelView> {
  const client = await context.client();
  const id_sort = flags.sort === 'id' || flags.sort === 'id:desc';
  if (flags.search !== undefined || flags.model !== undefined) {
    const wish = { keyword: textOf(flags.search), group: filter.group, model: textOf(flags.model), id_sort };
    const { items } = await client.channels.search(wish);
    const fitting = items.filter((row) => passes(row, filter));
    yield* cut(fitting, limitOf(flags), cutNote(context));
    return;
  }
  const { group, type, tag } = filter;
  // One that cools is enabled.
  const asked = (['enabled', 'disabled', 'auto'] as const).find((known) => known === filter.status);
  const status = filter.status === 'cooling' ? 'enabled' : asked;
  const rows = walk({
    page: (page, page_size) => client.channels.list({ status, type, group, tag, id_sort, page, page_size }),
    keyOf: (row) => row.id,
    // A status that the server cannot tell apart is looked for in all rows.
    limit: filter.status === undefined ? limitOf(flags) : undefined,
    ...told(context, 'channel export'),
  });
  let left = limitOf(flags) ?? Number.POSITIVE_INFINITY;
  for await (const row of rows) {
    if (!passes(row, filter)) continue;
    if (left === 0) return;
    left -= 1;
    yield row;
  }
}

/** A channel with its keys, and what it cost and earned in the last 24 hours, in quota. */
type ChannelDetail = ChannelView & { keys: readonly unknown[]; cost_24h: number; revenue_24h: number };

async function detailOf(context: CommandContext, row: ChannelView): Promise<ChannelDetail> {
  const client = await context.client();
  const [keys, totals] = await Promise.all([
    client.channels.keys({ id: row.id }),
    client.usageReports.ofChannel({ id: row.id }),
  ]);
  return { ...row, keys, cost_24h: totals.cost ?? 0, revenue_24h: totals.quota };
}

/** What is known about a channel's keys and money, and why it is off. */
async function detailView(context: CommandContext): Promise<View<ChannelDetail>> {
  const view = await channelView(context);
  const money = context.moneyCells();
  return {
    ...view,
    fields: [...rowFields('channels.list'), 'keys', 'cost_24h', 'revenue_24h'],
    columns: [
      ...view.columns,
      { heading: 'BASE_URL', value: (row) => row.base_url },
      { heading: 'KEYS', value: (row) => row.keys.length, align: 'right' },
      { heading: 'COST_24H', unit: 'money', value: (row) => money(row.cost_24h), align: 'right' },
      { heading: 'REVENUE_24H', unit: 'money', value: (row) => money(row.revenue_24h), align: 'right' },
      { heading: 'COOLING', value: (row) => (row.cooling > 0 ? `${row.cooling} s` : ''), align: 'right' },
      { heading: 'REASON', value: (row) => disabledFor(row.other_info, context.language) },
    ],
  };
}

/** A type with the formats in which its vendor is asked to chat. */
type ListedType = ChannelType & { readonly formats: readonly string[] };

const typeView = ({ language }: CommandContext): View<ListedType> => ({
  columns: [
    { heading: 'TYPE', value: (row) => row.type, align: 'right' },
    { heading: 'NAME', value: (row) => row.name },
    { heading: 'LABEL', value: (row) => row.label[language] },
    { heading: 'KEY', value: (row) => row.keyFormat ?? '' },
    { heading: 'FORMAT', value: (row) => row.formats.join(',') },
  ],
  fields: ['type', 'name', 'label', 'keyForm', 'keyFormat', 'keyOptional', 'other', 'defaultOther', 'formats'],
  id: (row) => row.name,
});

export function registerChannelCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const channel = group(program, runtime, 'channel', both('Upstream channels', '上游渠道'));

  leaf(
    withLimit(
      channel
        .command('list')
        .alias('ls')
        .option(
          '--search <text>',
          say(both('part of name or address, an id, or a key', '名称或地址中的文字、编号或密钥')),
        )
        .option('--group <group>', say(both('in this group', '指定分组')))
        .option('--model <model>', say(both('offering this model', '提供该模型')))
        .option('--type <type>', say(both('name or number of the type', '类型名称或编号')))
        .option('--tag <tag>', say(both('with this tag', '指定标签')))
        .addOption(wordFlag('--status <status>', say(both('in this state', '指定状态')), channelStates))
        .option('--by-tag', say(both('one row a tag', '按标签汇总')))
        .option(
          '--sort <field>',
          say(
            both(
              'id or priority, the highest first (priority); any other JSON field, or field:desc, for the whole list',
              'id 或 priority，从大到小（priority）；也可按其他 JSON 字段对完整列表排序，field:desc 为降序',
            ),
          ),
        ),
      say,
    ),
    runtime,
    {
      summary: both('List channels', '列出渠道'),
      examples: ['channel list --status auto -q', 'channel list --by-tag'],
      prints: (context, flags) => (flags.byTag === true ? tagView(context) : channelView(context)),
      rows: 'channels.list',
      orders: ['id', 'id:desc', 'priority', 'priority:desc'],
      calls: findCalls,
    },
    async (context, _args, flags) => {
      const filter = await filterOf(flags);
      if (flags.byTag !== true)
        return context.printer.list(channelRows(context, flags, filter), await channelView(context));
      const rows: ChannelView[] = [];
      for await (const row of channelRows(context, { ...flags, all: true }, filter)) rows.push(row);
      return context.printer.list(tagRows(rows), tagView(context));
    },
  );

  leaf(
    channel
      .command('get')
      .alias('show')
      .argument('<channel>')
      .option('--as-create', say(both('as the command that would make it', '输出可重建该渠道的命令'))),
    runtime,
    {
      summary: both('Show one channel, its keys by their ends alone', '查看渠道，密钥仅显示尾号'),
      examples: ['channel get openai-main -o yaml', 'channel get openai-main --as-create'],
      prints: (context, flags) => (flags.asCreate === true ? nothingByName : detailView(context)),
      calls: ['channels.keys', 'usageReports.ofChannel', ...findCalls],
    },
    async (context, [reference], flags) => {
      const row = await findChannel(context, String(reference));
      if (flags.asCreate === true) return context.printer.text(`${await createCommandOf(row)}\n`);
      return context.printer.one(await detailOf(context, row), await detailView(context));
    },
  );

  leaf(
    channel.command('types'),
    runtime,
    {
      summary: both('List the channel types', '列出渠道类型'),
      examples: ['channel types'],
      prints: typeView,
      orders: [],
    },
    async (context) => {
      const { channelTypes } = await import('../../daemon/contract/channel-types.ts');
      const { chatFormats } = await import('../../daemon/contract/channel-formats.ts');
      const offered = channelTypes.filter((entry) => entry.retired !== true);
      await context.printer.list(
        offered.map((entry) => ({ ...entry, formats: chatFormats[entry.type] ?? [] })),
        typeView(context),
      );
    },
  );

  registerChannelWrites(channel, runtime);
  registerChannelTest(channel, runtime);
  registerChannelExplain(channel, runtime);
  registerChannelOverride(channel, runtime);
  registerChannelLatency(channel, runtime);
  registerChannelModels(channel, runtime);
  registerChannelBalance(channel, runtime);
  registerChannelKeys(channel, runtime);
  registerChannelTags(channel, runtime);
  registerChannelTransfer(channel, runtime);
}
