/** `user create`: one user by flags, or many from a file. */
import type { Command } from 'commander';
import { roles } from '../../daemon/contract/roles.ts';
import { leaf, type Runtime } from '../command.ts';
import { askNewPassword } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { counted } from '../counted.ts';
import { NotSent } from '../dry-run.ts';
import { CliError, localError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { expectAmong, textOf, wordFlag } from '../flags.ts';
import { refuseGeneralFailure } from '../items.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { describeFailure } from '../report.ts';
import type { LeftOpen } from '../unanswered.ts';
import { againAfter, leftOpen } from '../unfinished.ts';
import { userView } from '../views.ts';

export const roleNumbers: Readonly<Record<string, number>> = roles;

/** What a row of the file may say; the heading line names its columns. */
const columns = ['username', 'password', 'display_name', 'group', 'quota', 'role'] as const;
type Sent = Partial<Record<(typeof columns)[number], string>>;

async function madePassword(): Promise<string> {
  const { randomBytes } = await import('node:crypto');
  // A dash in front would be guarded as a formula in CSV, and the password there another one.
  return randomBytes(15).toString('base64url').replace(/^-/, '_');
}

/** The password of a file, standard input or a prompt. */
export async function newPassword(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<string> {
  const sources = { stdin: flags.passwordStdin === true, file: textOf(flags.passwordFile) };
  return askNewPassword(context, sources);
}

async function creationOf(context: CommandContext, sent: Sent, password: string) {
  const { username = '', display_name, group, quota, role } = sent;
  expectAmong(role, Object.keys(roleNumbers), '--role');
  const roleNumber = role === undefined ? undefined : roleNumbers[role];
  return {
    username,
    password,
    ...(display_name === undefined ? {} : { display_name }),
    ...(group === undefined ? {} : { group }),
    ...(quota === undefined ? {} : { quota: await context.money(quota, '--quota') }),
    ...(roleNumber === undefined ? {} : { role: roleNumber }),
  };
}

/** The rows of a CSV file with a heading line; empty fields count as absent. */
async function readRows(context: CommandContext, file: string): Promise<Sent[]> {
  const { parse } = await import('csv-parse/sync');
  const text = await context.value(file === '-' ? '-' : `@${file}`, '--from');
  let lines: string[][];
  try {
    lines = parse(text, { bom: true, skip_empty_lines: true, trim: true });
  } catch (cause) {
    throw localError(both(`${file} is not CSV`, `${file} 不是 CSV`), { field: '--from', cause });
  }
  const [headings = [], ...rows] = lines;
  const unknown = headings.find((heading) => !columns.some((column) => column === heading));
  if (unknown !== undefined || !headings.includes('username')) {
    const list = columns.join(',');
    throw usageError(both(`the heading line must be of: ${list}`, `标题行须由以下列组成：${list}`), {
      field: '--from',
    });
  }
  return rows.map((row) => {
    const sent: Sent = {};
    for (const column of columns) {
      const value = row[headings.indexOf(column)];
      if (headings.includes(column) && value) sent[column] = value;
    }
    return sent;
  });
}

interface Made {
  username: string;
  id: number | null;
  /** Shown once, where the program made it. */
  password: string | null;
  error: string | null;
}

const madeView: View<Made> = {
  columns: [
    { heading: 'ID', value: (row) => row.id },
    { heading: 'NAME', value: (row) => row.username, priority: 1 },
    { heading: 'PASSWORD', value: (row) => row.password, priority: 1 },
    { heading: 'ERROR', value: (row) => row.error },
  ],
  fields: ['username', 'id', 'password', 'error'],
  id: (row) => row.id ?? '',
};

/** The same for the user in every file: a rerun with the rows that failed puts others into their lines. */
async function keyOf({ repetition }: CommandContext, username: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return repetition.keyFor(createHash('sha256').update(username).digest('base64url').slice(0, 22));
}

/** Why a row failed. A password that was made goes with one run alone, so that another cannot be answered with it. */
async function reasonOf(error: unknown, context: CommandContext, isGenerated: boolean): Promise<string> {
  const { ApiError } = await import('../../daemon/contract/api-error.ts');
  if (isGenerated && error instanceof ApiError && error.code === 'idempotency_conflict') return context.say(madeBefore);
  const { url } = await context.target();
  return (await describeFailure(error, { language: context.language, url })).message;
}

const madeBefore = both(
  'an earlier run with this --idempotency-key has created it, and it alone could tell the password it made; tollgate user edit USER --password-stdin sets another',
  '此前使用相同 --idempotency-key 的运行已创建该用户，其生成的密码仅在当时显示；可用 tollgate user edit USER --password-stdin 重新设置',
);

const namedTwice = both('a row above it has the same username', '前面已有相同用户名的行');

/** Creates the users of a file one after another; a row that fails does not stop the rest. */
async function createMany(context: CommandContext, file: string): Promise<void> {
  const rows = await readRows(context, file);
  const client = await context.client();
  const failures: unknown[] = [];
  const reasons = new Set<string>();
  const named = new Set<string>();
  const create = async (row: Sent, left: LeftOpen): Promise<Made | undefined> => {
    const generated = row.password === undefined ? await madePassword() : undefined;
    const username = row.username ?? '';
    try {
      // Its key is that of the row above: the server would answer with that row's user again, or speak of earlier runs.
      if (named.has(username)) throw localError(namedTwice);
      if (username !== '') named.add(username);
      const creation = await creationOf(context, row, row.password ?? generated ?? '');
      const idempotencyKey = await keyOf(context, username);
      const { id } = await client.users.create(creation, { idempotencyKey });
      // Nobody else knows it, and ids alone would not tell.
      if (generated !== undefined && context.flags.quiet === true) tellPassword(context, generated, username);
      return { username, id, password: generated ?? null, error: null };
    } catch (failed) {
      if (failed instanceof NotSent) return undefined;
      const error = leftOpen(context, failed, left);
      failures.push(error);
      const message = await reasonOf(error, context, generated !== undefined);
      reasons.add(message);
      return context.flags.quiet === true ? undefined : { username, id: null, password: null, error: message };
    }
  };
  async function* made(): AsyncGenerator<Made> {
    for await (const row of counted(context, rows, rows.length)) {
      const one = await context.unanswered.watch((left) => create(row, left));
      if (one !== undefined) yield one;
    }
  }
  await context.printer.list(made(), madeView);
  const failed = failures.length;
  if (failed === 0) return;
  if (failed === rows.length) await refuseGeneralFailure(context, failures);
  const why = [...reasons].join('; ');
  const text = both(`${failed} of ${rows.length} failed: ${why}`, `${rows.length} 项中有 ${failed} 项失败：${why}`);
  const isFull = failures.some((failure) => failure instanceof CliError && failure.exitCode === exitCodes.rateLimited);
  throw new CliError('partial', exitCodes.partial, text, {
    ...(isFull ? { hint: fullHint } : {}),
    ...againAfter(failures),
  });
}

/** Accounts are made by few calls in much time, so that nobody guesses at what the server guards. */
const fullHint = both(
  'run it again with the rows that failed; --timeout 20m waits for room, limits.critical in config.yaml gives more',
  '请用失败的行重新运行；--timeout 20m 可等待服务器放行，config.yaml 中的 limits.critical 可放宽限制',
);

/** Says a password that was made, even where notes are not wanted. */
function tellPassword(context: CommandContext, password: string, of?: string): void {
  const whose = of === undefined ? both('', '') : both(` of ${of}`, `（${of}）`);
  context.tell(both(`password${whose.en}: ${password}`, `密码${whose.zh}：${password}`));
}

export function registerUserCreate(user: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    user
      .command('create')
      .alias('add')
      .option('--username <name>', say(both('user name', '用户名')))
      .option('--password-stdin', say(both('read the password from standard input', '从标准输入读取密码')))
      .option('--password-file <file>', say(both('read the password from a file', '从文件读取密码')))
      .option('--generate-password', say(both('make one and print it once', '生成密码并显示一次')))
      .option('--display-name <text>', say(both('display name', '显示名')))
      .option('--group <group>', say(both('group', '分组')))
      .option('--quota <money>', say(both('balance, e.g. 5usd', '余额，例如 5usd')))
      .addOption(wordFlag('--role <role>', say(both('role', '角色')), ['user', 'admin']))
      .option(
        '--from <file>',
        say(
          both(
            `many users from a CSV file (or -) with the columns ${columns.join(', ')}; without a password one is made and printed`,
            `从 CSV 文件（或 -）批量创建，列为 ${columns.join('、')}；未给出密码时自动生成并输出`,
          ),
        ),
      ),
    runtime,
    {
      summary: both('Create a user, or many', '创建用户，可批量'),
      examples: ['user create --username ci --generate-password --quota 5usd', 'user create --from users.csv -o csv'],
      prints: (context, flags) => (flags.from === undefined ? userView(context) : madeView),
      rows: 'users.list',
      calls: ['users.create'],
      exits: [exitCodes.partial],
    },
    async (context, _args, flags) => {
      const [file, username] = [textOf(flags.from), textOf(flags.username)];
      if ((file === undefined) === (username === undefined))
        throw usageError(both('name --username or --from', '请指定 --username 或 --from'), { field: '--username' });
      if (file !== undefined) return createMany(context, file);
      const given: [keyof Sent, string | undefined][] = [
        ['username', username],
        ['display_name', textOf(flags.displayName)],
        ['group', textOf(flags.group)],
        ['quota', textOf(flags.quota)],
        ['role', textOf(flags.role)],
      ];
      const sent: Sent = {};
      for (const [name, value] of given) if (value !== undefined) sent[name] = value;
      const generated = flags.generatePassword === true ? await madePassword() : undefined;
      const creation = await creationOf(context, sent, generated ?? (await newPassword(context, flags)));
      const created = await (await context.client()).users.create(creation).catch(async (error: unknown) => {
        const { ApiError } = await import('../../daemon/contract/api-error.ts');
        if (!(error instanceof ApiError) || error.code !== 'machine_token_not_supported') throw error;
        // Only the making of administrators is refused so: `promote` asks for the password of whoever does it.
        throw new CliError(error.code, exitCodes.forbidden, both(error.message, error.message), {
          field: '--role',
          cause: error,
          hint: both(
            `leave --role out, then: tollgate user promote ${creation.username}`,
            `去掉 --role，创建后运行 tollgate user promote ${creation.username}`,
          ),
        });
      });
      context.done(
        both(`user ${created.username} has id ${created.id}`, `已创建用户 ${created.username}，编号 ${created.id}`),
      );
      if (generated !== undefined) tellPassword(context, generated);
      await context.printer.one(created, userView(context));
    },
  );
}
