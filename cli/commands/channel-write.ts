/** Commands that make, change and remove channels. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { confirm, confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { noteFailure } from '../failure-note.ts';
import { collect, expectChange, givenFor, listOf, textOf } from '../flags.ts';
import { forEachItem, printEachItem } from '../items.ts';
import { both, type Say, sayIn } from '../language.ts';
import { referencesOf } from '../references.ts';
import { type ChannelRow, channelView } from '../views.ts';
import { channelFields, clearedFields, withChannelFlags } from './channel-fields.ts';
import { allChannels, findCalls, findChannel } from './channel-reference.ts';
import { imported, importFile } from './channel-transfer.ts';

export function registerChannelWrites(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  registerCreate(channel, runtime, say);
  registerEdit(channel, runtime, say);
  registerSwitches(channel, runtime);
  registerCopy(channel, runtime, say);
  registerDelete(channel, runtime, say);
}

function registerCreate(channel: Command, runtime: Runtime, say: Say): void {
  leaf(
    withChannelFlags(
      channel
        .command('create')
        .alias('add')
        .option('--disabled', say(both('keep it out of routing for now', '暂不参与路由')))
        .option('--test', say(both('keep it disabled when its test fails', '先测试，失败则保持禁用')))
        .option('--from <file>', say(both('many, from YAML, JSON or CSV', '从 YAML、JSON 或 CSV 批量创建'))),
      say,
    ),
    runtime,
    {
      summary: both('Add a channel', '添加渠道'),
      examples: ['channel create --name ds --type deepseek --key env:DS_KEY --models deepseek-flash --test'],
      prints: (context, flags) => (flags.from === undefined ? channelView(context) : imported(context)),
      rows: 'channels.list',
      calls: ['channels.create', 'channels.setStatus', 'channels.test', 'channels.fetchModelsDraft', 'channels.import'],
      exits: [exitCodes.no],
    },
    async (context, _args, flags) => {
      const file = textOf(flags.from);
      if (file !== undefined) return importFile(context, file, { onClash: 'fail', dryRun: flags.unsent === true });
      const client = await context.client();
      const fields = await channelFields(context, flags);
      const waits = flags.disabled === true || flags.test === true;
      const created = await client.channels.create({ group: 'default', ...fields, ...(waits ? { status: 2 } : {}) });
      const row = 'items' in created ? created.items[0] : created;
      if (row === undefined) return;
      context.done(both(`channel ${row.name} has id ${row.id}`, `已添加渠道 ${row.name}，编号 ${row.id}`));
      const passed = flags.test === true && (await passesTest(context, row.id));
      const shown =
        passed && flags.disabled !== true ? await client.channels.setStatus({ id: row.id, status: 1 }) : row;
      await context.printer.one(shown, await channelView(context));
    },
  );
}

/** Tests a new channel; a failure is told, and ends the command with 2. */
async function passesTest(context: CommandContext, id: number): Promise<boolean> {
  const result = await (await context.client()).channels.test({ id });
  const seconds = result.time.toFixed(2);
  if (result.success) {
    context.done(both(`the test took ${seconds} s`, `测试耗时 ${seconds} 秒`));
    return true;
  }
  const text = both(`it stays disabled: ${result.message}`, `保持禁用：${result.message}`);
  const named = { channel: String(id) };
  await noteFailure(context, new CliError('channel_test_failed', exitCodes.no, text, { named }));
  context.endWith(exitCodes.no);
  return false;
}

function registerEdit(channel: Command, runtime: Runtime, say: Say): void {
  leaf(
    withChannelFlags(
      channel
        .command('edit')
        .argument('<channel...>')
        .option('--append-keys', say(both('add the keys of --key to those there are', '将 --key 追加到现有密钥')))
        .option('--unset <fields>', say(both('comma list of fields to clear', '要清空的字段（逗号分隔）')), collect)
        .option('--add-models <list>', say(both('models to add', '要添加的模型')), collect)
        .option('--remove-models <list>', say(both('models to take out', '要移除的模型')), collect),
      say,
    ),
    runtime,
    {
      summary: both('Change channels; only the flags given', '修改渠道，仅更改给出的字段'),
      examples: ['channel edit 3 4 --weight 20', 'channel edit openai-main --add-models gpt-5 --unset tag'],
      prints: channelView,
      rows: 'channels.list',
      calls: ['channels.update', 'channels.fetchModelsDraft', ...findCalls],
    },
    async (context, [references], flags) => {
      const client = await context.client();
      const given = { ...(await channelFields(context, flags)), ...clearedFields(givenFor(flags.unset)) };
      const added = await listOf(context, flags.addModels, '--add-models');
      const removed = new Set(await listOf(context, flags.removeModels, '--remove-models'));
      if (added.length === 0 && removed.size === 0) expectChange(given);
      const view = await channelView(context);
      const names = await referencesOf(context, references);
      await printEachItem<ChannelRow>(context, { references: names, view }, async (reference) => {
        const row = await findChannel(context, reference);
        const models = [...new Set([...(given.models ?? row.models).split(','), ...added])];
        const wanted = models.filter((model) => model !== '' && !removed.has(model));
        if (wanted.length === 0) throw usageError(both('no model would be left', '不能移除全部模型'));
        const updated = await client.channels.update({
          id: row.id,
          ...given,
          ...(added.length > 0 || removed.size > 0 ? { models: wanted.join(',') } : {}),
          ...(flags.appendKeys === true ? { key_mode: 'append' as const } : {}),
        });
        context.done(both(`channel ${updated.name} is changed`, `已修改渠道 ${updated.name}`));
        return updated;
      });
    },
  );
}

function registerSwitches(channel: Command, runtime: Runtime): void {
  const switches = [
    { verb: 'enable', status: 1, summary: both('Take channels into routing', '启用渠道'), zh: '已启用' },
    { verb: 'disable', status: 2, summary: both('Take channels out of routing', '禁用渠道'), zh: '已禁用' },
  ] as const;
  for (const { verb, status, summary, zh } of switches) {
    leaf(
      channel.command(verb).argument('<channel...>'),
      runtime,
      {
        summary,
        examples: [`channel ${verb} 3 4`],
        prints: 'nothing',
        calls: ['channels.setStatus', ...findCalls],
      },
      async (context, [references]) => {
        const client = await context.client();
        const names = await referencesOf(context, references);
        if (verb === 'disable' && names.length > 1)
          await confirm(context, both(`Disable ${names.length} channels?`, `禁用 ${names.length} 个渠道？`));
        await forEachItem(context, names, async (reference) => {
          const row = await findChannel(context, reference);
          const updated = await client.channels.setStatus({ id: row.id, status });
          context.done(both(`channel ${updated.name}: ${verb}d`, `渠道 ${updated.name}：${zh}`));
        });
      },
    );
  }

  leaf(
    channel.command('clear-cooling').argument('<channel...>'),
    runtime,
    {
      summary: both('Ask channels again before their pause is over', '提前结束渠道的冷却'),
      examples: ['channel clear-cooling 3'],
      prints: 'nothing',
      calls: ['channels.clearCooling', ...findCalls],
    },
    async (context, [references]) => {
      const client = await context.client();
      await forEachItem(context, await referencesOf(context, references), async (reference) => {
        const row = await findChannel(context, reference);
        await client.channels.clearCooling({ id: row.id });
        context.done(both(`channel ${row.name} may be asked again`, `渠道 ${row.name} 已结束冷却`));
      });
    },
  );
}

function registerCopy(channel: Command, runtime: Runtime, say: Say): void {
  leaf(
    channel
      .command('copy')
      .argument('<channel...>')
      .option('--suffix <text>', say(both('added to the name', '名称后缀')))
      .option('--reset-balance', say(both('start with no balance', '余额清零'))),
    runtime,
    {
      summary: both('Copy channels with their keys; copies start disabled', '复制渠道（含密钥），副本默认禁用'),
      examples: ['channel copy 3 --suffix -backup'],
      prints: channelView,
      rows: 'channels.list',
      calls: ['channels.copy', ...findCalls],
    },
    async (context, [references], flags) => {
      const client = await context.client();
      const view = await channelView(context);
      const names = await referencesOf(context, references);
      await printEachItem<ChannelRow>(context, { references: names, view }, async (reference) => {
        const row = await findChannel(context, reference);
        const reset_balance = flags.resetBalance === true;
        const { id } = await client.channels.copy({ id: row.id, suffix: textOf(flags.suffix), reset_balance });
        context.done(both(`channel ${row.name} is copied to ${id}`, `已复制渠道 ${row.name}，新编号 ${id}`));
        return findChannel(context, String(id));
      });
    },
  );
}

function registerDelete(channel: Command, runtime: Runtime, say: Say): void {
  leaf(
    channel.command('delete').alias('rm').argument('<channel...>'),
    runtime,
    {
      summary: both('Delete channels', '删除渠道'),
      examples: ['channel delete 3 4 --yes'],
      prints: 'nothing',
      calls: ['channels.deleteBatch', ...findCalls],
      together: true,
    },
    async (context, [references]) => {
      const rows = await Promise.all(
        (await referencesOf(context, references)).map((reference) => findChannel(context, reference)),
      );
      if (rows.length === 0) return;
      const names = rows.map(({ name }) => name);
      await confirm(context, both(`Delete channel ${names.join(', ')}?`, `删除渠道 ${names.join('、')}？`));
      const count = await (await context.client()).channels.deleteBatch({ ids: rows.map(({ id }) => id) });
      context.done(both('{count} {count:channel is|channels are} deleted', '已删除 {count} 个渠道', { count }));
    },
  );

  leaf(
    channel.command('delete-disabled').option('--confirm <count>', say(both('how many there are', '确认的数量'))),
    runtime,
    {
      summary: both('Delete every disabled channel', '删除所有已禁用的渠道'),
      examples: ['channel delete-disabled --confirm 4'],
      prints: 'nothing',
      calls: ['channels.deleteDisabled', 'channels.list'],
    },
    async (context) => {
      let found = 0;
      for await (const row of allChannels(context, { status: 'disabled' })) if (row.status > 1) found += 1;
      if (found === 0) {
        context.note(context.say(both('no channel is disabled', '没有已禁用的渠道')));
        return;
      }
      const question = both('Delete {found} disabled {found:channel|channels}', '删除 {found} 个已禁用的渠道', {
        found,
      });
      await confirmSevere(context, question, String(found));
      const count = await (await context.client()).channels.deleteDisabled();
      context.done(both('{count} {count:channel is|channels are} deleted', '已删除 {count} 个渠道', { count }));
    },
  );

  leaf(
    channel.command('fix'),
    runtime,
    {
      summary: both('Rebuild the routing table of every channel', '重建所有渠道的路由表'),
      examples: ['channel fix'],
      prints: 'nothing',
      calls: ['channels.fix'],
    },
    async (context) => {
      const count = await (await context.client()).channels.fix();
      context.done(both('{count} {count:channel is|channels are} rebuilt', '已重建 {count} 个渠道', { count }));
    },
  );
}
