/** `setup`: the first run, as a wizard of line prompts on a terminal or by flags in a script. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { askPassword } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { signInWithPassword } from '../sign-in.ts';

interface SetupResult {
  status: boolean;
  root_init: boolean;
  database_type: string;
  username: string;
  mode: string;
}

const modes = ['external', 'self', 'demo'] as const;
type Mode = (typeof modes)[number];

const setupView: View<SetupResult> = {
  columns: [
    { heading: 'STATUS', unit: 'word', value: (row) => (row.status ? 'initialised' : 'open') },
    { heading: 'USERNAME', value: (row) => row.username },
    { heading: 'MODE', unit: 'word', value: (row) => row.mode },
    { heading: 'DATABASE', value: (row) => row.database_type },
  ],
  fields: ['status', 'root_init', 'database_type', 'username', 'mode'],
  id: (row) => row.username,
};

async function askMode(context: CommandContext, wish: unknown): Promise<Mode> {
  const named = modes.find((mode) => mode === wish);
  if (named !== undefined) return named;
  if (wish !== undefined)
    throw usageError(both('--mode is external, self or demo', '--mode 为 external、self 或 demo'), { field: '--mode' });
  if (!context.terminal.interactive) return 'external';
  const { select, isCancel } = await import('@clack/prompts');
  const answer = await select<Mode>({
    message: context.say(both('How will this gateway be used?', '此网关的使用模式？')),
    output: context.host.stderr,
    options: [
      {
        value: 'external',
        label: context.say(
          both('external: several users, every model needs a price', '对外运营：多用户，每个模型都需定价'),
        ),
      },
      {
        value: 'self',
        label: context.say(both('self: for yourself, unpriced models allowed', '自用：无需为模型定价')),
      },
      {
        value: 'demo',
        label: context.say(both('demo: a badge says that this is a demonstration', '演示：显示演示标记')),
      },
    ],
  });
  if (isCancel(answer)) throw usageError(both('nothing was changed', '未做任何更改'));
  return answer;
}

async function askUsername(context: CommandContext, wish: unknown): Promise<string> {
  if (typeof wish === 'string') return wish;
  if (!context.terminal.interactive)
    throw usageError(both('--username is needed', '需要 --username'), { field: '--username' });
  const { text, isCancel } = await import('@clack/prompts');
  const answer = await text({
    message: context.say(both('Name of the administrator', '管理员用户名')),
    initialValue: 'root',
    output: context.host.stderr,
  });
  if (isCancel(answer)) throw usageError(both('nothing was changed', '未做任何更改'));
  return answer;
}

async function askNewPassword(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<string> {
  const sources = {
    stdin: flags.passwordStdin === true,
    file: typeof flags.passwordFile === 'string' ? flags.passwordFile : undefined,
  };
  const password = await askPassword(
    context,
    sources,
    both('Password (at least 8 characters)', '密码（至少 8 个字符）'),
  );
  if (sources.stdin || sources.file !== undefined) return password;
  const again = await askPassword(context, sources, both('The password once more', '再次输入密码'));
  if (again !== password)
    throw usageError(both('the two passwords differ', '两次输入的密码不同'), { field: 'password' });
  return password;
}

export function registerSetupCommand(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('setup')
      .option('--username <name>', say(both('name of the administrator', '管理员用户名')))
      .option('--password-stdin', say(both('read the password from standard input', '从标准输入读取密码')))
      .option('--password-file <file>', say(both('read the password from a file', '从文件读取密码')))
      .option('--mode <mode>', say(both('external, self or demo', '使用模式：external、self 或 demo')))
      .option(
        '--setup-token <token>',
        say(both('token the daemon printed at its first start', '服务首次启动时输出的令牌')),
      )
      .option('--login', say(both('keep a profile for the new administrator', '为新管理员保存登录配置'))),
    runtime,
    {
      summary: both('Initialise a new server', '初始化新服务'),
      examples: ['setup', 'setup --username root --password-stdin --mode self --login < password.txt'],
      prints: () => setupView,
      calls: [
        'setup.get',
        'setup.submit',
        'account.login',
        'stepUp.prove',
        'machineTokens.create',
        'account.logout',
        'account.credential',
      ],
      exits: [exitCodes.conflict],
    },
    async (context, _args, flags) => {
      const target = await (flags.login === true ? context.signInTarget() : context.target());
      const client = await context.clientFor(target.url, undefined);
      const state = await client.setup.get();
      if (state.status) {
        throw new CliError(
          'setup_done',
          exitCodes.conflict,
          both(`${target.url} is already initialised`, `${target.url} 已经初始化`),
          {
            hint: both('tollgate login', 'tollgate login'),
          },
        );
      }
      const setupToken =
        flags.setupToken === undefined ? undefined : await context.secret(String(flags.setupToken), '--setup-token');
      if (state.setup_token_required && setupToken === undefined) {
        throw usageError(both('this address needs --setup-token', '此地址需要 --setup-token'), {
          field: '--setup-token',
          hint: both('the daemon printed it at its first start', '该令牌由服务首次启动时输出'),
        });
      }
      if (state.database_type === 'sqlite') {
        context.note(
          context.say(
            both(
              'The database is SQLite: keep its folder when you upgrade or move.',
              '当前使用 SQLite：升级或迁移时请保留其数据目录。',
            ),
          ),
        );
      }
      const mode = await askMode(context, flags.mode);
      const username = state.root_init ? '' : await askUsername(context, flags.username);
      const password = state.root_init ? '' : await askNewPassword(context, flags);
      await client.setup.submit(
        {
          username,
          password,
          confirmPassword: password,
          SelfUseModeEnabled: mode === 'self',
          DemoSiteEnabled: mode === 'demo',
        },
        setupToken === undefined ? {} : { headers: { 'X-Setup-Token': setupToken } },
      );
      context.done(both(`${target.url} is initialised`, `${target.url} 初始化完成`));
      if (flags.login === true && password !== '') await signInWithPassword(context, { username, password });
      const result = { status: true, root_init: true, database_type: state.database_type, username, mode };
      await context.printer.one(result, setupView);
    },
  );
}
