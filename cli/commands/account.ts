/** `login`, `logout`, `whoami`: who this machine is to the server. */
import type { Command } from 'commander';
import { type Flags, leaf, type Runtime } from '../command.ts';
import { askPassword } from '../confirm.ts';
import { consoleSignInCalls, tokenByDevice, tokenByWeb } from '../console-sign-in.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, textOf } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { dateText } from '../input/time.ts';
import { both, sayIn } from '../language.ts';
import { nothingByName } from '../output/choices.ts';
import type { View } from '../output/columns.ts';
import { sessionCalls } from '../owner-session.ts';
import { configFolder, isMachineToken, type Profile, readProfiles, sendableToken } from '../profile.ts';
import { complaintOf, emptyComplaint, prompted } from '../prompts.ts';
import { otpFlag, otpText } from '../second-factor.ts';
import { changeOwnProfiles, noProfileWritten, type SignedIn, signInWithToken, tokenByPassword } from '../sign-in.ts';
import { type SignInWay, signInWay } from '../sign-in-way.ts';
import type { TokenWish } from '../token-wish.ts';
import { roleOf } from '../views.ts';
import { writtenTime } from '../written-time.ts';
import { askSecret } from './setup-prompts.ts';

const signedInView = (context: CommandContext): View<SignedIn> => ({
  columns: [
    { heading: 'PROFILE', value: (row) => row.profile },
    { heading: 'URL', value: (row) => row.url },
    { heading: 'USER', value: (row) => row.user },
    { heading: 'ROLE', unit: 'word', value: roleOf },
    { heading: 'SCOPES', value: (row) => scopesText(row.scopes) },
    { heading: 'EXPIRES', unit: 'time', value: (row) => writtenTime(context, row.expires) },
  ],
  fields: ['profile', 'url', 'user', 'id', 'role', 'scopes', 'expires'],
  id: (row) => row.user,
});

/** All that the role may is a star. */
function scopesText(scopes: readonly string[] | null): string {
  return scopes === null ? '*' : scopes.join(' ');
}

interface Whoami {
  url: string;
  profile: string | null;
  source: string;
  id: number;
  username: string;
  role: number;
  group: string;
  /** Null for a credential that may do all that the role may. */
  scopes: readonly string[] | null;
  /** RFC 3339. */
  expires: string;
}

const whoamiView = (context: CommandContext): View<Whoami> => ({
  columns: [
    { heading: 'USER', value: (row) => row.username },
    { heading: 'ID', value: (row) => row.id },
    { heading: 'ROLE', unit: 'word', value: roleOf },
    { heading: 'GROUP', value: (row) => row.group },
    { heading: 'URL', value: (row) => row.url },
    { heading: 'SOURCE', value: (row) => row.source },
    { heading: 'SCOPES', value: (row) => scopesText(row.scopes) },
    { heading: 'EXPIRES', unit: 'time', value: (row) => writtenTime(context, row.expires) },
  ],
  fields: ['url', 'profile', 'source', 'id', 'username', 'role', 'group', 'scopes', 'expires'],
  id: (row) => row.username,
});

/** The token on standard input; at a terminal it is not shown as it is typed. */
async function givenToken(context: CommandContext): Promise<string> {
  if (!context.terminal.stdin) return (await context.value('-', '--with-token')).trim();
  if (context.terminal.interactive) return askSecret(context, both('Token', '令牌'));
  throw usageError(both('the token is read from standard input', '令牌从标准输入读取'), {
    field: '--with-token',
    hint: both('tollgate login --with-token < FILE', 'tollgate login --with-token < 文件'),
  });
}

export function registerAccountCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);

  leaf(
    program
      .command('login')
      .option(
        '--web',
        say(
          both(
            'agree in the browser of this machine, however the account signs in',
            '在本机浏览器中确认，适用于任何登录方式',
          ),
        ),
      )
      .option(
        '--device',
        say(
          both(
            'type a short code in a browser elsewhere (SSH, containers)',
            '在其他设备的浏览器中输入短代码（SSH、容器）',
          ),
        ),
      )
      .option('--password', say(both('sign in with user name and password', '使用用户名和密码登录')))
      .option('--username <name>', say(both('user name or e-mail address', '用户名或邮箱')))
      .option('--password-stdin', say(both('read the password from standard input', '从标准输入读取密码')))
      .option('--password-file <file>', say(both('read the password from a file', '从文件读取密码')))
      .option(otpFlag, otpText(runtime))
      .option(
        '--with-token',
        say(both('read a machine token or an access token from standard input', '从标准输入读取机器令牌或系统令牌')),
      )
      .option('--scope <scope>', say(both("what the token may do ('*')", "令牌的权限范围（默认 '*'）")), collect)
      .option('--expires <time>', say(both('when the token ends (30d)', '令牌的过期时间（默认 30d）')))
      .option('--no-store', say(both('print the token instead of keeping a profile', '仅输出令牌，不保存配置'))),
    runtime,
    {
      summary: both('Sign in and keep a profile', '登录并保存配置'),
      examples: [
        'login --url https://gw.example.com --web',
        'login --url https://gw.example.com --device',
        'login --url https://gw.example.com --username root',
        'login --with-token < token.txt',
      ],
      prints: (context, flags) =>
        flags.store === false && flags.withToken !== true ? nothingByName : signedInView(context),
      calls: ['status.get', ...sessionCalls, 'machineTokens.create', ...consoleSignInCalls],
    },
    async (context, _args, flags) => {
      // Whoever is asked for a password waits for no server that is not there.
      if (context.terminal.interactive && flags.withToken !== true) {
        const { url } = await context.signInTarget();
        await (await context.clientFor(url, undefined)).status.get({});
      }
      const way = await signInWay(context, flags);
      if (way === 'token') {
        const token = sendableToken(await givenToken(context), both('standard input', '标准输入'));
        await context.printer.one(await signInWithToken(context, token), signedInView(context));
        return;
      }
      const expires = textOf(flags.expires);
      const wish = {
        ...(Array.isArray(flags.scope) ? { scopes: splitList(flags.scope.map(String)) } : {}),
        expiresAt: expires === undefined ? undefined : await context.instant(expires, 'future', '--expires'),
      };
      const token = await tokenBy(way, context, { flags, wish });
      if (flags.store === false) await context.printer.text(`${token}\n`);
      else await context.printer.one(await signInWithToken(context, token), signedInView(context));
    },
  );

  leaf(
    program.command('logout').option('--all', say(both('of every profile', '所有配置'))),
    runtime,
    {
      summary: both('Revoke and forget the token of the profile', '吊销并清除配置中的令牌'),
      examples: ['logout', 'logout --profile prod'],
      prints: 'nothing',
      calls: ['machineTokens.revoke', 'account.credential'],
    },
    async (context, _args, flags) => {
      const file = await readProfiles(configFolder(context.environment));
      const target = await context.target();
      const names =
        flags.all === true ? Object.keys(file.profiles) : target.profile === undefined ? [] : [target.profile];
      if (names.length === 0) {
        throw new CliError('auth_required', exitCodes.notSignedIn, both('no profile is in use', '没有正在使用的配置'));
      }
      for (const name of names) await revokeToken(context, file.profiles[name]);
      await changeOwnProfiles(context, (before) => {
        const profiles = { ...before.profiles };
        for (const name of names) {
          const {
            token: _token,
            token_id: _id,
            token_expires: _expires,
            ...rest
          } = profiles[name] ?? { url: target.url };
          profiles[name] = rest;
        }
        return { ...before, profiles };
      });
      if (flags.unsent === true) context.note(context.say(noProfileWritten));
      else context.done(both(`signed out of ${names.join(', ')}`, `已退出 ${names.join('、')}`));
    },
  );

  leaf(
    program.command('whoami'),
    runtime,
    {
      summary: both('Show who is signed in, where and by which credential', '查看当前登录身份与凭据来源'),
      examples: ['whoami', 'whoami -q'],
      prints: whoamiView,
      calls: ['account.credential'],
    },
    async (context) => {
      const target = await context.target();
      if (target.token === undefined) {
        throw new CliError(
          'auth_required',
          exitCodes.notSignedIn,
          both(`not signed in at ${target.url}`, `尚未登录 ${target.url}`),
        );
      }
      const self = await (await context.client()).account.credential();
      await context.printer.one(
        {
          url: target.url,
          profile: target.profile ?? null,
          source: target.tokenSource === undefined ? '' : context.say(target.tokenSource),
          id: self.id,
          username: self.username,
          role: self.role,
          group: self.group,
          scopes: self.scopes,
          expires: dateText(self.expires_at),
        },
        whoamiView(context),
      );
    },
  );
}

/** The machine token that signing in this way ends with. */
async function tokenBy(
  way: Exclude<SignInWay, 'token'>,
  context: CommandContext,
  { flags, wish }: { flags: Flags; wish: TokenWish },
): Promise<string> {
  if (way === 'web') return tokenByWeb(context, wish);
  if (way === 'device') return tokenByDevice(context, wish);
  const username = textOf(flags.username) ?? (await askUsername(context));
  const sources = { stdin: flags.passwordStdin === true, file: textOf(flags.passwordFile) };
  const password = await askPassword(context, sources, both('Password', '密码'));
  await context.signInTarget();
  return tokenByPassword(context, { username, password, otp: textOf(flags.otp) }, wish);
}

async function askUsername(context: CommandContext): Promise<string> {
  if (!context.terminal.interactive)
    throw usageError(both('--username is needed', '需要 --username'), {
      field: '--username',
      hint: both('or sign in with --web, --device or --with-token', '或使用 --web、--device 或 --with-token 登录'),
    });
  const { text } = await import('@clack/prompts');
  const message = context.say(both('User name', '用户名'));
  return prompted(context, (place) => text({ message, validate: complaintOf(context, emptyComplaint), ...place }));
}

/** Ends a profile's machine token on its server; one that cannot be ended now is said to be still good. */
async function revokeToken(context: CommandContext, profile: Profile | undefined): Promise<void> {
  const { url = '', token, token_id: known, token_expires: expires = '' } = profile ?? {};
  // An access token serves others, too.
  if (token === undefined || !isMachineToken(token)) return;
  const { ApiError } = await import('../../daemon/contract/client.ts');
  try {
    const client = await context.clientFor(url, token);
    const id = known ?? (await client.account.credential()).machine_token?.id;
    if (id !== undefined) await client.machineTokens.revoke({ id });
  } catch (error) {
    // What the server no longer takes needs no end.
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) return;
    context.tell(
      both(
        `the token was not revoked at ${url} (${error.message}); it is good until ${expires}`,
        `未能在 ${url} 吊销令牌（${error.message}），有效期至 ${expires}`,
      ),
    );
  }
}
