/** `doctor`: what is wrong with the server, or beside the daemon, one line a check. */

import type { Command } from 'commander';
import { type Flags, type LocalFinding, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { noteFailure } from '../failure-note.ts';
import { collect, givenFor, textOf } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { describeFailure } from '../report.ts';
import { chineseFinding } from './doctor-words.ts';
import { serverChecks } from './server-checks.ts';

/** What the daemon's own program looks at; a test holds the two lists together. */
const localChecks = ['config', 'secret', 'disk', 'database', 'redis', 'clock', 'port', 'files', 'memory', 'zone'];

/** The checks that flags leave of those there are. */
function chosen(flags: Flags, known: readonly string[]): string[] {
  const only = splitList(givenFor(flags.only));
  const skip = splitList(givenFor(flags.skip));
  const unknown = [...only, ...skip].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const names = known.join(', ');
    throw usageError(both(`no check ${unknown}; there are ${names}`, `没有检查项 ${unknown}，可用：${names}`));
  }
  const left = known.filter((name) => (only.length === 0 || only.includes(name)) && !skip.includes(name));
  // Checking nothing would end as if all were well.
  if (left.length === 0)
    throw usageError(both('--skip leaves no check', '--skip 没有留下任何检查项'), { field: '--skip' });
  return left;
}

/** What was found, and the first failure of those that kept a check from being made. */
interface Examined {
  readonly findings: readonly LocalFinding[];
  readonly failure?: unknown;
}

/** A check that is refused keeps none of the others from being made; where nothing can be asked any more, what was found is kept. */
async function askServer(context: CommandContext, flags: Flags): Promise<Examined> {
  const names = chosen(flags, Object.keys(serverChecks));
  const client = await context.client();
  const { url } = await context.target();
  const findings: LocalFinding[] = [];
  let failure: unknown;
  for (const name of names) {
    const began = performance.now();
    const elapsedMs = () => Math.round(performance.now() - began);
    try {
      const found = (await serverChecks[name]?.(context, client)) ?? [];
      findings.push(...found.map((one) => ({ ...one, ms: elapsedMs() })));
    } catch (error) {
      if (context.signal.aborted) throw error;
      failure ??= error;
      const { message, exitCode } = await describeFailure(error, { language: context.language, url });
      if (exitCode !== exitCodes.forbidden) break;
      findings.push({ check: name, result: 'skip', found: message, expected: '', remedy: '', ms: elapsedMs() });
    }
  }
  return { findings, failure };
}

async function lookBeside(runtime: Runtime, flags: Flags): Promise<Examined> {
  const config = textOf(flags.config);
  const wish = { checks: chosen(flags, localChecks), ...(config === undefined ? {} : { config }) };
  return { findings: await runtime.local.examine(wish) };
}

/** A screen has seldom room beside what was found for what to do about it: what is wrong is told whole below. */
function noteRemedies(context: CommandContext, findings: readonly LocalFinding[]): void {
  if (!context.terminal.stdout || context.printer.format !== 'table') return;
  for (const { result, check, found, remedy } of findings) {
    if (remedy === '' || (result !== 'fail' && result !== 'warn')) continue;
    context.note(context.say(both(`${check}: ${found}`, `${check}：${chineseFinding(found)}`)));
    context.note(context.say(both(`  try: ${remedy}`, `  可尝试：${remedy}`)));
  }
}

const findingView: View<LocalFinding> = {
  columns: [
    { heading: 'RESULT', unit: 'word', value: (row) => row.result, priority: 1 },
    { heading: 'CHECK', value: (row) => row.check, priority: 1 },
    { heading: 'FOUND', value: (row) => row.found, chineseCell: chineseFinding, priority: 2 },
    { heading: 'EXPECTED', value: (row) => row.expected, chineseCell: chineseFinding, priority: 4 },
    { heading: 'REMEDY', value: (row) => row.remedy, priority: 3 },
    { heading: 'MS', value: (row) => row.ms, align: 'right', priority: 5 },
  ],
  fields: ['check', 'result', 'found', 'expected', 'remedy', 'ms'],
  id: (row) => row.check,
};

export function registerDoctorCommand(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('doctor')
      .option(
        '--local',
        say(both('look beside the daemon instead: files, database, ports', '改为检查本机：文件、数据库与端口')),
      )
      .option('--config <file>', say(both('configuration file, with --local', '配置文件，与 --local 同用')))
      .option(
        '--only <checks>',
        say(
          both(
            `only these: ${Object.keys(serverChecks).join(', ')}; with --local ${localChecks.join(', ')}`,
            `仅检查这些项：${Object.keys(serverChecks).join('、')}；--local 时为 ${localChecks.join('、')}`,
          ),
        ),
        collect,
      )
      .option('--skip <checks>', say(both('all but these', '跳过这些项')), collect)
      .option('--strict', say(both('warnings end with 2 too', '警告也以 2 退出'))),
    runtime,
    {
      summary: both('Find what is wrong with the server, or on its machine', '检查服务器或本机的问题'),
      examples: [
        'doctor',
        'doctor --only upstreams -o json',
        'doctor --only mail,oidc,address',
        'doctor --local --config /etc/tollgate.yaml',
      ],
      prints: () => findingView,
      calls: [
        'status.get',
        'system.get',
        'system.check',
        'selfTests.run',
        'audits.verify',
        'prices.list',
        'groups.list',
        'channels.list',
      ],
      exits: [exitCodes.no],
    },
    async (context, _args, flags) => {
      const isLocal = flags.local === true;
      if (!isLocal && flags.config !== undefined) {
        throw usageError(both('--config goes with --local', '--config 需与 --local 同用'), { field: '--config' });
      }
      const { findings, failure } = isLocal ? await lookBeside(runtime, flags) : await askServer(context, flags);
      if (findings.length === 0 && failure !== undefined) throw failure;
      await context.printer.list(findings, findingView);
      noteRemedies(context, findings);
      const bad = findings.filter(({ result }) => result === 'fail' || (flags.strict === true && result === 'warn'));
      if (failure !== undefined && bad.length > 0) await noteFailure(context, failure);
      else if (failure !== undefined) throw failure;
      if (bad.length === 0) return;
      throw new CliError(
        'check_failed',
        exitCodes.no,
        both('{count} {count:check|checks} failed', '{count} 项未通过', { count: bad.length }),
      );
    },
  );
}
