/** `export` and `state`: the live state as a document, and who owns what of it. */
import type { Command } from 'commander';
import { Document } from 'yaml';
import type { StateOwnedObject, StateSetView } from '../../daemon/contract/state.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { collect, givenFor, textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { keysByName, revealed } from '../revealed-keys.ts';
import { registerStateChanges } from './state-apply.ts';

function setView(context: CommandContext): View<StateSetView> {
  return {
    columns: [
      { heading: 'SET', value: (row) => row.name, priority: 1 },
      { heading: 'OBJECTS', value: (row) => row.objects, align: 'right', priority: 1 },
      { heading: 'APPLIED', unit: 'time', value: (row) => context.agoText(row.applied_at), priority: 2 },
      { heading: 'BY', value: (row) => row.applied_by, priority: 3 },
      { heading: 'MESSAGE', value: (row) => row.message, priority: 4 },
    ],
    fields: ['name', 'objects', 'applied_at', 'applied_by', 'message'],
    id: (row) => row.name,
  };
}

const ownedView: View<StateOwnedObject> = {
  columns: [
    { heading: 'KIND', unit: 'word', value: (row) => row.kind, priority: 1 },
    { heading: 'KEY', value: (row) => row.key, priority: 1 },
    { heading: 'ID', value: (row) => row.id ?? '', align: 'right', priority: 3 },
    { heading: 'FIELDS', value: (row) => row.fields.join(','), priority: 2 },
  ],
  fields: ['kind', 'key', 'id', 'fields'],
  id: (row) => `${row.kind} ${row.key}`,
};

export function registerStateCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);

  leaf(
    program
      .command('export')
      .option(
        '--kind <kinds>',
        say(both('these kinds only, e.g. channel,price', '仅这些种类，如 channel,price')),
        collect,
      )
      .option('--tag <tag>', say(both('channels with this tag only', '仅带此标签的渠道')))
      .option('--set <name>', say(both('what this set owns only', '仅该集合拥有的对象')))
      .option('--reveal', say(both('with the keys of channels; this is audited', '包含渠道密钥（会写入审计）'))),
    runtime,
    {
      summary: both(
        'Print the live state as a document for diff and apply',
        '把当前状态输出为可供 diff 与 apply 使用的文档',
      ),
      examples: ['export --out state.yaml', 'export --kind channel --tag azure', 'export --reveal --out keys.yaml'],
      prints: () => documentView,
      calls: ['state.export', 'state.set', 'channels.export'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const [tag, set] = [textOf(flags.tag), textOf(flags.set)];
      const exported = await client.state.export({ kinds: givenFor(flags.kind).join(',') || undefined, tag, set });
      const hasChannels = flags.reveal === true && exported.document.channels !== undefined;
      const keys = hasChannels ? await keysByName(client, { tag, set }) : undefined;
      const { document, secrets, ambiguous } =
        keys === undefined ? { ...exported, ambiguous: [] } : revealed(exported, keys);
      if (keys !== undefined) {
        context.note(
          context.say(
            both(
              'the document holds keys: apply takes them with --allow-inline-secrets',
              '文档中含有密钥：apply 时需要 --allow-inline-secrets',
            ),
          ),
        );
      }
      if (ambiguous.length > 0) {
        const names = ambiguous.join(', ');
        context.note(
          context.say(
            both(
              `several channels have the name of: ${names}; their keys are not shown`,
              `以下渠道重名，密钥未导出：${names}`,
            ),
          ),
        );
      }
      if (secrets.length > 0) {
        const names = secrets.join(', ');
        context.note(context.say(both(`secrets are expected in: ${names}`, `机密应位于以下环境变量：${names}`)));
      }
      if (context.printer.format === 'json') return context.printer.one(document, documentView);
      await context.printer.text(new Document(document).toString({ lineWidth: 0 }));
    },
  );

  registerStateChanges(program, runtime);
  const state = group(program, runtime, 'state', both('Sets of declared state', '声明状态的集合'));

  leaf(
    state.command('sets'),
    runtime,
    {
      summary: both('List sets and how many objects each owns', '列出集合及其拥有的对象数'),
      examples: ['state sets'],
      prints: setView,
      orders: [],
      calls: ['state.sets'],
    },
    async (context) => context.printer.list(await (await context.client()).state.sets({}), setView(context)),
  );

  leaf(
    state.command('get').argument('<set>'),
    runtime,
    {
      summary: both('List the objects and fields that a set owns', '列出集合拥有的对象与字段'),
      examples: ['state get main'],
      prints: () => ownedView,
      calls: ['state.set'],
    },
    async (context, [name]) => {
      const { owned } = await (await context.client()).state.set({ name: String(name) });
      await context.printer.list(owned, ownedView);
    },
  );

  leaf(
    state
      .command('forget')
      .argument('<set>')
      .option('--confirm <name>', say(both('the name of the set, for scripts', '集合名称，供脚本使用'))),
    runtime,
    {
      summary: both('End the ownership of a set; nothing is deleted', '释放集合的所有权，不删除任何对象'),
      examples: ['state forget old --confirm old'],
      prints: 'nothing',
      calls: ['state.forget'],
    },
    async (context, [name]) => {
      const set = String(name);
      await confirmSevere(context, both(`forget who owns what of ${set}`, `释放 ${set} 的所有权`), set);
      const count = await (await context.client()).state.forget({ name: set });
      context.done(
        both(
          '{set} owned {count} {count:object, which stays as it is|objects, which stay as they are}',
          '{set} 的 {count} 个对象已不再受管',
          { set, count },
        ),
      );
    },
  );
}

const documentView: View<Readonly<Record<string, unknown>>> = {
  columns: [],
  fields: ['apiVersion', 'set', 'options', 'groups', 'prices', 'rate_rules', 'limits', 'alerts', 'channels'],
  id: ({ set }) => String(set),
};
