/** `user edit`: what of an account is changed by hand. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { expectChange, textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import { findUser as find } from '../users.ts';
import { userView } from '../views.ts';
import { newPassword } from './user-create.ts';

export function registerUserEdit(user: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    user
      .command('edit')
      .argument('<user>')
      .option('--username <name>', say(both('new name', '新用户名')))
      .option('--display-name <text>', say(both('display name', '显示名')))
      .option('--group <group>', say(both('group', '分组')))
      .option(
        '--notes <text>',
        say(both('notes, for administrators alone; @file or -', '备注，仅管理员可见；可用 @file 或 -')),
      )
      .option('--no-notes', say(both('take the notes away', '清除备注')))
      .option('--password-stdin', say(both('read a new password from standard input', '从标准输入读取新密码')))
      .option('--password-file <file>', say(both('read a new password from a file', '从文件读取新密码'))),
    runtime,
    {
      summary: both('Change a user', '修改用户'),
      examples: ['user edit 12 --group vip', "user edit alice --notes 'billed by invoice, see ticket 4711'"],
      prints: userView,
      rows: 'users.get',
      calls: ['users.update', 'users.get', 'users.search'],
    },
    async (context, [reference], flags) => {
      const client = await context.client();
      const given = {
        ...(textOf(flags.username) === undefined ? {} : { username: String(flags.username) }),
        ...(textOf(flags.displayName) === undefined ? {} : { display_name: String(flags.displayName) }),
        ...(textOf(flags.group) === undefined ? {} : { group: String(flags.group) }),
        ...(await notesOf(context, flags.notes)),
        ...(flags.passwordStdin === true || textOf(flags.passwordFile) !== undefined
          ? { password: await newPassword(context, flags) }
          : {}),
      };
      expectChange(given);
      const row = await find(context, String(reference));
      await client.users.update({ id: row.id, ...given });
      context.done(both(`user ${row.id} is changed`, `已修改用户 ${row.id}`));
      await context.printer.one(await client.users.get({ id: row.id }), userView(context));
    },
  );
}

/** False: `--no-notes`. */
async function notesOf(context: CommandContext, given: unknown): Promise<{ notes?: string }> {
  if (given === false) return { notes: '' };
  const text = textOf(given);
  return text === undefined ? {} : { notes: await context.value(text, '--notes') };
}
