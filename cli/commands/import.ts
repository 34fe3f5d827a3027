/** `import`: the database of another gateway taken over beside the daemon. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type {
  ImportClashRule,
  ImportKind,
  ImportRoleRule,
  ImportSource,
} from '../../daemon/contract/gateway-import.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { ImportedKind, ImportReport } from '../copies.ts';
import { usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, givenFor, textOf, wordFlag } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { openResultFile } from '../output/unfinished-files.ts';
import { watched } from './backup.ts';

const kindView: View<ImportedKind> = {
  columns: [
    { heading: 'KIND', value: (row) => row.kind, priority: 1 },
    { heading: 'FOUND', chinese: '来源行数', value: (row) => row.found, align: 'right', priority: 2 },
    { heading: 'NEW', chinese: '已导入', value: (row) => row.new, align: 'right', priority: 1 },
    { heading: 'SKIPPED', chinese: '跳过', value: (row) => row.skipped, align: 'right', priority: 1 },
    { heading: 'FAILED', value: (row) => row.failed, align: 'right', priority: 1 },
    { heading: 'SUM', chinese: '额度合计', value: (row) => row.sum, align: 'right', priority: 2 },
  ],
  fields: ['kind', 'found', 'new', 'skipped', 'failed', 'sum'],
  id: (row) => row.kind,
  verbatim: true,
};

/** For help, which loads nothing of the contract. */
const kindWords = 'options, users, balances, tokens, channels, redemptions';

interface SourceRow {
  readonly name: string;
  readonly label: string;
  readonly channel_types: string;
}

const sourceView: View<SourceRow> = {
  columns: [
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
    { heading: 'LABEL', chinese: '网关', value: (row) => row.label, priority: 2 },
    { heading: 'CHANNEL_TYPES', chinese: '渠道类型', value: (row) => row.channel_types, priority: 2 },
  ],
  fields: ['name', 'label', 'channel_types'],
  id: (row) => row.name,
  verbatim: true,
};

/** Servers of databases by their URL, and MySQL as programs in Go name it. */
const serverAddress = /^(postgres(ql)?|mysql|mariadb):\/\/.|(^|@)(tcp6?|unix)\(.*\)\/./;

/** The address of the source: a file, `sqlite:PATH`, a server of `serverAddress` or `env:NAME`. Throws exit 3. */
async function sourceOf(context: CommandContext, text: string): Promise<string> {
  const address = text.startsWith('env:') ? await context.secret(text, 'database') : text;
  if (/^sqlite:.+/.test(address)) return address;
  if (existsSync(address)) return `sqlite:${address}`;
  if (serverAddress.test(address)) return address;
  if (!address.includes('://')) return `sqlite:${address}`;
  throw usageError(
    both(
      'the database is a SQLite file, postgres://…, mysql://… or env:NAME',
      '来源须为 SQLite 文件、postgres://…、mysql://… 或 env:变量名',
    ),
  );
}

/** The words of a flag, all of them known. Throws exit 3. */
function wordsOf<Word extends string>(flags: Flags, flag: string, known: readonly Word[]): Word[] {
  return splitList(givenFor(flags[flag])).map((word) => {
    const found = known.find((candidate) => candidate === word);
    if (found !== undefined) return found;
    const list = known.join(', ');
    throw usageError(both(`--${flagOf(flag)} takes ${list}, not ${word}`, `--${flagOf(flag)} 可为 ${list}`), {
      field: `--${flagOf(flag)}`,
    });
  });
}

function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function groupsOf(flags: Flags): Record<string, string> {
  const pairs = splitList(givenFor(flags.mapGroup)).map((pair) => {
    const [there = '', here = '', ...rest] = pair.split('=').map((name) => name.trim());
    if (there !== '' && here !== '' && rest.length === 0) return [there, here] as const;
    throw usageError(both('--map-group takes a=b, c=d', '--map-group 的格式为 a=b,c=d'), { field: '--map-group' });
  });
  return Object.fromEntries(pairs);
}

async function wishOf(context: CommandContext, given: string, flags: Flags) {
  const { importClashRules, importKinds, importRoleRules, importSources } = await import(
    '../../daemon/contract/gateway-import.ts'
  );
  const names = importSources.map(({ name }) => name);
  const [from = 'auto'] = wordsOf<ImportSource | 'auto'>(flags, 'from', ['auto', ...names]);
  const [onClash = 'skip'] = wordsOf<ImportClashRule>(flags, 'onClash', importClashRules);
  const [roles = 'keep'] = wordsOf<ImportRoleRule>(flags, 'roles', importRoleRules);
  const only = wordsOf<ImportKind>(flags, 'only', importKinds);
  const skip = wordsOf<ImportKind>(flags, 'skip', importKinds);
  const kinds = (only.length === 0 ? importKinds : only).filter((kind) => !skip.includes(kind));
  if (only.includes('balances') && !kinds.includes('users')) {
    throw usageError(both('balances come with users alone', '余额（balances）须与用户（users）一同导入'), {
      field: '--only',
    });
  }
  const config = textOf(flags.config);
  return {
    ...(config === undefined ? {} : { config }),
    source: await sourceOf(context, given),
    from: from === 'auto' ? undefined : from,
    kinds,
    groups: groupsOf(flags),
    roles,
    onClash,
    dryRun: flags.dryRun === true,
  };
}

async function takeOver(context: CommandContext, runtime: Runtime, given: string, flags: Flags): Promise<void> {
  const wish = await wishOf(context, given, flags);
  const path = textOf(flags.report);
  const wished = { force: flags.force === true, flag: '--report' };
  const file = path === undefined ? undefined : await openResultFile(context, path, wished);
  try {
    const report = await runtime.local.import({ ...wish, ...(await watched(context)) });
    // Said first: what was kept stays, even if the file cannot be written after all.
    await context.printer.list(report.kinds, kindView);
    tell(context, report, wish.dryRun);
    await file?.write(`${JSON.stringify(report, undefined, 2)}\n`);
    file?.done();
  } finally {
    await file?.close();
  }
}

/** Reasons of the report for accounts that rule others. */
const privilegedRoles = new Set(['role_root', 'role_admin', 'root_as_admin']);

function tell(context: CommandContext, report: ImportReport, dryRun: boolean): void {
  if (report.rows.some(({ reason }) => reason === 'root_locked_out')) {
    const text = both(
      'sign-in by password is off there, and the super administrator has no other way in: tollgate rescue password-login switches it on',
      '来源关闭了密码登录，且超级管理员没有其他登录方式；可用 tollgate rescue password-login 重新开启',
    );
    context.note(context.say(text));
  }
  const failed = report.kinds.reduce((sum, kind) => sum + kind.failed, 0);
  const ignored = Object.values(report.ignored_columns).flat().length;
  if (ignored > 0) {
    const text = both(
      '{ignored} {ignored:column is not known here and was|columns are not known here and were} ignored',
      '已忽略 {ignored} 个无法识别的列',
      { ignored },
    );
    context.note(context.say(text));
  }
  const privileged = report.rows.filter(({ reason }) => privilegedRoles.has(reason)).length;
  if (privileged > 0) {
    const text = both(
      '{privileged} {privileged:account comes as an administrator; --roles users takes it in as a user|accounts come as administrators; --roles users takes them in as users}',
      '{privileged} 个账户以管理员身份导入；使用 --roles users 可将其导入为普通用户',
      { privileged },
    );
    context.note(context.say(text));
  }
  if (failed > 0) context.endWith(exitCodes.partial);
  if (report.written) {
    const taken = report.kinds.reduce((sum, kind) => sum + kind.new, 0);
    context.done(
      both('{taken} {taken:row|rows} taken over from {source}', '已从 {source} 导入 {taken} 行', {
        taken,
        source: report.source,
      }),
    );
    return;
  }
  const reason = dryRun
    ? both('dry run: nothing was kept', '试运行：未保留任何更改')
    : both('something is here already: nothing was kept', '存在冲突：未保留任何更改');
  context.note(context.say(reason));
}

export function registerImportCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const command = program
    .command('import')
    .argument('<database>')
    .option('--from <name>', say(both('whose database it is (auto)', '来源网关的名称（默认 auto）')))
    .option('--dry-run', say(both('do everything and keep nothing', '完整试运行，不保留更改')))
    .option(
      '--only <kinds>',
      say(both(`take over these kinds alone: ${kindWords}`, `仅导入这些类别：${kindWords}`)),
      collect,
    )
    .option('--skip <kinds>', say(both('leave out these kinds', '不导入这些类别')), collect)
    .option(
      '--map-group <pairs>',
      say(both('names of groups there and here: a=b,c=d', '分组名称映射：a=b,c=d')),
      collect,
    )
    .addOption(
      wordFlag('--on-clash <rule>', say(both('where the name is taken (skip)', '重名时的处理（skip）')), [
        'skip',
        'rename',
        'fail',
      ]),
    )
    .option(
      '--roles <rule>',
      say(both('of administrators: keep (default) or users', '管理员身份：keep（默认）或 users')),
    )
    .option('--report <file>', say(both('say in a file what was left out, and why', '把未导入的行及原因写入文件')))
    .option('--config <file>', say(both('configuration file', '配置文件')));
  leaf(
    command,
    runtime,
    {
      summary: both(
        'Take over the database of another gateway: a SQLite file, PostgreSQL, MySQL or MariaDB',
        '导入其他网关的数据库：SQLite 文件、PostgreSQL、MySQL 或 MariaDB',
      ),
      examples: [
        'import one-api.db --dry-run --report report.json',
        'import env:OLD_DATABASE --from new-api --map-group vip=premium --on-clash rename',
      ],
      prints: () => kindView,
      exits: [exitCodes.no, exitCodes.conflict, exitCodes.partial, exitCodes.local],
    },
    (context, [given], flags) => takeOver(context, runtime, String(given), flags),
  );
  leaf(
    command.command('sources'),
    runtime,
    {
      summary: both('List the gateways that import understands', '列出支持导入的网关'),
      examples: ['import sources'],
      prints: () => sourceView,
    },
    async (context) => {
      const { importSources } = await import('../../daemon/contract/gateway-import.ts');
      const rows = importSources.map(({ name, label, channelTypes }) => ({
        name,
        label,
        channel_types: [...channelTypes]
          .map(([there, here]) => (there === here ? there : `${there}=${here}`))
          .join(','),
      }));
      await context.printer.list(rows, sourceView);
    },
  );
}
