/** `ui`: the screens. They are loaded when they are opened, and only on a terminal that can show them. */
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import { sessionCalls } from '../owner-session.ts';
import { commandsOf, type RunProgram } from '../screens/commands.ts';
import { screenTable } from '../screens/screen-table.ts';
import { isForLines } from '../terminal.ts';

const calls = [
  'account.get',
  'status.get',
  'channels.list',
  'channels.search',
  'channels.keys',
  'channels.tests',
  'channels.test',
  'channels.setStatus',
  'channels.updateBalance',
  'channels.deleteBatch',
  'usageReports.ofChannel',
  'users.list',
  'users.search',
  'users.manage',
  'redemptions.list',
  'redemptions.search',
  'redemptions.batches',
  'redemptions.create',
  'redemptions.update',
  'redemptions.countByName',
  'redemptions.delete',
  'redemptions.deleteByName',
  'logs.list',
  'logs.listOwn',
  'events.follow',
  'events.followOwn',
  'logs.stat',
  'logs.statOwn',
  'system.get',
  'usageReports.report',
  'usageReports.reportOwn',
  'channels.create',
  'channels.update',
  'channels.fetchModelsDraft',
  'channels.setTags',
  'channels.revealKey',
  'channels.addKeys',
  'channels.setKey',
  'channels.removeKeys',
  'channels.testKey',
  'users.create',
  'tokens.list',
  'tokens.search',
  'tokens.create',
  'tokens.update',
  'tokens.delete',
  'tokens.revealKey',
  'budgets.list',
  'account.saveSetting',
  'redemptions.redeem',
  'rewards.checkIn',
  'options.list',
  'options.set',
  ...sessionCalls,
  'machineTokens.create',
] as const;

/** Throws exit 3 where there is no terminal for screens, with what does the same without one. */
function refuseWithoutTerminal({ host, terminal }: CommandContext): void {
  const isTerminal = host.stdin.isTTY === true && host.stdout === process.stdout && process.stdout.isTTY === true;
  const hint = both(
    'every screen has commands: tollgate status, channel list, user list, redemption list, log list -f',
    '各页面都有对应命令：tollgate status、channel list、user list、redemption list、log list -f',
  );
  if (!isTerminal || !terminal.interactive)
    throw usageError(both('the screens need a terminal', '该界面需要在终端中使用'), { hint });
}

function hostOf({ host: { stdout, stderr, platform } }: CommandContext) {
  return platform === undefined ? { stdout, stderr } : { stdout, stderr, platform };
}

/** The flags that name the same server. */
function whereFlags({ flags: { profile, url } }: CommandContext): readonly string[] {
  return [...(profile === undefined ? [] : ['--profile', profile]), ...(url === undefined ? [] : ['--url', url])];
}

/**
 * The environment of the screens. What they run in it is a program of its own, which was given none of these flags, and
 * would mean the current profile.
 */
function environmentOf({ environment, flags }: CommandContext): NodeJS.ProcessEnv {
  const { profile, url, lang, tz, caFile } = flags;
  const said = {
    TOLLGATE_PROFILE: profile,
    TOLLGATE_URL: url,
    TOLLGATE_LANG: lang,
    TOLLGATE_TZ: tz,
    NODE_EXTRA_CA_CERTS: caFile,
  };
  return { ...environment, ...Object.fromEntries(Object.entries(said).filter(([, word]) => word !== undefined)) };
}

export function registerUiCommand(program: Command, runtime: Runtime, runProgram: RunProgram): void {
  const say = sayIn(runtime.language);
  const names = screenTable.map(({ id }) => id).join(', ');
  leaf(
    program
      .command('ui')
      .option('--screen <name>', say(both(`begin with ${names}`, `起始页面：${names}`)))
      .option('--plain', say(both('line after line, nothing drawn', '逐行输出，不绘制界面'))),
    runtime,
    {
      summary: both(
        'Screens on the terminal; `tollgate` alone opens them too',
        '终端界面；直接运行 `tollgate` 也会打开',
      ),
      examples: ['ui', 'ui --screen logs'],
      prints: 'nothing',
      calls,
      callsAny: true,
      isScreen: true,
    },
    async (context, _args, flags) => {
      const first = textOf(flags.screen);
      if (first !== undefined && !screenTable.some(({ id }) => id === first))
        throw usageError(both(`no screen ${first}; there are ${names}`, `没有页面 ${first}；可用 ${names}`), {
          field: '--screen',
        });
      refuseWithoutTerminal(context);
      if ((await context.target()).token === undefined) {
        await runProgram(['login', ...whereFlags(context)], runtime);
        if (Number(runtime.host.exitCode ?? 0) !== 0) return;
      }
      // React would otherwise load the build that helps its developers.
      process.env.NODE_ENV ??= 'production';
      const { runScreens } = await import('../screens/run.tsx');
      const ends = new AbortController();
      const signal = AbortSignal.any([context.signal, ends.signal]);
      // The screens have the keyboard to themselves: behind them nobody would see that something else asks or reads.
      const host = { ...hostOf(context), stdin: Readable.from([]) };
      const contextIn = (environment: NodeJS.ProcessEnv) =>
        new CommandContext({ ...context.flags, quiet: true }, { ...runtime, host, environment, signal });
      const environment = environmentOf(context);
      const commands = commandsOf(program, runProgram);
      const isPlain = flags.plain === true || isForLines(environment, context.host);
      const { how, unanswered } = await runScreens({ contextIn, environment, commands, first, isPlain }).finally(() =>
        ends.abort(),
      );
      const isTerminated = context.signal.reason === 'SIGTERM';
      if (how === 'quit' && !context.signal.aborted) return;
      const code = isTerminated ? exitCodes.terminated : exitCodes.interrupted;
      context.endWith(code);
      const call = unanswered.first;
      if (call === undefined) return;
      const { idempotencyKey } = call;
      throw new CliError(
        'interrupted',
        code,
        both('the call was sent; whether it took effect is not known', '请求已发出，是否生效未知'),
        idempotencyKey === undefined
          ? {}
          : { hint: both(`its --idempotency-key is ${idempotencyKey}`, `其 --idempotency-key 为 ${idempotencyKey}`) },
      );
    },
  );
}
