/**
 * `setup`: the first run, as a wizard of line prompts on a terminal or by flags in a script. What is done already is
 * passed over, so that it can be left at every step and run again.
 */
import type { Command } from 'commander';
import type { SetupState } from '../../daemon/contract/setup.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import { askNewPassword, askPassword } from '../confirm.ts';
import { CommandContext } from '../context.ts';
import { CliError, QuestionLeft, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { noteFailure } from '../failure-note.ts';
import { collect, textOf, wordFlag } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { emptyComplaint, prompted } from '../prompts.ts';
import { signInWithPassword } from '../sign-in.ts';
import { firstChannel } from './setup-channel.ts';
import { firstKey, firstQuestion, refuseQuestionWithoutKey } from './setup-key.ts';
import { addressComplaint, askText } from './setup-prompts.ts';

interface SetupResult {
  status: boolean;
  root_init: boolean;
  database_type: string;
  username: string;
  mode: string;
  /** Of the channel that was made; null where none was. */
  channel_id: number | null;
  /** The relay key that was made, with `sk-`; "" where none was. */
  key: string;
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
  fields: ['status', 'root_init', 'database_type', 'username', 'mode', 'channel_id', 'key'],
  id: (row) => row.username,
};

async function askMode(context: CommandContext, wish: unknown): Promise<Mode> {
  const named = modes.find((mode) => mode === wish);
  if (named !== undefined) return named;
  if (wish !== undefined)
    throw usageError(both('--mode is external, self or demo', '--mode 为 external、self 或 demo'), { field: '--mode' });
  if (!context.terminal.interactive) return 'external';
  const { select } = await import('@clack/prompts');
  return prompted(context, (place) =>
    select<Mode>({
      message: context.say(both('How will this gateway be used?', '此网关的使用模式？')),
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
      ...place,
    }),
  );
}

async function askUsername(context: CommandContext, wish: unknown): Promise<string> {
  if (typeof wish === 'string') return wish;
  if (!context.terminal.interactive)
    throw usageError(both('--username is needed', '需要 --username'), { field: '--username' });
  return askText(context, both('Name of the administrator', '管理员用户名'), {
    initial: 'root',
    check: (name) =>
      /^[^@]{1,20}$/u.test(name.trim())
        ? undefined
        : both('1 to 20 characters, without @', '须为 1 到 20 个字符，不含 @'),
  });
}

function passwordSources(flags: Flags): { stdin: boolean; file: string | undefined } {
  return { stdin: flags.passwordStdin === true, file: textOf(flags.passwordFile) };
}

/** The address of the server: named, or asked for with what is usual. */
async function askAddress(given: CommandContext): Promise<string> {
  const { url } = await given.signInTarget();
  const isNamed = given.flags.url !== undefined || (given.environment.TOLLGATE_URL ?? '') !== '';
  if (isNamed || !given.terminal.interactive) return url;
  return askText(given, both('Address of the server', '服务器地址'), {
    initial: url,
    check: addressComplaint,
  });
}

/** The token for addresses that are not of the machine itself; undefined where none is needed. */
async function askSetupToken(context: CommandContext, wish: unknown, state: SetupState): Promise<string | undefined> {
  if (wish !== undefined) return context.secret(String(wish), '--setup-token');
  if (!state.setup_token_required) return undefined;
  const hint = both('the daemon printed it at its first start', '该令牌由服务首次启动时输出');
  if (context.terminal.interactive) {
    const question = both(`Setup token: ${hint.en}`, `初始化令牌：${hint.zh}`);
    return askText(context, question, { check: emptyComplaint });
  }
  throw usageError(both('this address needs --setup-token', '此地址需要 --setup-token'), {
    field: '--setup-token',
    hint,
  });
}

function isTokenRefused(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === 'setup_token_invalid';
}

type FirstSteps = Pick<SetupResult, 'username' | 'mode'> & { readonly password: string };

/** Mode and root account: the steps without which the server serves nobody. */
async function initialise(context: CommandContext, flags: Flags, state: SetupState): Promise<FirstSteps> {
  const { url } = await context.signInTarget();
  let setupToken = await askSetupToken(context, flags.setupToken, state);
  if (state.database_type === 'sqlite') {
    const text = both(
      'The database is SQLite: keep its folder when you upgrade or move.',
      '当前使用 SQLite：升级或迁移时请保留其数据目录。',
    );
    context.note(context.say(text));
  }
  const mode = await askMode(context, flags.mode);
  const username = state.root_init ? '' : await askUsername(context, flags.username);
  const password = state.root_init ? '' : await askNewPassword(context, passwordSources(flags));
  const client = await context.clientFor(url, undefined);
  const submission = {
    username,
    password,
    confirmPassword: password,
    SelfUseModeEnabled: mode === 'self',
    DemoSiteEnabled: mode === 'demo',
  };
  for (;;) {
    try {
      await client.setup.submit(
        submission,
        setupToken === undefined ? {} : { headers: { 'X-Setup-Token': setupToken } },
      );
      break;
    } catch (failure) {
      if (flags.setupToken !== undefined || !isTokenRefused(failure)) throw failure;
      await noteFailure(context, failure);
      // All that was written besides it still stands.
      setupToken = await askSetupToken(context, undefined, state);
    }
  }
  context.done(both(`${url} is initialised`, `${url} 初始化完成`));
  return { username, mode, password };
}

/** Signs in where nobody is, so that the steps behind may call the server. */
async function signIn(context: CommandContext, flags: Flags, { username, password }: FirstSteps): Promise<void> {
  const name = username === '' ? await askUsername(context, flags.username) : username;
  const secret =
    password === ''
      ? await askPassword(context, passwordSources(flags), both(`Password of ${name}`, `${name} 的密码`))
      : password;
  await signInWithPassword(context, { username: name, password: secret });
}

/** Flags of the steps behind the first ones; one of them asks for its step. */
const laterFlags = ['provider', 'tokenName', 'ask'] as const;

export function registerSetupCommand(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('setup')
      .option('--username <name>', say(both('name of the administrator', '管理员用户名')))
      .option('--password-stdin', say(both('read the password from standard input', '从标准输入读取密码')))
      .option('--password-file <file>', say(both('read the password from a file', '从文件读取密码')))
      .addOption(wordFlag('--mode <mode>', say(both('what the site is for', '使用模式')), modes))
      .option(
        '--setup-token <token>',
        say(both('token the daemon printed at its first start', '服务首次启动时输出的令牌')),
      )
      .option('--login', say(both('keep a profile for the new administrator', '为新管理员保存登录配置')))
      .option(
        '--provider <type>',
        say(both('type of the first channel; see channel types', '首个渠道的类型，见 channel types')),
      )
      .option('--key <secret>', say(both('its key: env:NAME, @file or -', '其密钥：env:NAME、@文件 或 -')))
      .option('--base-url <url>', say(both('its address; that of the type by default', '其地址，默认为类型的地址')))
      .option('--models <list>', say(both('its models, or fetch (default)', '其模型，或 fetch（默认）')), collect)
      .option('--no-channel', say(both('make no channel', '不添加渠道')))
      .option('--token-name <name>', say(both('name of the first relay key', '首个令牌的名称')))
      .option('--quota <money>', say(both('its quota, e.g. 5usd (unlimited)', '其额度，如 5usd（默认不限）')))
      .option('--no-token', say(both('make no relay key', '不创建令牌')))
      .option('--ask <question>', say(both('try the key with a question', '用该令牌提一个问题')))
      .option(
        '-m, --model <model>',
        say(both('model to ask (the first of the channel)', '提问的模型（默认为渠道的第一个模型）')),
      )
      .option('--no-ask', say(both('ask nothing', '不提问'))),
    runtime,
    {
      summary: both(
        'Initialise a new server; on a terminal also its first channel, key and question',
        '初始化新服务；在终端中还会引导添加首个渠道、令牌并提问',
      ),
      examples: [
        'setup',
        'setup --username root --password-stdin --mode self --login < password.txt',
        'setup --provider deepseek --key env:DS_KEY --token-name laptop --ask "Say hi"',
      ],
      prints: () => setupView,
      calls: [
        'setup.get',
        'setup.submit',
        'account.login',
        'secondFactor.signIn',
        'stepUp.prove',
        'machineTokens.create',
        'account.logout',
        'account.credential',
        'status.get',
        'channels.list',
        'channels.create',
        'channels.update',
        'channels.test',
        'channels.setStatus',
        'channels.fetchModelsDraft',
        'tokens.list',
        'tokens.create',
        'tokens.revealKey',
        'logs.listByKey',
      ],
      exits: [exitCodes.conflict, exitCodes.no],
    },
    (given, _args, flags) => setUp(given, runtime, flags).catch(tellOfStepLeft),
  );
}

/** Who goes on with a server that has its accounts, and what it is for. */
async function initialisedAs(context: CommandContext): Promise<Omit<FirstSteps, 'password'>> {
  const client = await context.client();
  const { username } = await client.account.credential();
  const { self_use_mode_enabled, demo_site_enabled } = await client.status.get({});
  return { username, mode: self_use_mode_enabled ? 'self' : demo_site_enabled ? 'demo' : 'external' };
}

function setupDone(url: string): CliError {
  return new CliError('setup_done', exitCodes.conflict, both(`${url} is already initialised`, `${url} 已经初始化`), {
    hint: both('tollgate login', 'tollgate login'),
  });
}

/** Channel, relay key and a question; what is there already is not made again. */
async function laterSteps(context: CommandContext, flags: Flags) {
  const keys = await (await context.client()).tokens.list({ page: 1, page_size: 1 });
  refuseQuestionWithoutKey(context, flags, keys.total > 0);
  const channel = await firstChannel(context, flags);
  const key = await firstKey(context, flags, channel.model);
  const asked = await firstQuestion(context, flags, { key, model: channel.model });
  const isNew = channel.id !== null || key?.isNew === true || asked;
  return { channel_id: channel.id, key: key?.isNew === true ? key.secret : '', isNew };
}

async function setUp(given: CommandContext, runtime: Runtime, flags: Flags): Promise<void> {
  const url = await askAddress(given);
  // A token that is at hand belongs to another server than one that has no accounts yet.
  const contextAt = () => new CommandContext({ ...given.flags, url }, { ...runtime, signal: given.signal });
  const context = contextAt();
  // First of all: a `--profile` that is not there yet is the one to be made.
  await context.signInTarget();
  const state = await (await context.clientFor(url, undefined)).setup.get();
  const isLater = laterFlags.some((name) => typeof flags[name] === 'string');
  if (state.status && !isLater && !context.terminal.interactive) throw setupDone(url);
  if (!state.status) refuseQuestionWithoutKey(context, flags, false);
  const done = { username: '', mode: '', password: '' };
  const first = state.status ? done : await initialise(context, flags, state);
  const goesOn = isLater || context.terminal.interactive;
  const hasToken = (await context.signInTarget()).token !== undefined;
  if ((flags.login === true && first.password !== '') || (goesOn && !(state.status && hasToken)))
    await signIn(context, flags, first);
  const later = goesOn ? await laterSteps(contextAt(), flags) : { channel_id: null, key: '', isNew: true };
  if (state.status && !later.isNew) throw setupDone(url);
  const { username, mode } = state.status ? await initialisedAs(contextAt()) : first;
  const { channel_id, key } = later;
  const result = { status: true, root_init: true, database_type: state.database_type, username, mode };
  await given.printer.one({ ...result, channel_id, key }, setupView);
}

/** What was done stays done, and the command finds the step that was left. */
function tellOfStepLeft(failure: unknown): never {
  if (!(failure instanceof QuestionLeft)) throw failure;
  throw new QuestionLeft(both('left; this step was not done', '已退出，此步骤未执行'), {
    hint: both('tollgate setup goes on here', '运行 tollgate setup 从此处继续'),
  });
}
