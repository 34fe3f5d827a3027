/** `group`: user groups, which are entries of several options. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Client } from '../../daemon/contract/client.ts';
import type { GroupCounts } from '../../daemon/contract/groups.ts';
import { group as commandGroup, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';

interface GroupRow {
  group: string;
  ratio: number | null;
  topup_ratio: number | null;
  usable: boolean;
  description: string;
  /** What users of this group pay in others. */
  for_group: Readonly<Record<string, number>>;
  users: number;
  channels: number;
  /** Keys that name the group themselves. */
  tokens: number;
}

const groupView: View<GroupRow> = {
  columns: [
    { heading: 'GROUP', value: (row) => row.group, priority: 1 },
    { heading: 'RATIO', value: (row) => row.ratio, align: 'right', priority: 1 },
    { heading: 'TOPUP', value: (row) => row.topup_ratio, align: 'right', priority: 4 },
    { heading: 'USABLE', value: (row) => row.usable, priority: 3 },
    { heading: 'DESC', value: (row) => row.description, priority: 5 },
    { heading: 'USERS', value: (row) => row.users, align: 'right', priority: 2 },
    { heading: 'CHANNELS', value: (row) => row.channels, align: 'right', priority: 2 },
  ],
  fields: ['group', 'ratio', 'topup_ratio', 'usable', 'description', 'for_group', 'users', 'channels', 'tokens'],
  id: (row) => row.group,
};

type Counts = Readonly<Record<string, GroupCounts>>;

/** The options that say something of groups, as they stand. */
interface GroupOptions {
  GroupRatio: Record<string, number>;
  TopupGroupRatio: Record<string, number>;
  UserUsableGroups: Record<string, string>;
  GroupGroupRatio: Record<string, Record<string, number>>;
}

/** What root alone may write comes first, so that a refusal leaves everything as it was. */
const optionNames = ['TopupGroupRatio', 'GroupGroupRatio', 'UserUsableGroups', 'GroupRatio'] as const;

/** How often a change is made anew on what somebody else wrote in between; a node may hear of that after a moment. */
const mostTries = 5;
const pauseMs = 400;

async function readOptions(client: Client): Promise<GroupOptions> {
  return (await readTexts(client)).options;
}

/** The options, and their texts as the server has them. */
async function readTexts(
  client: Client,
): Promise<{ readonly options: GroupOptions; readonly texts: ReadonlyMap<string, string> }> {
  const rows = new Map((await client.options.list()).map(({ key, value }) => [key, value]));
  const { parseOption } = await import('../../daemon/contract/options.ts');
  const readOption = <K extends keyof GroupOptions>(key: K) => {
    const parsed = parseOption(key, rows.get(key) ?? '{}');
    return parsed.ok ? parsed.value : {};
  };
  const options = {
    GroupRatio: { ...readOption('GroupRatio') },
    TopupGroupRatio: { ...readOption('TopupGroupRatio') },
    UserUsableGroups: { ...readOption('UserUsableGroups') },
    GroupGroupRatio: Object.fromEntries(
      Object.entries(readOption('GroupGroupRatio')).map(([name, ratios]) => [name, { ...ratios }]),
    ),
  };
  return { options, texts: rows };
}

/** The groups there are, and how many carry each, removed ones included. */
async function readGroups(client: Client): Promise<{ names: readonly string[]; counts: Counts }> {
  const { items, counts = {} } = await client.groups.list({ with_counts: true });
  return { names: items, counts };
}

/** What the record has under that name; a group may be called as a member that every object has. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function rowOf(options: GroupOptions, counts: Counts, name: string): GroupRow {
  const carried = own(counts, name);
  return {
    group: name,
    ratio: own(options.GroupRatio, name) ?? null,
    topup_ratio: own(options.TopupGroupRatio, name) ?? null,
    usable: Object.hasOwn(options.UserUsableGroups, name),
    description: own(options.UserUsableGroups, name) ?? '',
    for_group: own(options.GroupGroupRatio, name) ?? {},
    users: carried?.users ?? 0,
    channels: carried?.channels ?? 0,
    tokens: carried?.tokens ?? 0,
  };
}

function ratioOf(text: string, field: string): number {
  const ratio = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(ratio)) return ratio;
  throw usageError(both(`${text} is no ratio`, `${text} 不是倍率`), { field });
}

function requireGroup(options: GroupOptions, name: string): void {
  if (Object.hasOwn(options.GroupRatio, name)) return;
  throw new CliError('group_unknown', exitCodes.notFound, both(`there is no group ${name}`, `没有分组 ${name}`));
}

/**
 * Changes the options, which hold all groups, from what they are at that moment: whoever sets another group at the same
 * time loses nothing. The first refusal ends it.
 */
async function change(
  client: Client,
  edit: (options: GroupOptions) => void,
  told: (message: string) => void,
): Promise<GroupOptions> {
  const { ApiError } = await import('../../daemon/contract/api-error.ts');
  for (let tries = 1; ; tries += 1) {
    const { options: after, texts } = await readTexts(client);
    const before = structuredClone(after);
    edit(after);
    try {
      await save(client, { before, after, texts }, told);
      return after;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'option_changed' || tries === mostTries) throw error;
      await sleep(pauseMs * tries);
    }
  }
}

interface Change {
  readonly before: GroupOptions;
  readonly after: GroupOptions;
  readonly texts: ReadonlyMap<string, string>;
}

async function save(client: Client, { before, after, texts }: Change, told: (message: string) => void): Promise<void> {
  for (const key of optionNames) {
    const value = JSON.stringify(after[key], null, 2);
    if (value === JSON.stringify(before[key], null, 2)) continue;
    const { message } = await client.options.set({ key, value, expected: texts.get(key) });
    if (message !== '') told(message);
  }
}

export function registerGroupCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const command = commandGroup(program, runtime, 'group', both('User groups and their ratios', '用户分组与倍率'));
  const reads = ['options.list', 'groups.list'];

  leaf(
    command.command('list').alias('ls'),
    runtime,
    {
      summary: both('List groups', '列出分组'),
      examples: ['group list'],
      prints: () => groupView,
      orders: [],
      calls: reads,
    },
    async (context) => {
      const client = await context.client();
      const options = await readOptions(client);
      const { names, counts } = await readGroups(client);
      await context.printer.list(
        names.map((name) => rowOf(options, counts, name)),
        groupView,
      );
    },
  );

  leaf(
    command.command('get').alias('show').argument('<group>'),
    runtime,
    {
      summary: both('Show one group', '查看分组'),
      examples: ['group get vip'],
      prints: () => groupView,
      calls: reads,
    },
    async (context, [name]) => {
      const client = await context.client();
      const options = await readOptions(client);
      requireGroup(options, String(name));
      const { counts } = await readGroups(client);
      await context.printer.one(rowOf(options, counts, String(name)), groupView);
    },
  );

  leaf(
    command
      .command('set')
      .argument('<group>')
      .option('--ratio <n>', say(both('factor of all prices', '分组倍率')))
      .option('--topup-ratio <n>', say(both('factor of top-ups (root)', '充值倍率（仅超级管理员）')))
      .option('--usable', say(both('users may choose it', '用户可选')))
      .option('--no-usable', say(both('users may not choose it', '用户不可选')))
      .option('--description <text>', say(both('what users read about it', '用户看到的说明')))
      .option(
        '--for-group <group=ratio>',
        say(both('what its users pay in another group', '在其他分组中的倍率')),
        collect,
      ),
    runtime,
    {
      summary: both('Make a group or change it', '新建或修改分组'),
      examples: ['group set vip --ratio 0.8 --usable --description "paid"'],
      prints: () => groupView,
      calls: [...reads, 'options.set'],
    },
    async (context, [reference], flags) => {
      const name = String(reference);
      const client = await context.client();
      const [ratio, topUp, description] = [textOf(flags.ratio), textOf(flags.topupRatio), textOf(flags.description)];
      if (flags.usable === false && description !== undefined) {
        const text = both('users read of groups alone that they may choose', '仅用户可选的分组才有说明');
        throw usageError(text, { field: '--description', hint: both('leave --no-usable out', '请去掉 --no-usable') });
      }
      const edit = (options: GroupOptions) => {
        // Not by assignment, which takes __proto__ for the object's own prototype: the server is to refuse that name.
        if (ratio !== undefined) options.GroupRatio = { ...options.GroupRatio, [name]: ratioOf(ratio, '--ratio') };
        else if (!Object.hasOwn(options.GroupRatio, name)) {
          throw usageError(both(`--ratio is needed for the new group ${name}`, `新分组 ${name} 需要 --ratio`), {
            field: '--ratio',
          });
        }
        if (topUp !== undefined) options.TopupGroupRatio[name] = ratioOf(topUp, '--topup-ratio');
        if (flags.usable === false) delete options.UserUsableGroups[name];
        else if (flags.usable === true || description !== undefined) {
          options.UserUsableGroups[name] = description ?? own(options.UserUsableGroups, name) ?? name;
        }
        for (const pair of Array.isArray(flags.forGroup) ? flags.forGroup.map(String) : []) {
          const [other = '', text = ''] = pair.split('=');
          const others = { ...own(options.GroupGroupRatio, name), [other]: ratioOf(text, '--for-group') };
          options.GroupGroupRatio = { ...options.GroupGroupRatio, [name]: others };
        }
      };
      const after = await change(client, edit, (message) => context.note(message));
      context.done(both(`group ${name} is set`, `已设置分组 ${name}`));
      const { counts } = await readGroups(client);
      await context.printer.one(rowOf(after, counts, name), groupView);
    },
  );

  leaf(
    command.command('delete').alias('rm').argument('<group>'),
    runtime,
    {
      summary: both('Delete a group; names what still refers to it', '删除分组，并提示仍在使用的对象'),
      examples: ['group delete old --yes'],
      prints: 'nothing',
      calls: [...reads, 'options.set'],
    },
    async (context, [reference]) => {
      const name = String(reference);
      if (name === 'default') {
        const text = both(
          'default is the group of new accounts and cannot be deleted',
          'default 是新账户所属的分组，不能删除',
        );
        throw new CliError('group_default', exitCodes.conflict, text);
      }
      const client = await context.client();
      const options = await readOptions(client);
      requireGroup(options, name);
      const { users, channels, tokens } = rowOf(options, (await readGroups(client)).counts, name);
      const question = both(
        'Delete group {name}, which {users} {users:user|users}, {channels} {channels:channel|channels} and {tokens} {tokens:key|keys} are in?',
        '删除分组 {name}（{users} 个用户，{channels} 个渠道，{tokens} 个令牌）？',
        { name, users, channels, tokens },
      );
      await confirm(context, question);
      const edit = (current: GroupOptions) => {
        for (const key of optionNames) delete current[key][name];
        // A group of the same name that is made later is to cost what it says, not what this one did.
        for (const [payer, ratios] of Object.entries(current.GroupGroupRatio)) {
          if (!Object.hasOwn(ratios, name)) continue;
          delete ratios[name];
          if (Object.keys(ratios).length === 0) delete current.GroupGroupRatio[payer];
        }
      };
      await change(client, edit, (message) => context.note(message));
      context.done(both(`group ${name} is deleted`, `已删除分组 ${name}`));
    },
  );
}
