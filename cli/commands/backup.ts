/** `backup` and `restore`: the whole database in a file and out of it, beside the daemon. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { type Flags, leaf, type Runtime } from '../command.ts';
import { askPassword, confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import type { CopyReport, Exclusion, FileReport, RestoreReport } from '../copies.ts';
import { notRead, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, givenFor, textOf, wordFlag } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { type Bilingual, both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { openResultFile } from '../output/unfinished-files.ts';
import { writtenTime } from '../written-time.ts';

type FileRow = FileReport & { file: string };

const shortestPassphrase = 8;

/** All rows of a copy. */
export function rowsOf({ tables }: CopyReport): number {
  return Object.values(tables).reduce((sum, rows) => sum + rows, 0);
}

/** Fields that every report of a copy has. */
export const copyFields = ['tables', 'sums', 'created_at', 'version', 'engine'] as const;

const fileView = (context: CommandContext): View<FileRow> => ({
  columns: [
    { heading: 'FILE', value: (row) => row.file, priority: 1 },
    { heading: 'BYTES', value: (row) => row.bytes, align: 'right', priority: 2 },
    { heading: 'ROWS', value: rowsOf, align: 'right', priority: 1 },
    { heading: 'SECRETS', unit: 'word', value: (row) => row.secrets, priority: 2 },
    { heading: 'CREATED', unit: 'time', value: (row) => writtenTime(context, row.created_at), priority: 3 },
    { heading: 'SHA256', value: (row) => row.sha256, priority: 4 },
  ],
  fields: ['file', 'bytes', 'sha256', 'secrets', 'excluded', ...copyFields],
  id: (row) => row.file,
  verbatim: true,
});

const restoreView = (context: CommandContext): View<RestoreReport> => ({
  columns: [
    { heading: 'DATABASE', value: (row) => row.database, priority: 1 },
    { heading: 'ROWS', value: rowsOf, align: 'right', priority: 1 },
    { heading: 'CREATED', unit: 'time', value: (row) => writtenTime(context, row.created_at), priority: 2 },
    { heading: 'SECRET', unit: 'word', value: (row) => row.secret, priority: 3 },
  ],
  fields: ['database', 'secret', ...copyFields],
  id: (row) => row.database,
  verbatim: true,
});

/** Tells how many rows were copied. */
export async function watched(context: CommandContext) {
  const progress = await context.startProgress('items');
  let done = 0;
  return {
    signal: context.signal,
    onRows: (count: number) => {
      done += count;
      progress.at(done, undefined);
    },
  };
}

/** The address of a database, of which a password is better kept out of the process list. Throws exit 3. */
export async function addressOf(context: CommandContext, text: string, field: string): Promise<string> {
  const address = text.startsWith('env:') ? await context.secret(text, field) : text;
  if (/^sqlite:.+|^postgres(ql)?:\/\/./.test(address)) return address;
  throw usageError(
    both(`${field} is sqlite:PATH, postgres://… or env:NAME`, `${field} 须为 sqlite:路径、postgres://… 或 env:变量名`),
    { field },
  );
}

async function askPassphrase(context: CommandContext, question: Bilingual): Promise<string> {
  context.endProgress();
  return askPassword(context, { stdin: false, file: undefined }, question);
}

/** A new passphrase; undefined where none was given and nobody can be asked. */
async function newPassphrase(context: CommandContext, flags: Flags): Promise<string | undefined> {
  const text = textOf(flags.passphrase);
  if (text !== undefined) return context.secret(text, '--passphrase');
  if (!context.terminal.interactive) return undefined;
  const passphrase = await askPassphrase(context, both('Passphrase for the backup', '设置备份口令'));
  const again = await askPassphrase(context, both('The passphrase once more', '再次输入口令'));
  if (again === passphrase) return passphrase;
  throw usageError(both('the two passphrases differ', '两次输入的口令不同'), { field: '--passphrase' });
}

/** Does what needs a passphrase only if the file is encrypted, and then asks for it where somebody can be asked. */
async function unlocked<T>(
  context: CommandContext,
  flags: Flags,
  work: (passphrase: string | undefined) => Promise<T>,
): Promise<T> {
  const text = textOf(flags.passphrase);
  const given = text === undefined ? undefined : await context.secret(text, '--passphrase');
  try {
    return await work(given);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'backup_passphrase_missing';
    if (!isMissing || !context.terminal.interactive) throw error;
  }
  return work(await askPassphrase(context, both('Passphrase of the backup', '备份口令')));
}

/** What the file is locked with; undefined for `--secrets none`. Throws exit 3. */
async function lockOf(context: CommandContext, flags: Flags): Promise<string | undefined> {
  const wish = textOf(flags.secrets) ?? 'encrypted';
  if (wish === 'none' && flags.passphrase === undefined) return undefined;
  if (wish !== 'encrypted') {
    throw usageError(
      wish === 'none'
        ? both('--secrets none has nothing for a passphrase to lock', '--secrets none 不需要口令')
        : both('--secrets is encrypted or none', '--secrets 为 encrypted 或 none'),
      { field: '--secrets' },
    );
  }
  const passphrase = await newPassphrase(context, flags);
  if (passphrase !== undefined && [...passphrase].length >= shortestPassphrase) return passphrase;
  throw usageError(
    passphrase === undefined
      ? both('a backup holds secrets and needs a passphrase', '备份包含密钥等敏感数据，需要口令')
      : both(
          `the passphrase needs at least ${shortestPassphrase} characters`,
          `口令至少需要 ${shortestPassphrase} 个字符`,
        ),
    {
      field: '--passphrase',
      hint: both(
        'pass --passphrase env:NAME, or leave secrets out with --secrets none',
        '请传入 --passphrase env:变量名，或用 --secrets none 去除敏感数据',
      ),
    },
  );
}

function exclusionsOf(flags: Flags): Exclusion[] {
  return splitList(givenFor(flags.exclude)).map((part) => {
    if (part === 'logs' || part === 'bodies') return part;
    throw usageError(both(`--exclude takes logs and bodies, not ${part}`, `--exclude 仅支持 logs 与 bodies`), {
      field: '--exclude',
    });
  });
}

async function writeBackup(context: CommandContext, runtime: Runtime, flags: Flags): Promise<void> {
  const out = textOf(flags.ownOut);
  if (out === undefined || (out === '-' && context.terminal.stdout)) {
    throw usageError(
      both('name the file with --out FILE; --out - needs a pipe', '请用 --out 指定文件；--out - 需要管道'),
      {
        field: '--out',
      },
    );
  }
  const config = textOf(flags.config);
  const excluded = exclusionsOf(flags);
  const passphrase = await lockOf(context, flags);
  const wish = { ...(config === undefined ? {} : { config }), excluded, passphrase, ...(await watched(context)) };
  if (out === '-') {
    const report = await runtime.local.backup({ ...wish, write: (bytes) => context.writeBytes(bytes) });
    context.endProgress();
    context.done(writtenText(report));
    return;
  }
  const file = await openResultFile(context, out, { force: flags.force === true });
  let report: FileReport;
  try {
    report = await runtime.local.backup({ ...wish, write: (bytes) => file.write(bytes) });
    file.done();
  } finally {
    await file.close();
  }
  context.endProgress();
  await context.printer.one({ file: out, ...report }, fileView(context));
  context.done(writtenText(report));
}

function writtenText(report: FileReport): Bilingual {
  const rows = rowsOf(report);
  return both(
    '{rows} {rows:row|rows} in {bytes} {bytes:byte|bytes}, sha256 {sha256}',
    '共 {rows} 行，{bytes} 字节，sha256 {sha256}',
    { rows, bytes: report.bytes, sha256: report.sha256 },
  );
}

const passphraseFlag = [
  '--passphrase <source>',
  both('passphrase: env:NAME, @file or -', '口令来源：env:变量名、@文件或 -'),
] as const;

function registerBackup(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const backup = program
    .command('backup')
    .option('--out <file|->', say(both('file to write, - for standard output', '输出文件，- 为标准输出')))
    .option('--exclude <parts>', say(both('leave out logs, bodies', '不包含 logs、bodies')), collect)
    .addOption(
      wordFlag('--secrets <how>', say(both('what becomes of secrets (encrypted)', '敏感数据的处理（encrypted）')), [
        'encrypted',
        'none',
      ]),
    )
    .option(passphraseFlag[0], say(passphraseFlag[1]))
    .option('--config <file>', say(both('configuration file', '配置文件')));
  leaf(
    backup,
    runtime,
    {
      summary: both(
        'Save the whole database in a file, also while the daemon runs',
        '备份整个数据库，服务运行时也可执行',
      ),
      examples: ['backup --out nightly.tgb --passphrase env:BK', 'backup --out open.tgb --secrets none --exclude logs'],
      prints: fileView,
      exits: [exitCodes.local],
    },
    (context, _args, flags) => writeBackup(context, runtime, flags),
  );
  leaf(
    backup.command('verify').argument('<file>').option(passphraseFlag[0], say(passphraseFlag[1])),
    runtime,
    {
      summary: both('Read a backup to its end and say what it holds', '完整读取备份并校验内容'),
      examples: ['backup verify nightly.tgb --passphrase env:BK'],
      prints: fileView,
      exits: [exitCodes.no, exitCodes.local],
    },
    async (context, [given], flags) => {
      const file = String(given);
      await expectReadable(file);
      const report = await unlocked(context, flags, async (passphrase) =>
        runtime.local.verifyBackup({ file, passphrase, ...(await watched(context)) }),
      );
      context.endProgress();
      await context.printer.one({ file: basename(file), ...report }, fileView(context));
      context.done(both('the backup is whole', '备份完整'));
    },
  );
}

function registerRestore(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('restore')
      .argument('<file>')
      .option(
        '--into <address>',
        say(both('database to fill (that of the configuration)', '要写入的数据库（默认为配置中的数据库）')),
      )
      .option('--replace', say(both('remove what is in the database', '先清除数据库中的现有数据')))
      .option(
        '--dry-run',
        say(both('read the backup and look for room, write nothing', '仅读取备份并检查目标，不写入')),
      )
      .option('--confirm <name>', say(both('name of the database, so that nobody is asked', '数据库名称，用于免询问')))
      .option(passphraseFlag[0], say(passphraseFlag[1]))
      .option('--config <file>', say(both('configuration file', '配置文件'))),
    runtime,
    {
      summary: both(
        'Fill an empty database from a backup, all or nothing',
        '从备份恢复到空数据库，要么全部成功要么不变',
      ),
      examples: [
        'restore nightly.tgb --dry-run --passphrase env:BK',
        'restore nightly.tgb --into sqlite:new.db --confirm new.db --passphrase env:BK',
      ],
      prints: restoreView,
      exits: [exitCodes.no, exitCodes.conflict, exitCodes.local],
    },
    async (context, [given], flags) => {
      const [config, into] = [textOf(flags.config), textOf(flags.into)];
      const isReplacing = flags.replace === true;
      await expectReadable(String(given));
      const question = isReplacing
        ? both('replace everything in the database', '将替换数据库中的全部数据')
        : both('fill the database', '将写入数据库');
      const wish = {
        ...(config === undefined ? {} : { config }),
        file: String(given),
        into: into === undefined ? undefined : await addressOf(context, into, '--into'),
        replace: isReplacing,
        dryRun: flags.dryRun === true,
        confirm: (name: string) => {
          context.endProgress();
          return confirmSevere(context, question, name);
        },
      };
      const report = await unlocked(context, flags, async (passphrase) =>
        runtime.local.restore({ ...wish, passphrase, ...(await watched(context)) }),
      );
      context.endProgress();
      await context.printer.one(report, restoreView(context));
      if (flags.dryRun === true) context.done(both('the backup is whole, and there is room', '备份完整，目标可写入'));
      else context.done(restoredText(report));
    },
  );
}

/** Before a passphrase is asked for. Throws exit 12. */
async function expectReadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
    if ((await stat(file)).isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
  } catch (cause) {
    throw notRead(file, { field: 'file', cause });
  }
}

function restoredText(report: RestoreReport): Bilingual {
  const rows = rowsOf(report);
  const text = both('{rows} {rows:row|rows} restored into {database}', '已恢复 {rows} 行到 {database}', {
    rows,
    database: report.database,
  });
  if (report.secret === 'same') return text;
  return report.secret === 'adopted'
    ? both(`${text.en}; the data folder has the secret of the backup now`, `${text.zh}；数据目录已采用备份中的根密钥`)
    : both(
        `${text.en}; values were sealed anew under the secret of this machine, and everybody signs in again`,
        `${text.zh}；敏感数据已用本机根密钥重新加密，所有用户需重新登录`,
      );
}

export function registerBackupCommands(program: Command, runtime: Runtime): void {
  registerBackup(program, runtime);
  registerRestore(program, runtime);
}
