/** `session`: where accounts are signed in, and ending that. */

import type { Command } from 'commander';
import type { SessionView } from '../../daemon/contract/sessions.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { textOf, wordsOf } from '../flags.ts';
import { forEachItem } from '../items.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { asOwner, sessionCalls, withPasswordFlags } from '../owner-session.ts';
import { referencesOf } from '../references.ts';
import { findUser } from '../users.ts';

const sessionView = (context: CommandContext): View<SessionView> => ({
  columns: [
    { heading: 'ID', value: (row) => row.id, priority: 1 },
    { heading: 'CURRENT', value: (row) => row.current },
    { heading: 'ADDRESS', value: (row) => row.ip, priority: 2 },
    { heading: 'AGENT', value: (row) => row.user_agent },
    { heading: 'CREATED', unit: 'time', value: (row) => context.agoText(row.created_at) },
    { heading: 'LAST SEEN', unit: 'time', value: (row) => context.agoText(row.last_seen_at), priority: 3 },
  ],
  id: (row) => row.id,
});

export function registerSessionCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const session = group(program, runtime, 'session', both('Where an account is signed in', '登录会话'));
  const userFlag = say(both('of this user (administrators)', '指定用户（管理员）'));

  leaf(
    withPasswordFlags(session.command('list').alias('ls').option('--user <user>', userFlag), runtime),
    runtime,
    {
      summary: both('List sessions', '列出会话'),
      examples: ['session list', 'session list --user alice'],
      prints: sessionView,
      rows: 'sessions.list',
      orders: [],
      calls: [...sessionCalls, 'sessions.list', 'users.get', 'users.search'],
    },
    async (context, _args, flags) => {
      const user = textOf(flags.user);
      const whose = user === undefined ? {} : { user_id: (await findUser(context, user)).id };
      const rows = await asOwner(context, { flags }, (client) => client.sessions.list(whose));
      await context.printer.list(rows, sessionView(context));
    },
  );

  leaf(
    withPasswordFlags(
      session
        .command('revoke')
        .alias('delete')
        .argument('[id...]')
        .option('--all', say(both('every session', '全部会话')))
        .option('--others', say(both('every session but the one in use', '除当前外的全部会话')))
        .option('--user <user>', userFlag),
      runtime,
    ),
    runtime,
    {
      summary: both('End sessions', '结束会话'),
      examples: ['session revoke --others', 'session revoke 3f2a9c4e1b7d5a60c8f1 --yes'],
      prints: 'nothing',
      calls: [...sessionCalls, 'sessions.end', 'sessions.endAll', 'users.get', 'users.search'],
    },
    async (context, [ids], flags) => {
      const names = await referencesOf(context, ids);
      const isAll = flags.all === true || flags.others === true;
      if (!isAll && names.length === 0 && wordsOf(ids).length > 0) return;
      if (isAll === names.length > 0)
        throw usageError(both('name sessions, or --all, or --others', '请指定会话编号，或 --all、--others'));
      const user = textOf(flags.user);
      const whose = user === undefined ? {} : { user_id: (await findUser(context, user)).id };
      await confirm(context, both('End these sessions?', '结束这些会话？'));
      await asOwner(context, { flags }, async (client) => {
        if (isAll) {
          const { ended } = await client.sessions.endAll({ ...whose, others: flags.others === true });
          context.done(both('{ended} {ended:session has|sessions have} ended', '已结束 {ended} 个会话', { ended }));
          return;
        }
        await forEachItem(context, names, async (id) => {
          await client.sessions.end({ session: id, ...whose });
          context.done(both(`session ${id} has ended`, `会话 ${id} 已结束`));
        });
      });
    },
  );
}
