/** Commands that run beside the daemon: `serve`, `config`, `migrate`. */
import type { Command } from 'commander';
import stringWidth from 'string-width';
import type { ConfigReport, MigrationReport } from '../command.ts';
import { type Flags, group, leaf, type Runtime } from '../command.ts';
import { type ConfigProblem, chineseConfigProblem, configProblemText } from '../config-words.ts';
import type { CommandContext } from '../context.ts';
import type { MoveReport } from '../copies.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { writtenTime } from '../written-time.ts';
import { addressOf, copyFields, rowsOf, watched } from './backup.ts';

const configFlag = ['--config <file>', both('configuration file', '配置文件')] as const;

const entryView: View<ConfigReport['entries'][number]> = {
  columns: [
    { heading: 'KEY', chinese: '键', value: (row) => row.path },
    { heading: 'VALUE', value: (row) => row.value },
    { heading: 'SOURCE', unit: 'word', value: (row) => row.source },
    { heading: 'ENVIRONMENT', value: (row) => row.environment, priority: 9 },
  ],
  fields: ['path', 'value', 'source', 'environment'],
  id: (row) => row.path,
};

const problemView: View<ConfigReport['problems'][number]> = {
  columns: [
    { heading: 'KEY', chinese: '键', value: (row) => row.path },
    { heading: 'PROBLEM', value: (row) => row.message, chineseCell: chineseConfigProblem },
    { heading: 'ENVIRONMENT', value: (row) => row.environment, priority: 9 },
  ],
  fields: ['path', 'message', 'environment'],
  id: (row) => row.path,
};

const stepView = (context: CommandContext): View<MigrationReport['steps'][number]> => ({
  columns: [
    { heading: 'VERSION', value: (row) => row.version, align: 'right' },
    { heading: 'NAME', value: (row) => row.name },
    { heading: 'APPLIED', unit: 'time', value: (row) => writtenTime(context, row.applied) },
  ],
  fields: ['version', 'name', 'applied'],
  id: (row) => row.version,
});

const moveView: View<MoveReport> = {
  columns: [
    { heading: 'DATABASE', value: (row) => row.database, priority: 1 },
    { heading: 'ROWS', value: rowsOf, align: 'right', priority: 1 },
    { heading: 'TABLES', value: (row) => Object.keys(row.tables).length, align: 'right', priority: 2 },
  ],
  fields: ['database', ...copyFields],
  id: (row) => row.database,
  verbatim: true,
};

export function registerLocalCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);

  leaf(
    program
      .command('serve')
      .option(configFlag[0], say(configFlag[1]))
      .option('--listen <address>', say(both('host:port to listen on', '监听地址 host:port')))
      .option('--data <folder>', say(both('folder for database, secret and journal', '数据目录')))
      .option(
        '--log-level <level>',
        say(both('debug, info, warn, error or silent', '日志级别：debug、info、warn、error 或 silent')),
      ),
    runtime,
    {
      summary: both('Run the daemon', '运行服务'),
      examples: ['serve', 'serve --config /etc/tollgate.yaml'],
      prints: 'nothing',
    },
    async (context, _args, flags) => {
      const options = {
        config: textOf(flags.config),
        listen: textOf(flags.listen),
        data: textOf(flags.data),
        logLevel: textOf(flags.logLevel),
        language: runtime.language,
        problemText: (problem: ConfigProblem) => say(configProblemText(problem)),
      };
      context.endWith(await runtime.local.serve(definedOnly(options)));
    },
  );

  const config = group(program, runtime, 'config', both('Check and show the configuration', '检查与查看配置'));
  leaf(
    config
      .command('check')
      .option(configFlag[0], say(configFlag[1]))
      .option('--strict', say(both('also refuse variables that nothing reads', '同时拒绝无人读取的环境变量'))),
    runtime,
    {
      summary: both('Check the configuration and say what is wrong', '检查配置并指出问题'),
      examples: ['config check --config prod.yaml', 'config check --strict'],
      prints: () => problemView,
    },
    async (context, _args, flags) => {
      const report = await runtime.local.checkConfig(definedOnly({ config: textOf(flags.config) }));
      const isRefused = flags.strict === true && report.problems.length === 0 && report.unknown.length > 0;
      for (const problem of [...(isRefused ? [] : report.unknown), ...report.idle]) {
        context.note(say(configProblemText(problem)));
      }
      if (isRefused) {
        await listProblems(context, report.unknown);
        context.endWith(exitCodes.no);
        return;
      }
      if (report.problems.length === 0) {
        context.done(both('the configuration is valid', '配置有效'));
        return;
      }
      await listProblems(context, report.problems);
      context.endWith(exitCodes.local);
    },
  );
  leaf(
    config
      .command('print')
      .option(configFlag[0], say(configFlag[1]))
      .option('--show-defaults', say(both('also the keys that nobody set', '包含未设置的键'))),
    runtime,
    {
      summary: both('Print the keys that are set, with value and source', '输出已设置的配置项及其来源'),
      examples: ['config print', 'config print --show-defaults --json'],
      prints: () => entryView,
    },
    async (context, _args, flags) => {
      const report = await runtime.local.checkConfig(definedOnly({ config: textOf(flags.config) }));
      const isShown = ({ source }: { source: string }) => flags.showDefaults === true || source !== 'default';
      await context.printer.list(report.entries.filter(isShown), entryView);
      if (report.problems.length > 0) context.endWith(exitCodes.local);
    },
  );

  const migrate = program
    .command('migrate')
    .option(
      '--to <address>',
      say(both('move all data to another, empty database instead', '改为把全部数据迁移到另一个空数据库')),
    )
    .option('--dry-run', say(both('say what would be done, change nothing', '只显示将要执行的操作')))
    .option(configFlag[0], say(configFlag[1]));
  leaf(
    migrate,
    runtime,
    {
      summary: both('Bring the database to this version under a lock', '在锁内把数据库升级到当前版本'),
      examples: ['migrate', 'migrate --dry-run', 'migrate --to postgres://tollgate@db.example.com/tollgate'],
      prints: (context, flags) => (flags.to === undefined ? stepView(context) : moveView),
    },
    async (context, _args, flags) => {
      if (flags.to !== undefined) return moveData(context, runtime, flags);
      const report = await runtime.local.migrate(
        definedOnly({
          config: textOf(flags.config),
          dryRun: flags.dryRun === true,
          onLong: (name: string) => context.note(say(both(`${name} takes long`, `${name} 耗时较长，请等待`))),
        }),
      );
      await context.printer.list(report.steps, stepView(context));
      if (isPending(report.steps)) context.note(say(backUpFirst));
    },
  );
  leaf(
    migrate.command('status').option(configFlag[0], say(configFlag[1])),
    runtime,
    {
      summary: both('List the migrations and when each ran', '列出迁移步骤及执行时间'),
      examples: ['migrate status'],
      prints: stepView,
    },
    async (context, _args, flags) => {
      const report = await runtime.local.migrate(definedOnly({ config: textOf(flags.config), status: true }));
      await context.printer.list(report.steps, stepView(context));
      if (!isPending(report.steps)) return;
      context.note(say(backUpFirst));
      context.endWith(exitCodes.no);
    },
  );
}

/** A screen has seldom room for all of what is wrong: what it cuts is told whole below. */
async function listProblems(context: CommandContext, problems: ConfigReport['problems']): Promise<void> {
  await context.printer.list(problems, problemView);
  if (!context.terminal.stdout || context.printer.format !== 'table') return;
  const lines = problems.map((problem) => context.say(configProblemText(problem)));
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => stringWidth(text)));
  // Every key gets as much room as the longest.
  if (widest(lines) + widest(problems.map(({ path }) => path)) <= context.terminal.columns) return;
  for (const line of lines) context.note(line);
}

/** All data into another database; the one of the configuration stays as it is. */
async function moveData(context: CommandContext, runtime: Runtime, flags: Flags): Promise<void> {
  const to = await addressOf(context, textOf(flags.to) ?? '', '--to');
  const wish = { ...definedOnly({ config: textOf(flags.config) }), to, dryRun: flags.dryRun === true };
  const report = await runtime.local.moveTo({ ...wish, ...(await watched(context)) });
  context.endProgress();
  await context.printer.one(report, moveView);
  if (wish.dryRun) return context.note(context.say(both('nothing was changed', '未做任何更改')));
  const rows = rowsOf(report);
  context.done(
    both(
      '{rows} {rows:row is|rows are} in {database}; now name it in the configuration: database.url',
      '已迁移 {rows} 行到 {database}；请在配置中修改 database.url',
      { rows, database: report.database },
    ),
  );
}

/** There is no way back from a migration. */
const backUpFirst = both(
  'There is no way back but a backup: tollgate backup --out FILE --passphrase env:NAME',
  '迁移无法撤销，请先备份：tollgate backup --out FILE --passphrase env:NAME',
);

function isPending(steps: readonly { readonly applied: string | undefined }[]): boolean {
  return steps.some(({ applied }) => applied === undefined);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value, so that absent stays absent. */
function definedOnly<T extends object>(record: T): Defined<T> {
  const out: Defined<T> = {};
  for (const [name, value] of Object.entries(record)) if (value !== undefined) Reflect.set(out, name, value);
  return out;
}
