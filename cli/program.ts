/**
 * The `tollgate` program: every command of the table below, usage errors as exit 3, signals, and the language.
 * Commands load their own code when they run, so help and completion load no schema and no screen.
 */
import { Command, CommanderError } from 'commander';
import { bareCommand } from './bare-command.ts';
import { commandAt, commandPath, earlyColour, type Runtime } from './command.ts';
import { registerAboutCommands } from './commands/about.ts';
import { registerAccountCommands } from './commands/account.ts';
import { registerAlertCommands } from './commands/alert.ts';
import { registerApiCommand } from './commands/api.ts';
import { registerAuditCommands } from './commands/audit.ts';
import { registerBackupCommands } from './commands/backup.ts';
import { registerBudgetCommands } from './commands/budget.ts';
import { registerChannelCommands } from './commands/channel.ts';
import { registerChatCommand } from './commands/chat.ts';
import { registerDoctorCommand } from './commands/doctor.ts';
import { registerGroupCommands } from './commands/group.ts';
import { registerImportCommands } from './commands/import.ts';
import { registerLimitCommands } from './commands/limit.ts';
import { registerLocalCommands } from './commands/local.ts';
import { registerLogCommands } from './commands/log.ts';
import { registerMachineTokenCommands } from './commands/machine-token.ts';
import { registerModelCommands } from './commands/model.ts';
import { registerNodeCommands } from './commands/node.ts';
import { registerOpenCommand } from './commands/open.ts';
import { registerOptionCommands } from './commands/option.ts';
import { registerOrderCommands } from './commands/order.ts';
import { registerOwnAccountCommands } from './commands/own-account.ts';
import { registerPageCommands } from './commands/page.ts';
import { registerPriceCommands } from './commands/price.ts';
import { registerProfileCommands } from './commands/profile.ts';
import { registerRateRuleCommands } from './commands/rate-rule.ts';
import { registerRedemptionCommands } from './commands/redemption.ts';
import { registerRegistrationCommands } from './commands/registration.ts';
import { registerRescueCommands } from './commands/rescue.ts';
import { registerRewardCommands } from './commands/reward.ts';
import { registerSearchCommand } from './commands/search.ts';
import { registerSessionCommands } from './commands/session.ts';
import { registerSetupCommand } from './commands/setup.ts';
import { registerStateCommands } from './commands/state.ts';
import { registerStatusCommand } from './commands/status.ts';
import { registerTokenCommands } from './commands/token.ts';
import { registerUiCommand } from './commands/ui.ts';
import { registerUsageCommands } from './commands/usage.ts';
import { registerUserCommands } from './commands/user.ts';
import { registerWalletCommands } from './commands/wallet.ts';
import { registerWorkCommands } from './commands/work.ts';
import { exitCodes } from './exit-codes.ts';
import { type HelpShape, helpConfiguration } from './help.ts';
import { both, chooseLanguage } from './language.ts';
import { behindCommand, withoutLeadingFlags } from './leading-flags.ts';
import { lookUp } from './manual.ts';
import { readPreferences } from './profile.ts';
import { watchStreams } from './streams.ts';
import { describeTerminal, paint } from './terminal.ts';
import { usageErrorText } from './usage-errors.ts';
import { version } from './version.ts';

/** Adds the commands that begin with these words; with none of their own, commands that look at all the others. */
type Registration = readonly [firstWords: readonly string[], register: (program: Command, runtime: Runtime) => void];

const registrations: readonly Registration[] = [
  [['serve', 'config', 'migrate'], registerLocalCommands],
  [['backup', 'restore'], registerBackupCommands],
  [['import'], registerImportCommands],
  [['rescue'], registerRescueCommands],
  [['setup'], registerSetupCommand],
  [['status'], registerStatusCommand],
  [
    [],
    (program, runtime) =>
      registerUiCommand(program, runtime, (argv, inside) => runProgram(argv, { ...inside, local: runtime.local })),
  ],
  [['login', 'logout', 'whoami'], registerAccountCommands],
  [['register', 'password-reset'], registerRegistrationCommands],
  [['account'], registerOwnAccountCommands],
  [['session'], registerSessionCommands],
  [['machine-token'], registerMachineTokenCommands],
  [['profile'], registerProfileCommands],
  [['user'], registerUserCommands],
  [['token'], registerTokenCommands],
  [['budget'], registerBudgetCommands],
  [['limit'], registerLimitCommands],
  [['chat'], registerChatCommand],
  [['wallet'], registerWalletCommands],
  [['checkin', 'invite'], registerRewardCommands],
  [['channel'], registerChannelCommands],
  [['model'], registerModelCommands],
  [['price'], registerPriceCommands],
  [['rate-rule'], registerRateRuleCommands],
  [['group'], registerGroupCommands],
  [['option'], registerOptionCommands],
  [['page'], registerPageCommands],
  [['alert', 'mail'], registerAlertCommands],
  [['export', 'diff', 'apply', 'state'], registerStateCommands],
  [['redemption'], registerRedemptionCommands],
  [['order'], registerOrderCommands],
  [['log'], registerLogCommands],
  [['usage'], registerUsageCommands],
  [['drawing', 'task'], registerWorkCommands],
  [['audit'], registerAuditCommands],
  [['search'], registerSearchCommand],
  [['node'], registerNodeCommands],
  [['doctor'], registerDoctorCommand],
  [['api'], registerApiCommand],
  [['open'], registerOpenCommand],
  [[], registerAboutCommands],
];

/** What a first word leads to: making the other commands takes longer than most commands do. */
function registrationsFor(firstWord = ''): readonly Registration[] {
  const own = registrations.filter(([words]) => words.includes(firstWord));
  return own.length === 0 ? registrations : own;
}

/**
 * `--json` alone means all fields and must never eat the next word, which commander would take for the field list.
 */
function withExplicitJson(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) => (arg === '--json' && (end === -1 || index < end) ? '--json=' : arg));
}

/** `--lang` and `--profile` count before commander has read the flags, because descriptions are made at once. The last one wins. */
function wished(flag: '--lang' | '--profile' | '--url', args: readonly string[]): string | undefined {
  const at = args.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const arg = args[at];
  return arg === flag ? args[at + 1] : arg?.slice(flag.length + 1);
}

/** Whether the result would have been JSON, as far as words tell that commander could not read. */
function wishesJson(args: readonly string[]): boolean {
  return args.some((arg, at) => {
    if (/^--(?:json|jq)(?:=|$)/.test(arg) || /^(?:-o|--output=)(?:nd)?json$/.test(arg)) return true;
    return (arg === '-o' || arg === '--output') && /^(?:nd)?json$/.test(args[at + 1] ?? '');
  });
}

/** The words that the name alone, or with flags, stands for on a terminal; none elsewhere. */
async function bareWords(
  args: readonly string[],
  { environment, host }: Pick<Runtime, 'environment' | 'host'>,
): Promise<readonly string[]> {
  const [profile, url] = [wished('--profile', args), wished('--url', args)];
  const asked = {
    ...environment,
    ...(profile === undefined ? {} : { TOLLGATE_PROFILE: profile }),
    ...(url === undefined ? {} : { TOLLGATE_URL: url }),
  };
  const isTerminal = host.stdout.isTTY === true && describeTerminal({}, environment, host).interactive;
  const command = isTerminal ? await bareCommand(asked) : undefined;
  return command === undefined ? [] : [command];
}

/** Builds the program: all commands, or those that a first word leads to. */
export function buildProgram(surroundings: Omit<Runtime, 'texts' | 'manuals'>, firstWord?: string): Command {
  return programOf({ ...surroundings, texts: new Map(), manuals: new Map() }, 'whole', firstWord);
}

function programOf(runtime: Runtime, shape: HelpShape, firstWord: string | undefined): Command {
  const program = new Command('tollgate');
  program
    .description(
      both('Gateway for AI models: server, administration and scripts', 'AI 模型网关：服务、管理与脚本')[
        runtime.language
      ],
    )
    .version(version, '--version', both('print the version', '输出版本号')[runtime.language])
    .helpOption(
      '-h, --help',
      both('show help: -h briefly, --help all of it', '显示帮助：-h 为简要，--help 为完整')[runtime.language],
    )
    .showSuggestionAfterError(true)
    .enablePositionalOptions()
    .configureHelp(helpConfiguration({ ...runtime, shape }))
    .exitOverride();
  for (const [, register] of registrationsFor(firstWord)) register(program, runtime);
  return program;
}

/** Runs the program to its end and sets the host's exit code; output may still be on its way out when it returns. */
export async function runProgram(
  argv: readonly string[],
  { environment, host, signal, local }: Omit<Runtime, 'language' | 'preferences' | 'texts' | 'manuals'>,
): Promise<void> {
  const typed = withExplicitJson(argv);
  const preferences = await readPreferences(wished('--profile', typed), environment);
  const language = chooseLanguage({ flag: wished('--lang', typed), profile: preferences.lang }, environment);
  watchStreams(host, language);
  const colour = earlyColour(environment, host);
  const tables = { texts: new Map(), manuals: new Map() };
  const runtime: Runtime = { environment, host, language, preferences, signal, local, ...tables };
  const [firstWord] = withoutLeadingFlags(typed);
  const isWhole = typed.includes('--help') || firstWord === 'help';
  const program = programOf(runtime, isWhole ? 'whole' : 'short', firstWord);
  const isMachine = wishesJson(typed);
  const configure = (command: Command): void => {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: (text, write) => {
        // To commander the word behind a group is an argument that the group does not take.
        const isUnknown = command.commands.length > 0 && text.startsWith('error: too many arguments');
        const words = isUnknown ? `unknown command '${command.args[0]}'` : text.replace(/^error: /, '');
        const told = usageErrorText(words, {
          language,
          help: `${['tollgate', commandPath(command)].join(' ').trim()} --help`,
        });
        if (isMachine) {
          const [message = '', ...rest] = told.trimEnd().split('\n');
          const hint = rest.map((line) => line.trim().replace(/^(?:try: |可尝试：)/, '')).join(' ');
          const error = { code: 'usage', message, hint, command: commandPath(command), exit_code: exitCodes.usage };
          return write(`${JSON.stringify({ error })}\n`);
        }
        write(paint(language === 'zh' ? '错误：' : 'error: ', 'red', colour) + told);
      },
    });
    command.commands.forEach(configure);
  };
  configure(program);
  try {
    let args = behindCommand(program, typed);
    if (args.length === 0) args = behindCommand(program, [...typed, ...(await bareWords(typed, runtime))]);
    if (args.length === 0) {
      program.outputHelp({ error: true });
      host.exitCode = exitCodes.usage;
      return;
    }
    if (args.some((word) => word === '--help' || word === '-h')) {
      // Commander prints help at once: what has to be looked up for it is there before.
      const words = args.slice(
        0,
        args.findIndex((word) => word.startsWith('-')),
      );
      const asked = words.map((_word, index) => commandAt(program, words.slice(0, index + 1)));
      const command = asked.findLast((found) => found !== undefined);
      if (command !== undefined) await lookUp(command, runtime);
    }
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // What a stream that broke has said of it stands.
    host.exitCode ??= error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
}
