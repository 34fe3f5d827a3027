/**
 * How a command is declared: both languages, examples, the flags every command takes, and an action that gets a
 * `CommandContext` and never lets a failure go unreported.
 */
import type { Command } from 'commander';
import { isReference } from './argument-texts.ts';
import { addCommonFlags, owns } from './common-flags.ts';
import type { ConfigProblem } from './config-words.ts';
import { CommandContext, type CommonFlags, type Surroundings } from './context.ts';
import type { CopyCommands } from './copies.ts';
import { refuseEmptyWords } from './empty-words.ts';
import { usageError } from './errors.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Manual } from './help.ts';
import { subjectsOf } from './hint-words.ts';
import type { Host } from './host.ts';
import { parseDuration } from './input/time.ts';
import { type Bilingual, both, type Language, sayIn } from './language.ts';
import { nothingByName, type Printed } from './output/choices.ts';
import { orderOf } from './output/order.ts';
import { outputFormats } from './output/printer.ts';
import { isOfProfile } from './profile.ts';
import { refuseUnusableKey } from './repetition.ts';
import { reportFailure } from './report.ts';
import { rowFields } from './row-fields.ts';
import { ReaderGone } from './streams.ts';
import { describeTerminal } from './terminal.ts';
import { interrupted, keyedAgain, leftOpen, outOfTime, unwritten, watchUnwritten } from './unfinished.ts';
import { keyedCalls, writeCalls } from './write-calls.ts';

/** What one run of the program needs besides its arguments. */
export interface Runtime extends Surroundings {
  readonly language: Language;
  /** Runs a command that lives beside the daemon (`serve`, `migrate`, `config`); loaded by `bin/`. */
  readonly local: LocalCommands;
  /** Texts of the commands declared so far, for completion. */
  readonly texts: Map<Command, CommandText>;
  /** What was looked up of commands whose help is about to be printed. */
  readonly manuals: Map<Command, Manual>;
  /** Told of every command as it is declared. */
  onCommand?(command: Command, text: CommandText): void;
}

/** Doors that `bin/` opens into the daemon; `cli/` itself never imports it. */
export interface LocalCommands extends CopyCommands {
  serve(options: {
    config?: string;
    listen?: string;
    data?: string;
    logLevel?: string;
    language?: Language;
    /** Says what is wrong with the configuration in the reader's language. */
    problemText?: (problem: ConfigProblem) => string;
  }): Promise<number>;
  migrate(options: {
    config?: string;
    dryRun?: boolean;
    status?: boolean;
    /** Told once of each step that takes long, while it runs. */
    onLong?: (name: string) => void;
  }): Promise<MigrationReport>;
  checkConfig(options: { config?: string }): Promise<ConfigReport>;
  /** Makes the named checks, all without names; names that are none make none. */
  examine(options: { config?: string; checks?: readonly string[] }): Promise<LocalFinding[]>;
}

/** What a look beside the daemon found. */
export interface LocalFinding {
  check: string;
  result: 'ok' | 'warn' | 'fail' | 'skip';
  found: string;
  expected: string;
  remedy: string;
  ms: number;
}

export interface MigrationReport {
  /** In order; `applied` is an RFC 3339 time, undefined when the step is still to be run. */
  steps: { version: number; name: string; applied: string | undefined }[];
}

export interface ConfigReport {
  problems: ConfigProblem[];
  /** What is set and changes nothing. */
  idle: ConfigProblem[];
  /** Variables that nothing reads. */
  unknown: ConfigProblem[];
  /** Every key with its value as shown (secrets masked) and where it came from. */
  entries: { path: string; value: string; source: string; environment: string | undefined }[];
}

export interface CommandText {
  summary: Bilingual;
  examples: readonly string[];
  /**
   * What it prints by those flags, so that wishes are held against it before anything is sent: rows of a view, a `text`
   * as it is, or `nothing` but a line on standard error. Asks no server.
   */
  prints: 'nothing' | 'text' | ((context: CommandContext, flags: Flags) => Printed | Promise<Printed>);
  /** Forms that the command makes by itself, beside those of every result; it finds the one asked for as `ownForm`. */
  forms?: readonly string[];
  /** The endpoint whose rows are printed as they come, where the view does not name their fields. */
  rows?: string;
  /** For commands that list and take `--sort`: the orders that the server itself knows. */
  orders?: readonly string[];
  /** Endpoints the command may call, e.g. `channels.list`; none for local commands. */
  calls?: readonly string[];
  /** True where it may call any other too. */
  callsAny?: boolean;
  /** True where the items that it takes are parts of one thing, or go in one call: none is done by itself. */
  together?: boolean;
  /** True where a flag makes it do the same several times. */
  several?: boolean;
  /** What it may end with beside what follows from its arguments, flags and calls. */
  exits?: readonly ExitCode[];
  /** Asks before each call by itself, so that no flag holds one back or names its key. */
  isScreen?: boolean;
}

type Arguments = (string | string[])[];

/** Flags of one command beside the common ones; values are as commander parsed them. */
export type Flags = CommonFlags & Record<string, unknown>;

export type Action = (context: CommandContext, args: Arguments, flags: Flags) => Promise<void>;

/** Whether a command may change something on the server. */
function mayWrite({ calls = [], callsAny = false, isScreen = false }: CommandText): boolean {
  if (isScreen) return false;
  return callsAny || calls.some((name) => writeCalls.has(name));
}

/** Whether a command may make a call that an `Idempotency-Key` makes safe to repeat. */
function takesKey({ calls = [], callsAny = false, isScreen = false }: CommandText): boolean {
  if (isScreen) return false;
  return callsAny || calls.some((name) => keyedCalls.has(name));
}

/** Whether a command does the same to each of several items, or several times. */
function takesItems({ registeredArguments }: Command, { calls = [], together = false, several }: CommandText): boolean {
  if (several === true) return true;
  const last = registeredArguments.at(-1);
  return calls.length > 0 && !together && last?.variadic === true && isReference(last.name());
}

/** `--header` and `--no-header` share a name; commander would default it to true, so absent must stay absent. */
function withoutDefaults(flags: Flags, command: Command): Flags {
  const out: Flags = { ...flags };
  if (owns(command, '--out')) {
    out.ownOut = flags.out;
    out.out = typeof flags.outFile === 'string' ? flags.outFile : undefined;
  }
  if (owns(command, '--output')) {
    out.ownOutput = flags.output;
    out.output = outputFormats.find((format) => format === flags.outputForm);
  }
  for (const name of ['header', 'input']) {
    if (command.getOptionValueSource(name) === 'default') delete out[name];
  }
  return out;
}

/** A form that the command makes by itself is a text to everybody else. */
function withOwnForm(flags: Flags, { forms = [] }: CommandText): Flags {
  const wish: string | undefined = flags.output;
  return wish !== undefined && forms.includes(wish) ? { ...flags, ownForm: wish, output: undefined } : flags;
}

/** Declares a leaf command: texts, common flags, and its action with reporting around it. */
export function leaf(command: Command, runtime: Runtime, text: CommandText, action: Action): Command {
  const say = sayIn(runtime.language);
  runtime.texts.set(command, text);
  runtime.onCommand?.(command, text);
  command.description(say(text.summary));
  // Some tell by themselves what they would do.
  const holdsBack = mayWrite(text) && !command.options.some(({ long }) => long === '--dry-run');
  if (holdsBack) {
    command.option('--dry-run', say(both('check, show what would be sent, send nothing', '仅检查并显示将发送的请求')));
  }
  if (takesKey(text)) {
    command.option('--idempotency-key <key>', say(both('makes running it again safe', '用于安全重试的幂等键')));
  }
  if (takesItems(command, text)) {
    command
      .option('--concurrency <n>', say(both('items done at once (4; at most 32)', '同时处理的项数（默认 4，最多 32）')))
      .option('--fail-fast', say(both('begin no more items when one has failed', '有一项失败后不再处理其余各项')));
  }
  addCommonFlags(command, runtime, text.forms ?? []);
  if (text.orders !== undefined && !command.options.some(({ long }) => long === '--sort')) {
    command.option(
      '--sort <field>',
      say(both('the whole list by a JSON field, or field:desc', '按 JSON 字段对完整列表排序，field:desc 为降序')),
    );
  }
  const takesTime = text.isScreen !== true && (text.calls !== undefined || text.callsAny === true);
  if (takesTime && !command.options.some(({ long }) => long === '--timeout')) {
    command.option(
      '--timeout <duration>',
      say(both('give up after, e.g. 30s (exit 8)', '超时放弃，如 30s（退出码 8）')),
    );
  }
  command.action(async (...received: unknown[]) => {
    const flags = withOrder(withoutDefaults(withOwnForm(command.optsWithGlobals<Flags>(), text), command), text);
    if (holdsBack && flags.dryRun === true) flags.unsent = true;
    if (runtime.environment.TOLLGATE_DEBUG) flags.debug = true;
    const args = received.slice(0, -2).map((arg) => (Array.isArray(arg) ? arg.map(String) : String(arg ?? '')));
    const subjects = subjectsOf(command, args);
    await runAction(command, { ...runtime, subjects }, { text, flags, given: received.slice(0, -2) }, (context) =>
      action(context, args, flags),
    );
  });
  return command;
}

/** By which names the result can be asked for. */
export async function printedBy(
  context: CommandContext,
  flags: Flags,
  { prints, rows }: CommandText,
): Promise<Printed> {
  if (typeof prints === 'string') return nothingByName;
  const printed = await prints(context, flags);
  return printed.fields !== undefined || rows === undefined ? printed : { ...printed, fields: rowFields(rows) };
}

/** A list that the server does not sort is sorted here, and must be whole for that. */
function withOrder(flags: Flags, { orders }: CommandText): Flags {
  const wish = flags.sort;
  if (orders === undefined || typeof wish !== 'string' || orders.includes(wish)) return flags;
  return { ...flags, order: orderOf(wish), all: true };
}

/** Throws exit 3 for a part of a list that is to be sorted. */
function refusePart(flags: Flags): void {
  if (flags.order === undefined) return;
  const field = flags.limit === undefined ? (flags.top === undefined ? undefined : '--top') : '--limit';
  if (field === undefined) return;
  throw usageError(both(`--sort needs the whole list, not ${field}`, `--sort 需要完整列表，不能与 ${field} 同用`), {
    field,
    hint: both(
      `leave ${field} out; -o tsv | head cuts what is sorted`,
      `去掉 ${field}；可用 -o tsv | head 截取排序结果`,
    ),
  });
}

async function runAction(
  command: Command,
  runtime: Runtime,
  { text, flags, given }: { text: CommandText; flags: Flags; given: readonly unknown[] },
  work: (context: CommandContext) => Promise<void>,
): Promise<void> {
  const context = new CommandContext(flags, runtime);
  watchUnwritten(context);
  try {
    // A command that waits or follows ends by itself.
    const isLimited = flags.timeout !== undefined && flags.wait !== true && flags.follow !== true;
    refuseEmptyWords(command, given, flags);
    refusePart(flags);
    refuseUnusableKey(flags);
    if (isLimited) context.limitTime(parseDuration(flags.timeout ?? '', '--timeout'));
    await context.openResult();
    try {
      await context.perform(async () => {
        // Before anything is called: a `create` must not make what it then cannot print.
        if ((await context.printer.check(await printedBy(context, flags, text))) === 'to be printed')
          await work(context);
      });
      if (context.isOutOfTime) throw outOfTime(context);
    } finally {
      context.endProgress();
      await context.closeResult();
    }
  } catch (error) {
    // The stream's own listener has told and noted why.
    if (error instanceof ReaderGone) return;
    const interruption = runtime.signal.aborted ? interrupted(context, error) : undefined;
    if (interruption === 'in peace') return;
    const failure =
      interruption ?? (context.isOutOfTime ? outOfTime(context, error) : leftOpen(context, unwritten(context, error)));
    const target = await context.target().catch(() => undefined);
    runtime.host.exitCode = await reportFailure(failure, {
      language: context.language,
      named: context.subjects.named,
      command: commandPath(command),
      url: target?.url,
      again: keyedAgain(context),
      namedProfile: target !== undefined && isOfProfile(target) ? context.flags.profile : undefined,
      tokenSource: await context.tokenSource().catch(() => undefined),
      debug: context.isDebugged,
      machine: context.printer.machine,
      colour: context.terminal.colour.stderr,
      stderr: runtime.host.stderr,
    });
  }
}

/** Words of a command without the program's name. */
export function commandPath(command: Command): string {
  const words: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) words.unshift(at.name());
  return words.join(' ');
}

/** The command that words name from the program down; undefined for none. */
export function commandAt(program: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (at, word) => at?.commands.find((child) => child.name() === word || child.aliases().includes(word)),
    program,
  );
}

/** A group of commands; called bare, commander prints its help and takes it for a usage error. */
export function group(program: Command, { language }: Runtime, name: string, summary: Bilingual): Command {
  const help = both('show help of a command', '显示命令的帮助');
  return program.command(name).description(summary[language]).helpCommand('help [command]', help[language]);
}

/** Whether messages are coloured that come before any command is known. */
export function earlyColour(environment: NodeJS.ProcessEnv, host: Host): boolean {
  return describeTerminal({}, environment, host).colour.stderr;
}
