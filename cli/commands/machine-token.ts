/** `machine-token`: credentials of jobs, with scopes and an end. */
import type { Command } from 'commander';
import type { Client } from '../../daemon/contract/client.ts';
import type { MachineTokenView } from '../../daemon/contract/machine-tokens.ts';
import { type Flags, group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { narrowedTo } from '../empty-words.ts';
import { CliError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, textOf } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { parseDuration } from '../input/time.ts';
import { forEachItem } from '../items.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { asOwner, inOwnSession, sessionCalls, withPasswordFlags } from '../owner-session.ts';
import {
  changeProfiles,
  configFolder,
  isMachineToken,
  type ProfileFile,
  readProfiles,
  withoutSlash,
} from '../profile.ts';
import { referencesOf, resolve } from '../references.ts';
import { scopesOf } from '../scopes.ts';

const tokenView = (context: CommandContext): View<MachineTokenView> => ({
  columns: [
    { heading: 'ID', value: (row) => row.id, priority: 1 },
    { heading: 'NAME', value: (row) => row.name, priority: 2 },
    { heading: 'SCOPES', value: (row) => row.scopes.join(' ') },
    { heading: 'EXPIRES', unit: 'time', value: (row) => context.timeText(row.expires_at), priority: 3 },
    {
      heading: 'LAST USED',
      unit: 'time',
      value: (row) => (row.last_used_at === 0 ? 'never' : context.agoText(row.last_used_at)),
    },
    { heading: 'ADDRESSES', value: (row) => row.allow_ips.replaceAll('\n', ' ') },
  ],
  fields: ['id', 'name', 'scopes', 'allow_ips', 'role', 'created_at', 'expires_at', 'last_used_at', 'previous_until'],
  id: (row) => row.id,
});

/** A row with its secret: with `-q` that alone. */
const freshView = (context: CommandContext): View<MachineTokenView & { secret: string }> => {
  const { columns, fields = [] } = tokenView(context);
  return {
    columns: [...columns, { heading: 'TOKEN', value: (row) => row.secret }],
    fields: [...fields, 'secret'],
    id: (row) => row.secret,
  };
};

/** Those that the client's credential may see: all of the user's, or a machine token itself. */
async function find(client: Client, reference: string): Promise<MachineTokenView> {
  const rows = await client.machineTokens.list();
  const notFound = new CliError(
    'machine_token_not_found',
    exitCodes.notFound,
    both(`there is no machine token ${reference}`, `没有机器令牌 ${reference}`),
  );
  return resolve(reference, {
    word: both('machine token', '机器令牌'),
    notFound: 'machine_token_not_found',
    byId: async (id) => {
      const row = rows.find((each) => each.id === id);
      if (row === undefined) throw notFound;
      return row;
    },
    search: async () => rows,
    nameOf: (row) => row.name,
    idOf: (row) => row.id,
  });
}

/** Works on tokens with the credential in use where that is the one that is meant, else as its user. */
async function withTokens<T>(
  context: CommandContext,
  flags: Flags,
  { references, work }: { references: readonly string[]; work: (client: Client) => Promise<T> },
): Promise<T> {
  const client = await context.client();
  const [only] = references;
  if (references.length === 1 && only !== undefined && isMachineToken((await context.target()).token)) {
    const isItself = await find(client, only).then(
      () => true,
      (error: unknown) => {
        if (error instanceof CliError && error.code === 'machine_token_not_found') return false;
        throw error;
      },
    );
    if (isItself) return work(client);
  }
  return asOwner(context, { flags, prove: 'machine_token' }, work);
}

/** Gives the new secret to the profiles that hold the old one: without it they would be signed out. */
async function keepRotated(context: CommandContext, { id, secret }: { id: number; secret: string }): Promise<void> {
  const folder = configFolder(context.environment);
  const url = withoutSlash((await context.target()).url);
  const holders = ({ profiles }: ProfileFile) =>
    Object.entries(profiles).filter(
      ([, profile]) => profile.token !== undefined && profile.token_id === id && withoutSlash(profile.url) === url,
    );
  if (holders(await readProfiles(folder)).length === 0) return;
  const { profiles } = await changeProfiles(folder, (file) => {
    const renewed = holders(file).map(([name, profile]) => [name, { ...profile, token: secret }]);
    return { ...file, profiles: { ...file.profiles, ...Object.fromEntries(renewed) } };
  });
  const names = holders({ profiles }).map(([name]) => name);
  context.done(both(`the new secret is kept in profile ${names.join(', ')}`, `新密文已保存到配置 ${names.join('、')}`));
}

export function registerMachineTokenCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const machine = group(
    program,
    runtime,
    'machine-token',
    both('Credentials of jobs (tgm_…), scoped and expiring', '供自动化任务使用的机器令牌（tgm_…）'),
  );

  leaf(
    withPasswordFlags(machine.command('list').alias('ls'), runtime),
    runtime,
    {
      summary: both('List own machine tokens', '列出机器令牌'),
      examples: ['machine-token list'],
      prints: tokenView,
      orders: [],
      calls: [...sessionCalls, 'machineTokens.list'],
    },
    async (context, _args, flags) => {
      const list = (client: Client) => client.machineTokens.list();
      const hasPassword = flags.passwordStdin === true || flags.passwordFile !== undefined;
      const isPartial = !hasPassword && isMachineToken((await context.target()).token);
      const rows = hasPassword ? await inOwnSession(context, { flags }, list) : await list(await context.client());
      if (isPartial)
        context.note(
          context.say(
            both(
              'a machine token sees itself alone; --password-stdin or --password-file lists all',
              '机器令牌只能看到自身；使用 --password-stdin 或 --password-file 列出全部',
            ),
          ),
        );
      await context.printer.list(rows, tokenView(context));
    },
  );

  leaf(
    withPasswordFlags(
      machine
        .command('create')
        .alias('add')
        .requiredOption('--name <name>', say(both('name', '名称')))
        .requiredOption(
          '--scope <scope>',
          say(
            both("such as redemption:write; '*' for all of the role", "如 redemption:write；'*' 为当前身份的全部权限"),
          ),
          collect,
        )
        .option('--expires <time>', say(both('when it ends, 365d at most (90d)', '过期时间，最长 365d（默认 90d）')))
        .option('--allow-ip <address>', say(both('only from this address or network', '仅允许该地址或网段')), collect),
      runtime,
    ),
    runtime,
    {
      summary: both('Create a machine token; -q prints the secret alone', '创建机器令牌；-q 仅输出密文'),
      examples: [
        'machine-token create --name ci-codes --scope redemption:write --expires 90d -q',
        'machine-token create --name deploy --scope channel:write --scope price:write --allow-ip 10.0.0.0/8',
      ],
      prints: freshView,
      calls: [...sessionCalls, 'machineTokens.create'],
    },
    async (context, _args, flags) => {
      const words = splitList(Array.isArray(flags.scope) ? flags.scope.map(String) : []);
      const expires_at = await context.instant(textOf(flags.expires) ?? '90d', 'future', '--expires');
      const addresses = Array.isArray(flags.allowIp)
        ? narrowedTo(splitList(flags.allowIp.map(String)), '--allow-ip')
        : [];
      const { role } = await (await context.client()).account.credential();
      const scopes = await scopesOf(words, role);
      const wish = { name: String(flags.name), scopes, expires_at, allow_ips: addresses.join('\n') };
      const made = await asOwner(context, { flags, prove: 'machine_token' }, (client) =>
        client.machineTokens.create(wish),
      );
      context.done(
        both(
          `machine token ${made.name} has id ${made.id}; its secret is shown this once`,
          `已创建机器令牌 ${made.name}，编号 ${made.id}；密文仅显示这一次`,
        ),
      );
      await context.printer.one(made, freshView(context));
    },
  );

  leaf(
    withPasswordFlags(
      machine
        .command('rotate')
        .argument('<token>')
        .option(
          '--grace <duration>',
          say(both('the old secret is taken for so long, 7d at most (0s)', '旧密文的宽限期，最长 7d（默认 0s）')),
        ),
      runtime,
    ),
    runtime,
    {
      summary: both('Give a machine token a new secret; -q prints it alone', '更换机器令牌的密文；-q 仅输出新密文'),
      examples: ['machine-token rotate ci-codes --grace 1h -q'],
      prints: freshView,
      calls: [...sessionCalls, 'machineTokens.list', 'machineTokens.rotate'],
    },
    async (context, [reference], flags) => {
      const grace_seconds = parseDuration(textOf(flags.grace) ?? '0s', '--grace');
      const name = String(reference);
      const made = await withTokens(context, flags, {
        references: [name],
        work: async (client) => {
          const { id } = await find(client, name);
          return client.machineTokens.rotate({ id, grace_seconds });
        },
      });
      await context.clocks.prepareTimes();
      const old =
        grace_seconds > 0
          ? both(
              `the old one is good until ${context.timeText(made.previous_until)}`,
              `旧密文有效至 ${context.timeText(made.previous_until)}`,
            )
          : both('the old one is refused from now on', '旧密文立即失效');
      context.done(
        both(`machine token ${made.name} has a new secret; ${old.en}`, `机器令牌 ${made.name} 已更换密文；${old.zh}`),
      );
      // It is shown once: a profile that cannot be written must not withhold it.
      await context.printer.one(made, freshView(context));
      await keepRotated(context, made);
    },
  );

  leaf(
    withPasswordFlags(machine.command('revoke').alias('delete').argument('<token...>'), runtime),
    runtime,
    {
      summary: both('End machine tokens for good', '永久吊销机器令牌'),
      examples: ['machine-token revoke ci-codes --yes'],
      prints: 'nothing',
      calls: [...sessionCalls, 'machineTokens.list', 'machineTokens.revoke'],
    },
    async (context, [tokens], flags) => {
      const references = await referencesOf(context, tokens);
      if (references.length === 0) return;
      await confirm(context, both(`Revoke ${references.join(', ')}?`, `吊销 ${references.join('、')}？`));
      await withTokens(context, flags, {
        references,
        work: (client) =>
          forEachItem(context, references, async (reference) => {
            const { id, name } = await find(client, reference);
            await client.machineTokens.revoke({ id });
            context.done(both(`machine token ${name} is revoked`, `机器令牌 ${name} 已吊销`));
          }),
      });
    },
  );
}
