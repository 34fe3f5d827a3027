/** `channel`: upstream accounts. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import { textOf, wordsOf } from '../flags.ts';
import { both } from '../language.ts';
import { cutNote, limitOf, walk } from '../paging.ts';
import { forEachItem } from '../references.ts';
import { channelView } from '../views.ts';
import { registerChannelExplain } from './channel-explain.ts';
import { channelFields, withChannelFlags } from './channel-fields.ts';
import { findChannel } from './channel-reference.ts';
import { registerChannelTest } from './channel-test.ts';

export function registerChannelCommands(program: Command, runtime: Runtime): void {
  const say = (pair: { en: string; zh: string }) => pair[runtime.language];
  const channel = group(program, runtime, 'channel', both('Upstream channels', '上游渠道'));
  const finds = ['channels.get', 'channels.search'];

  leaf(
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
      .option('--status <status>', say(both('enabled, disabled or auto', '状态：enabled、disabled 或 auto')))
      .option('--limit <n>', say(both('rows at most (30)', '最多行数（30）')))
      .option('--all', say(both('every row', '全部'))),
    runtime,
    {
      summary: both('List channels', '列出渠道'),
      examples: ['channel list --status auto -q'],
      calls: ['channels.list', 'channels.search'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const { parseChannelType } = await import('../../daemon/contract/channel-types.ts');
      const type = flags.type === undefined ? undefined : (parseChannelType(String(flags.type))?.type ?? Number.NaN);
      const wish = textOf(flags.status);
      const status = wish === 'enabled' ? ('enabled' as const) : wish === undefined ? undefined : ('disabled' as const);
      const statusNumber = wish === 'auto' ? 3 : wish === 'disabled' ? 2 : undefined;
      const searching = flags.search !== undefined || flags.model !== undefined;
      async function* rows() {
        if (searching) {
          const found = await client.channels.search({
            keyword: textOf(flags.search),
            group: textOf(flags.group),
            model: textOf(flags.model),
          });
          yield* found.items;
          return;
        }
        yield* walk({
          page: (page, page_size) =>
            client.channels.list({ status, type, group: textOf(flags.group), page, page_size }),
          keyOf: (row) => row.id,
          limit: limitOf(flags),
          onCut: cutNote(context),
        });
      }
      async function* wanted() {
        for await (const row of rows()) {
          if (statusNumber !== undefined && row.status !== statusNumber) continue;
          if (status === 'enabled' && row.status !== 1) continue;
          if (searching && type !== undefined && row.type !== type) continue;
          yield row;
        }
      }
      await context.printer.list(wanted(), await channelView(context));
    },
  );

  leaf(
    channel.command('get').alias('show').argument('<channel>'),
    runtime,
    {
      summary: both('Show one channel without its key', '查看渠道（不含密钥）'),
      examples: ['channel get openai-main -o yaml'],
      calls: finds,
    },
    async (context, [reference]) => {
      await context.printer.one(await findChannel(context, String(reference)), await channelView(context));
    },
  );

  leaf(
    withChannelFlags(
      channel
        .command('create')
        .alias('add')
        .option('--disabled', say(both('keep it out of routing for now', '暂不参与路由')))
        .option('--test', say(both('test it and keep it disabled when the test fails', '先测试，失败则保持停用')))
        .option('--idempotency-key <key>', say(both('makes repeating the call safe', '用于安全重试的幂等键'))),
      say,
    ),
    runtime,
    {
      summary: both('Add a channel', '添加渠道'),
      examples: ['channel create --name ds --type deepseek --key env:DS_KEY --models deepseek-flash --test'],
      calls: ['channels.create', 'channels.setStatus', 'channels.test', 'channels.fetchModelsDraft'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const { randomUUID } = await import('node:crypto');
      const fields = await channelFields(context, flags);
      const created = await client.channels.create(
        { group: 'default', ...fields, ...(flags.disabled === true || flags.test === true ? { status: 2 } : {}) },
        { idempotencyKey: flags.idempotencyKey ?? randomUUID() },
      );
      const row = 'items' in created ? created.items[0] : created;
      if (row === undefined) return;
      context.done(both(`channel ${row.name} has id ${row.id}`, `已添加渠道 ${row.name}，编号 ${row.id}`));
      let shown = row;
      if (flags.test === true) {
        const result = await client.channels.test({ id: row.id });
        context.done(both(`the test took ${result.time.toFixed(2)} s`, `测试耗时 ${result.time.toFixed(2)} 秒`));
        if (flags.disabled !== true) shown = await client.channels.setStatus({ id: row.id, status: 1 });
      }
      await context.printer.one(shown, await channelView(context));
    },
  );

  leaf(
    withChannelFlags(
      channel
        .command('edit')
        .argument('<channel...>')
        .option('--append-keys', say(both('add the keys of --key to those there are', '将 --key 追加到现有密钥'))),
      say,
    ),
    runtime,
    {
      summary: both('Change channels; only the flags given', '修改渠道，仅更改给出的字段'),
      examples: ['channel edit 3 4 --weight 20'],
      calls: ['channels.update', ...finds],
    },
    async (context, [references], flags) => {
      const client = await context.client();
      const fields = await channelFields(context, flags);
      const view = await channelView(context);
      await forEachItem(wordsOf(references), async (reference) => {
        const row = await findChannel(context, reference);
        const updated = await client.channels.update({
          id: row.id,
          ...fields,
          ...(flags.appendKeys === true ? { key_mode: 'append' as const } : {}),
        });
        context.done(both(`channel ${updated.name} is changed`, `已修改渠道 ${updated.name}`));
        await context.printer.one(updated, view);
      });
    },
  );

  const switches = [
    { verb: 'enable', status: 1, summary: both('Take channels into routing', '启用渠道'), zh: '已启用' },
    { verb: 'disable', status: 2, summary: both('Take channels out of routing', '停用渠道'), zh: '已停用' },
  ] as const;
  for (const { verb, status, summary, zh } of switches) {
    leaf(
      channel.command(verb).argument('<channel...>'),
      runtime,
      { summary, examples: [`channel ${verb} 3 4`], calls: ['channels.setStatus', ...finds] },
      async (context, [references]) => {
        const client = await context.client();
        await forEachItem(wordsOf(references), async (reference) => {
          const row = await findChannel(context, reference);
          const updated = await client.channels.setStatus({ id: row.id, status });
          context.done(both(`channel ${updated.name}: ${verb}d`, `渠道 ${updated.name}：${zh}`));
        });
      },
    );
  }

  leaf(
    channel
      .command('copy')
      .argument('<channel>')
      .option('--suffix <text>', say(both('added to the name', '名称后缀')))
      .option('--reset-balance', say(both('start with no balance', '余额清零'))),
    runtime,
    {
      summary: both('Copy a channel with its key; the copy starts disabled', '复制渠道（含密钥），副本默认停用'),
      examples: ['channel copy 3 --suffix -backup'],
      calls: ['channels.copy', ...finds],
    },
    async (context, [reference], flags) => {
      const client = await context.client();
      const row = await findChannel(context, String(reference));
      const { id } = await client.channels.copy({
        id: row.id,
        suffix: textOf(flags.suffix),
        reset_balance: flags.resetBalance === true,
      });
      context.done(both(`channel ${row.name} is copied to ${id}`, `已复制渠道 ${row.name}，新编号 ${id}`));
      await context.printer.one(await client.channels.get({ id }), await channelView(context));
    },
  );

  leaf(
    channel.command('delete').alias('rm').argument('<channel...>'),
    runtime,
    {
      summary: both('Delete channels', '删除渠道'),
      examples: ['channel delete 3 4 --yes'],
      calls: ['channels.delete', ...finds],
    },
    async (context, [references]) => {
      const client = await context.client();
      const names = wordsOf(references);
      await confirm(context, both(`Delete ${names.join(', ')}?`, `删除 ${names.join('、')}？`));
      await forEachItem(names, async (reference) => {
        const row = await findChannel(context, reference);
        await client.channels.delete({ id: row.id });
        context.done(both(`channel ${row.name} is deleted`, `已删除渠道 ${row.name}`));
      });
    },
  );

  leaf(
    channel.command('fix'),
    runtime,
    {
      summary: both('Rebuild the routing table of every channel', '重建所有渠道的路由表'),
      examples: ['channel fix'],
      calls: ['channels.fix'],
    },
    async (context) => {
      const count = await (await context.client()).channels.fix();
      context.done(both(`${count} channels are rebuilt`, `已重建 ${count} 个渠道`));
    },
  );

  leaf(
    channel.command('types'),
    runtime,
    { summary: both('List the channel types', '列出渠道类型'), examples: ['channel types'] },
    async (context) => {
      const { channelTypes } = await import('../../daemon/contract/channel-types.ts');
      await context.printer.list(
        channelTypes.filter((entry) => entry.retired !== true),
        {
          columns: [
            { heading: 'TYPE', value: (row) => row.type, align: 'right' },
            { heading: 'NAME', value: (row) => row.name },
            { heading: 'LABEL', value: (row) => row.label[context.language] },
          ],
          id: (row) => row.name,
        },
      );
    },
  );

  registerChannelTest(channel, runtime);
  registerChannelExplain(channel, runtime);
}
