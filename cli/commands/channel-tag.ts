/** `channel tag`: channels that belong together, changed together. */
import type { Command } from 'commander';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, listOf, textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { referencesOf } from '../references.ts';
import { allChannels, findCalls, findChannel } from './channel-reference.ts';

interface TagRow {
  tag: string;
  channels: number;
  /** Comma list of all groups of its channels. */
  groups: string;
  used_quota: number;
  /** Average of the channels that were tested; 0 = none was. */
  response_time: number;
  /** Null where its channels differ. */
  priority: number | null;
  weight: number | null;
}

/** One row a tag, by name; channels without a tag are left out. */
export function tagRows(channels: readonly ChannelView[]): TagRow[] {
  const tags = new Map<string, ChannelView[]>();
  for (const row of channels) {
    if (row.tag) tags.set(row.tag, [...(tags.get(row.tag) ?? []), row]);
  }
  return [...tags].sort(([a], [b]) => (a < b ? -1 : 1)).map(([tag, rows]) => tagRow(tag, rows));
}

function tagRow(tag: string, rows: readonly ChannelView[]): TagRow {
  const tested = rows.filter(({ response_time }) => response_time > 0);
  const common = (member: 'priority' | 'weight') => {
    const values = new Set(rows.map((row) => row[member]));
    return values.size === 1 ? (rows[0]?.[member] ?? null) : null;
  };
  const totalMs = tested.reduce((sum, { response_time }) => sum + response_time, 0);
  return {
    tag,
    channels: rows.length,
    groups: [...new Set(rows.flatMap((row) => row.group.split(',')))].join(','),
    used_quota: rows.reduce((sum, row) => sum + row.used_quota, 0),
    response_time: tested.length === 0 ? 0 : Math.round(totalMs / tested.length),
    priority: common('priority'),
    weight: common('weight'),
  };
}

export function tagView(context: CommandContext): View<TagRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'TAG', value: (row) => row.tag, priority: 1 },
      { heading: 'CHANNELS', value: (row) => row.channels, align: 'right', priority: 2 },
      { heading: 'GROUPS', value: (row) => row.groups, priority: 3 },
      { heading: 'USED', unit: 'money', value: (row) => money(row.used_quota), align: 'right', priority: 5 },
      { heading: 'MS', value: (row) => row.response_time || '', align: 'right', priority: 6 },
      { heading: 'PRI', unit: 'word', value: (row) => row.priority ?? 'mixed', align: 'right', priority: 4 },
      { heading: 'WT', unit: 'word', value: (row) => row.weight ?? 'mixed', align: 'right', priority: 4 },
    ],
    fields: ['tag', 'channels', 'groups', 'used_quota', 'response_time', 'priority', 'weight'],
    id: (row) => row.tag,
  };
}

/** Says how many channels changed; a tag that nobody carries is not found. */
function told(context: CommandContext, tag: string, count: number): void {
  if (count === 0)
    throw new CliError(
      'tag_not_found',
      exitCodes.notFound,
      both(`no channel has the tag ${tag}`, `没有标签为 ${tag} 的渠道`),
    );
  context.done(both('{count} {count:channel is|channels are} changed', '已更新 {count} 个渠道', { count }));
}

export function registerChannelTags(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const tag = group(channel, runtime, 'tag', both('Tags of channels', '渠道标签'));

  leaf(
    tag.command('list').alias('ls'),
    runtime,
    {
      summary: both('List tags', '列出标签'),
      examples: ['channel tag list'],
      prints: tagView,
      orders: [],
      calls: ['channels.list'],
    },
    async (context) => {
      const rows: ChannelView[] = [];
      for await (const row of allChannels(context)) rows.push(row);
      await context.printer.list(tagRows(rows), tagView(context));
    },
  );

  leaf(
    tag
      .command('edit')
      .argument('<tag>')
      .option('--rename <tag>', say(both('new name', '新名称')))
      .option('--priority <n>', say(both('for all its channels', '全部渠道的优先级')))
      .option('--weight <n>', say(both('for all its channels', '全部渠道的权重')))
      .option('--models <list>', say(both('comma list or @file', '逗号分隔或 @文件')), collect)
      .option('--groups <list>', say(both('comma list', '逗号分隔')), collect)
      .option('--mapping <json>', say(both('model mapping', '模型映射 JSON'))),
    runtime,
    {
      summary: both('Change all channels of a tag; only the flags given', '修改标签下的所有渠道'),
      examples: ['channel tag edit azure --weight 5'],
      prints: 'nothing',
      calls: ['channels.editTag'],
    },
    async (context, [name], flags) => {
      const models = await listOf(context, flags.models, '--models');
      const groups = await listOf(context, flags.groups, '--groups');
      const mapping = textOf(flags.mapping);
      const change = {
        new_tag: textOf(flags.rename),
        priority: textOf(flags.priority),
        weight: textOf(flags.weight),
        models: models.length === 0 ? undefined : models.join(','),
        groups: flags.groups === undefined ? undefined : groups.join(','),
        model_mapping: mapping === undefined ? undefined : await context.value(mapping, '--mapping'),
      };
      if (Object.values(change).every((value) => value === undefined))
        throw usageError(both('nothing to change', '没有任何修改'));
      if (change.new_tag === '')
        throw usageError(both('use channel tag dissolve', '请使用 channel tag dissolve'), { field: '--rename' });
      const count = await (await context.client()).channels.editTag({ tag: String(name), ...change });
      told(context, String(name), count);
    },
  );

  const switches = [
    {
      verb: 'enable',
      call: 'enableTag',
      summary: both('Take all channels of a tag into routing', '启用标签下的所有渠道'),
    },
    {
      verb: 'disable',
      call: 'disableTag',
      summary: both('Take all channels of a tag out of routing', '禁用标签下的所有渠道'),
    },
  ] as const;
  for (const { verb, call, summary } of switches) {
    leaf(
      tag.command(verb).argument('<tag>'),
      runtime,
      { summary, examples: [`channel tag ${verb} azure`], prints: 'nothing', calls: [`channels.${call}`] },
      async (context, [name]) => {
        if (verb === 'disable')
          await confirm(context, both(`Disable all channels of ${name}?`, `禁用标签 ${name} 下的所有渠道？`));
        const client = await context.client();
        told(context, String(name), await client.channels[call]({ tag: String(name) }));
      },
    );
  }

  leaf(
    tag.command('dissolve').argument('<tag>'),
    runtime,
    {
      summary: both('Take a tag off all its channels', '解散标签'),
      examples: ['channel tag dissolve azure --yes'],
      prints: 'nothing',
      calls: ['channels.editTag'],
    },
    async (context, [name]) => {
      await confirm(context, both(`Dissolve the tag ${name}?`, `解散标签 ${name}？`));
      const count = await (await context.client()).channels.editTag({ tag: String(name), new_tag: '' });
      told(context, String(name), count);
    },
  );

  leaf(
    tag.command('set').argument('<tag>').argument('<channel...>'),
    runtime,
    {
      summary: both('Give channels a tag', '为渠道设置标签'),
      examples: ['channel tag set azure 3 4'],
      prints: 'nothing',
      calls: ['channels.setTags', ...findCalls],
      together: true,
    },
    async (context, [name, references]) => {
      const ids: number[] = [];
      for (const reference of await referencesOf(context, references))
        ids.push((await findChannel(context, reference)).id);
      if (ids.length === 0) return;
      const count = await (await context.client()).channels.setTags({ ids, tag: String(name) });
      context.done(both('{count} {count:channel is|channels are} changed', '已更新 {count} 个渠道', { count }));
    },
  );
}
