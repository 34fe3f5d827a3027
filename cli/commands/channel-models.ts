/** `channel models`: what an upstream lists, held against what the channel offers. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { globTest } from '../input/glob.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { findCalls, findChannel } from './channel-reference.ts';

interface ModelRow {
  model: string;
  /** `new` upstream alone, `present` on both sides, `gone` on the channel alone. */
  state: 'new' | 'present' | 'gone';
}

const modelView: View<ModelRow> = {
  columns: [
    { heading: 'MODEL', value: (row) => row.model },
    { heading: 'STATE', unit: 'word', value: (row) => row.state },
  ],
  fields: ['model', 'state'],
  id: (row) => row.model,
};

export function registerChannelModels(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    channel
      .command('models')
      .argument('<channel>')
      .option('--diff', say(both('only what differs; exit 2 when something does', '仅列差异；有差异时退出码为 2')))
      .option('--off <model>', say(both('take one model out of routing, the others stay', '单独禁用一个模型')))
      .option('--on <model>', say(both('take one model into routing again', '重新启用一个模型')))
      .option('--match <glob>', say(both('names of this form alone', '仅匹配的模型名')))
      .option(
        '--add-missing',
        say(both('offer what the upstream has and the channel has not', '添加上游有而渠道没有的模型')),
      )
      .option('--remove-gone', say(both('drop what the upstream no longer has', '移除上游已下线的模型'))),
    runtime,
    {
      summary: both('List the models of the upstream', '列出上游模型'),
      examples: ['channel models 3 --diff', "channel models 3 --add-missing --match 'gpt-*'"],
      prints: () => modelView,
      orders: [],
      calls: ['channels.fetchModels', 'channels.setModelStatus', 'channels.update', ...findCalls],
      exits: [exitCodes.no],
    },
    async (context, [reference], flags) => {
      const client = await context.client();
      const { id, name, models } = await findChannel(context, String(reference));
      const off = textOf(flags.off);
      const on = textOf(flags.on);
      if (off !== undefined || on !== undefined) {
        if (off !== undefined) await client.channels.setModelStatus({ id, model: off, status: 2 });
        if (on !== undefined) await client.channels.setModelStatus({ id, model: on, status: 1 });
        context.done(both(`channel ${name} is changed`, `已修改渠道 ${name}`));
        return;
      }
      const fits = globTest(textOf(flags.match), 'as-written');
      const offered = models.split(',').filter((model) => model !== '');
      const upstream = await client.channels.fetchModels({ id });
      const rows: ModelRow[] = [
        ...upstream.map((model): ModelRow => ({ model, state: offered.includes(model) ? 'present' : 'new' })),
        ...offered.filter((model) => !upstream.includes(model)).map((model): ModelRow => ({ model, state: 'gone' })),
      ].filter(({ model }) => fits(model));
      const named = (state: ModelRow['state']) => rows.filter((row) => row.state === state).map(({ model }) => model);
      const added = flags.addMissing === true ? named('new') : [];
      const removed = new Set(flags.removeGone === true ? named('gone') : []);
      if (added.length > 0 || removed.size > 0) {
        const wanted = [...offered.filter((model) => !removed.has(model)), ...added];
        await client.channels.update({ id, models: wanted.join(',') });
        context.done(
          both(
            'channel {name}: {added} {added:model|models} added, {removed} removed',
            '渠道 {name}：添加 {added} 个模型，移除 {removed} 个',
            { name, added: added.length, removed: removed.size },
          ),
        );
      }
      const differing = rows.filter(({ state }) => state !== 'present');
      await context.printer.list(flags.diff === true ? differing : rows, modelView);
      if (flags.diff === true && differing.length > 0) context.endWith(exitCodes.no);
    },
  );
}
