/** `profile`: the named servers this machine knows. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, textOf } from '../flags.ts';
import { both } from '../language.ts';
import type { View } from '../output/columns.ts';
import {
  changeProfiles,
  configFolder,
  type Profile,
  type ProfileFile,
  profileNamed,
  readProfiles,
  withoutSlash,
} from '../profile.ts';
import {
  bannerColourOf,
  type ClearableSetting,
  clearableSettings,
  trustedAuthority,
  withName,
  withSettings,
} from '../profile-settings.ts';
import { bannerColours } from '../terminal.ts';
import { unsetFields, unsetText } from '../unset.ts';
import { writtenTime } from '../written-time.ts';

interface ProfileRow extends Omit<Profile, 'token'> {
  name: string;
  current: boolean;
}

const profileView = (context: CommandContext): View<ProfileRow> => ({
  columns: [
    { heading: 'NAME', value: (row) => row.name },
    { heading: 'URL', value: (row) => row.url },
    { heading: 'USER', value: (row) => row.user },
    { heading: 'EXPIRES', unit: 'time', value: (row) => writtenTime(context, row.token_expires) },
    { heading: 'CURRENT', value: (row) => (row.current ? '*' : '') },
  ],
  fields: [
    'name',
    'current',
    'url',
    'user',
    'user_id',
    'token_id',
    'token_expires',
    'token_command',
    'ca_file',
    'allow_http',
    'read_only',
    'color',
    'confirm',
    'chat_model',
    'lang',
    'tz',
  ],
  id: (row) => row.name,
});

function rowOf(name: string, file: ProfileFile): ProfileRow {
  const profile = profileNamed(file, name);
  if (profile === undefined) {
    throw new CliError(
      'profile_not_found',
      exitCodes.notFound,
      both(`no profile named ${name}`, `没有名为 ${name} 的配置`),
      {
        hint: both('tollgate profile list', 'tollgate profile list'),
      },
    );
  }
  const { token: _secret, ...shown } = profile;
  return { name, current: file.current === name, ...shown };
}

const taken = (name: string) =>
  new CliError('profile_exists', exitCodes.conflict, both(`profile ${name} exists`, `配置 ${name} 已存在`));

const bannerText = both(
  `colour of the top line of the screens: ${bannerColours.join(', ')}`,
  `界面顶行的颜色：${bannerColours.join('、')}`,
);

/** The colour as the profile keeps it. Throws exit 3 for one that there is not. */
function colourOf(flag: unknown): Pick<Profile, 'color'> {
  const colour = bannerColourOf(textOf(flag));
  return colour === undefined ? {} : { color: colour };
}

const clearable: Readonly<Record<string, { [Member in ClearableSetting]?: true }>> = Object.fromEntries(
  clearableSettings.map((member) => [member.replaceAll('_', '-'), { [member]: true }]),
);

export function registerProfileCommands(program: Command, runtime: Runtime): void {
  const folder = configFolder(runtime.environment);
  const profile = group(
    program,
    runtime,
    'profile',
    both('Servers and credentials on this machine', '本机保存的服务器与凭据'),
  );

  leaf(
    profile.command('list').alias('ls'),
    runtime,
    {
      summary: both('List the profiles', '列出配置'),
      examples: ['profile list'],
      prints: profileView,
      orders: [],
    },
    async (context) => {
      const file = await readProfiles(folder);
      await context.printer.list(
        Object.keys(file.profiles).map((name) => rowOf(name, file)),
        profileView(context),
      );
    },
  );

  leaf(
    profile.command('get').argument('<name>'),
    runtime,
    {
      summary: both('Show one profile without its token', '查看配置（不含令牌）'),
      examples: ['profile get prod'],
      prints: profileView,
    },
    async (context, [name]) => {
      await context.printer.one(rowOf(String(name), await readProfiles(folder)), profileView(context));
    },
  );

  leaf(
    profile.command('use').argument('<name>'),
    runtime,
    {
      summary: both('Make a profile the current one', '切换当前配置'),
      examples: ['profile use staging'],
      prints: 'nothing',
    },
    async (context, [name]) => {
      await changeProfiles(folder, (file) => {
        rowOf(String(name), file);
        return { ...file, current: String(name) };
      });
      context.done(both(`profile ${name} is current`, `当前配置为 ${name}`));
    },
  );

  leaf(
    profile
      .command('create')
      .argument('<name>')
      .option('--ca-file <file>', both('certificate authority to trust', '信任的 CA 文件')[runtime.language])
      .option('--allow-http', both('send the token over plain http', '允许以明文 http 发送令牌')[runtime.language])
      .option('--read-only', both('refuse every writing call', '拒绝一切写操作')[runtime.language])
      .option('--banner <colour>', bannerText[runtime.language]),
    runtime,
    {
      summary: both('Add a server without signing in', '添加服务器（不登录）'),
      examples: ['profile create prod --url https://gw.example.com'],
      prints: profileView,
    },
    async (context, [name], flags) => {
      const url = flags.url;
      if (url === undefined) throw usageError(both('--url is needed', '需要 --url'), { field: '--url' });
      const created: Profile = {
        url: withoutSlash(url),
        ...trustedAuthority(flags),
        ...(flags.allowHttp === true ? { allow_http: true } : {}),
        ...(flags.readOnly === true ? { read_only: true } : {}),
        ...colourOf(flags.banner),
      };
      const next = await changeProfiles(folder, (file) => {
        if (profileNamed(file, String(name)) === undefined) {
          return { ...file, profiles: { ...file.profiles, [String(name)]: created } };
        }
        throw taken(String(name));
      });
      await context.printer.one(rowOf(String(name), next), profileView(context));
    },
  );

  leaf(
    profile
      .command('edit')
      .argument('<name>')
      .option('--banner <colour>', bannerText[runtime.language])
      .option('--read-only', both('refuse every writing call', '拒绝一切写操作')[runtime.language])
      .option('--no-read-only', both('let writing calls through', '允许写操作')[runtime.language])
      .option('--allow-http', both('send the token over plain http', '允许以明文 http 发送令牌')[runtime.language])
      .option('--no-allow-http', both('never over plain http', '禁止以明文 http 发送令牌')[runtime.language])
      .option(
        '--always-confirm',
        both('ask on a terminal even with --yes', '即使带 --yes 也在终端中确认')[runtime.language],
      )
      .option('--ca-file <file>', both('certificate authority to trust', '信任的 CA 文件')[runtime.language])
      .option('--unset <fields>', unsetText[runtime.language], collect),
    runtime,
    {
      summary: both('Change what a profile does and how its screens look', '修改配置的行为与界面颜色'),
      examples: ['profile edit prod --banner red --read-only', 'profile edit prod --unset color,confirm'],
      prints: profileView,
    },
    async (context, [name], flags) => {
      const given: Partial<Profile> = {
        ...colourOf(flags.banner),
        ...(typeof flags.readOnly === 'boolean' ? { read_only: flags.readOnly } : {}),
        ...(typeof flags.allowHttp === 'boolean' ? { allow_http: flags.allowHttp } : {}),
        ...(flags.alwaysConfirm === true ? { confirm: 'always' as const } : {}),
        ...trustedAuthority(flags),
      };
      const cleared = unsetFields(flags.unset, clearable);
      const edited = { given, cleared: clearableSettings.filter((member) => cleared[member] === true) };
      const next = await changeProfiles(folder, (file) => {
        rowOf(String(name), file);
        return withSettings(file, String(name), edited);
      });
      context.done(both(`profile ${name} is changed`, `已修改配置 ${name}`));
      await context.printer.one(rowOf(String(name), next), profileView(context));
    },
  );

  leaf(
    profile.command('rename').argument('<name>').argument('<new-name>'),
    runtime,
    {
      summary: both('Give a profile another name', '重命名配置'),
      examples: ['profile rename prod prod-eu'],
      prints: 'nothing',
    },
    async (context, [name, newName]) => {
      const [from, to] = [String(name), String(newName)];
      await changeProfiles(folder, (file) => {
        rowOf(from, file);
        if (profileNamed(file, to) !== undefined) throw taken(to);
        return withName(file, from, to);
      });
      context.done(both(`profile ${from} is now ${to}`, `配置 ${from} 已更名为 ${to}`));
    },
  );

  leaf(
    profile.command('delete').alias('rm').argument('<name>'),
    runtime,
    {
      summary: both('Forget a profile and its token', '删除配置及其令牌'),
      examples: ['profile delete staging'],
      prints: 'nothing',
    },
    async (context, [name]) => {
      await changeProfiles(folder, (file) => {
        rowOf(String(name), file);
        const { [String(name)]: _gone, ...profiles } = file.profiles;
        const { current, ...rest } = file;
        return { ...rest, profiles, ...(current === undefined || current === name ? {} : { current }) };
      });
      context.done(both(`profile ${name} is forgotten`, `已删除配置 ${name}`));
    },
  );
}
