/** `user`: accounts, as administrators see them. */
import type { Command } from 'commander';
import type { Client } from '../../daemon/contract/client.ts';
import { budgetColumn, budgetsOf, unlessScopeMissing, type WithBudgets } from '../budgets.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm, confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { expectAmong, textOf, wordFlag, wordsOf } from '../flags.ts';
import { forEachItem, printEachItem } from '../items.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { asOwner, sessionCalls, withPasswordFlags } from '../owner-session.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { referencesOf } from '../references.ts';
import { rowFields } from '../row-fields.ts';
import { findUser as find } from '../users.ts';
import { roleOf, type UserRow, userStatusOf, userView } from '../views.ts';
import { registerUserCreate, roleNumbers } from './user-create.ts';
import { registerUserEdit } from './user-edit.ts';

const statusNumbers: Readonly<Record<string, number>> = { enabled: 1, disabled: 2, deleted: -1 };

interface Standing {
  id: number;
  role: number;
  status: number;
}

const standingView = (statusOf: (row: Standing) => string): View<Standing> => ({
  columns: [
    { heading: 'ID', value: (row) => row.id },
    { heading: 'ROLE', unit: 'word', value: roleOf },
    { heading: 'STATUS', unit: 'word', value: statusOf },
  ],
  fields: ['id', 'role', 'status'],
  id: (row) => row.id,
});

/** Units, whatever the site shows. */
const balanceView: View<{ id: number; quota: number }> = {
  columns: [
    { heading: 'ID', value: (row) => row.id },
    { heading: 'BALANCE', value: (row) => row.quota, align: 'right' },
  ],
  fields: ['id', 'quota'],
  id: (row) => row.id,
};

/** An account with its keys, its budgets and what it used in the last 24 hours; null where that may not be read. */
type UserDetail = WithBudgets<UserRow> & {
  /** How many keys there are, deleted ones left out. */
  token_count: number;
  notes: string;
  requests_24h: number | null;
  quota_24h: number | null;
};

function detailView(context: CommandContext): View<UserDetail> {
  const view = userView(context);
  const money = context.moneyCells();
  return {
    ...view,
    fields: [...rowFields('users.get'), 'budgets', 'requests_24h', 'quota_24h'],
    columns: [
      ...view.columns,
      { heading: 'KEYS', value: (row) => row.token_count, align: 'right' },
      { heading: 'NOTES', value: (row) => row.notes },
      { heading: 'REQUESTS_24H', value: (row) => row.requests_24h, align: 'right' },
      {
        heading: 'QUOTA_24H',
        unit: 'money',
        value: (row) => (row.quota_24h === null ? null : money(row.quota_24h)),
        align: 'right',
      },
      budgetColumn(context),
    ],
  };
}

async function detailOf<T extends UserRow>(context: CommandContext, row: T): Promise<T & UserDetail> {
  const client = await context.client();
  const on = `user:${row.id}`;
  const [detail, found, day] = await Promise.all([
    // A name is found among rows of the list, which tell neither keys nor notes.
    client.users.get({ id: row.id }),
    budgetsOf(context, [on]),
    unlessScopeMissing(client.usageReports.report({ by: 'user', username: row.username, top: 1 })),
  ]);
  return {
    ...row,
    token_count: detail.token_count,
    notes: detail.notes,
    budgets: found === undefined ? null : (found.get(on) ?? []),
    requests_24h: day?.totals.requests ?? null,
    quota_24h: day?.totals.quota ?? null,
  };
}

export function registerUserCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const user = group(program, runtime, 'user', both('Accounts', '用户'));

  leaf(
    withLimit(
      user
        .command('list')
        .alias('ls')
        .option('--search <text>', say(both('part of name, e-mail or display name', '名称、邮箱或显示名中的文字')))
        .option('--group <group>', say(both('of this group', '指定分组')))
        .addOption(wordFlag('--role <role>', say(both('of this role', '指定角色')), Object.keys(roleNumbers)))
        .addOption(wordFlag('--status <status>', say(both('in this state', '指定状态')), Object.keys(statusNumbers))),
      say,
    ),
    runtime,
    {
      summary: both('List users', '列出用户'),
      examples: ['user list --group vip --all -o csv'],
      prints: userView,
      rows: 'users.list',
      orders: [],
      calls: ['users.list', 'users.search'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const role = textOf(flags.role);
      const status = textOf(flags.status);
      expectAmong(role, Object.keys(roleNumbers), '--role');
      expectAmong(status, Object.keys(statusNumbers), '--status');
      const filter = {
        ...(textOf(flags.search) === undefined ? {} : { keyword: String(flags.search) }),
        ...(textOf(flags.group) === undefined ? {} : { group: String(flags.group) }),
        ...(role === undefined ? {} : { role: roleNumbers[role] ?? 0 }),
        ...(status === undefined ? {} : { status: statusNumbers[status] ?? 0 }),
      };
      const filtered = Object.keys(filter).length > 0;
      const rows = walk({
        page: (page, page_size) =>
          filtered ? client.users.search({ ...filter, page, page_size }) : client.users.list({ page, page_size }),
        keyOf: (row) => row.id,
        limit: limitOf(flags),
        ...told(context),
      });
      await context.printer.list(rows, userView(context));
    },
  );

  leaf(
    user.command('get').alias('show').argument('<user>'),
    runtime,
    {
      summary: both(
        'Show one user, with keys, budgets and the last 24 hours',
        '查看用户、令牌数、预算与近 24 小时用量',
      ),
      examples: ['user get alice'],
      prints: detailView,
      calls: ['users.get', 'users.search', 'budgets.list', 'usageReports.report'],
    },
    async (context, [reference]) => {
      const row = await find(context, String(reference));
      await context.printer.one(await detailOf(context, row), detailView(context));
    },
  );

  registerUserCreate(user, runtime);

  registerUserEdit(user, runtime);

  const quota = group(user, runtime, 'quota', both('Change balances', '调整余额'));
  const quotaVerbs = [
    { verb: 'add', mode: 'add', summary: both('Add to a balance', '增加余额') },
    {
      verb: 'subtract',
      mode: 'subtract',
      summary: both('Take from a balance, never below zero', '减少余额，不会低于零'),
    },
    { verb: 'set', mode: 'override', summary: both('Set a balance', '设置余额') },
  ] as const;
  for (const { verb, mode, summary } of quotaVerbs) {
    leaf(
      quota
        .command(verb)
        .argument('<user-and-money...>')
        .option(
          '--note <text>',
          say(both('why, for operators: in log and audit row', '原因，仅运营人员可见，记入日志与审计')),
        ),
      runtime,
      {
        summary,
        examples: [
          `user quota ${verb} alice 10usd`,
          ...(verb === 'add' ? ["user quota add alice 10usd --note 'ticket 4711'"] : []),
        ],
        prints: () => balanceView,
        calls: ['users.manage', 'users.get', 'users.search'],
      },
      async (context, args, flags) => {
        // Commander allows a variadic argument only at the end, so the amount is the last word.
        const given = args.flatMap((arg) => wordsOf(arg));
        const amount = given.pop();
        if (amount === undefined || given.length === 0)
          throw usageError(both('name a user and an amount', '请指定用户与金额'));
        const client = await context.client();
        const value = await context.money(amount, 'money');
        const words = await referencesOf(context, given);
        if (words.length === 0) return;
        await confirm(
          context,
          both('{verb} {value} {value:unit|units}: {en}?', '对 {zh} 执行 {verb} {value} 单位？', {
            verb,
            value,
            en: words.join(', '),
            zh: words.join('、'),
          }),
        );
        await printEachItem(context, { references: words, view: balanceView }, async (reference) => {
          const row = await find(context, reference);
          const answer = await client.users.manage({
            id: row.id,
            action: 'add_quota',
            mode,
            value,
            note: textOf(flags.note),
          });
          const balance = 'quota' in answer ? answer.quota : 0;
          context.done(
            both('user {name} has {balance} {balance:unit|units}', '用户 {name} 的余额为 {balance} 单位', {
              name: row.username,
              balance,
            }),
          );
          return { id: row.id, quota: balance };
        });
      },
    );
  }

  const actions = [
    { action: 'enable', summary: both('Let users sign in and call again', '启用用户') },
    { action: 'disable', summary: both('Stop users: no sign-in, no calls', '禁用用户') },
    { action: 'promote', summary: both('Make users administrators (root only)', '提升为管理员（仅超级管理员）') },
    { action: 'demote', summary: both('Make administrators normal users (root only)', '降为普通用户（仅超级管理员）') },
    {
      action: 'delete',
      summary: both(
        'Delete users: no way back; the account stays listed until a purge',
        '删除用户（不可恢复），彻底删除前仍可在列表中查看',
      ),
    },
  ] as const;
  for (const { action, summary } of actions) {
    // A deleted account keeps the status that it had.
    const view = standingView(action === 'delete' ? () => 'deleted' : userStatusOf);
    leaf(
      // Making somebody an administrator is no business of a machine token.
      action === 'promote'
        ? withPasswordFlags(user.command(action).argument('<user...>'), runtime)
        : user.command(action).argument('<user...>'),
      runtime,
      {
        summary,
        examples: [`user ${action} 12 13`],
        prints: () => view,
        calls: [...(action === 'promote' ? sessionCalls : []), 'users.manage', 'users.get', 'users.search'],
      },
      async (context, [references], flags) => {
        const names = await referencesOf(context, references);
        if (names.length === 0) return;
        const asked = `${action[0]?.toUpperCase()}${action.slice(1)} user`;
        if (action !== 'enable')
          await confirm(context, both(`${asked} ${names.join(', ')}?`, `对用户 ${names.join('、')} 执行 ${action}？`));
        const work = (client: Client) =>
          printEachItem(context, { references: names, view }, async (reference) => {
            const row = await find(context, reference);
            const { role, status } = { ...row, ...(await client.users.manage({ id: row.id, action })) };
            context.done(both(`user ${row.username}: ${action} done`, `用户 ${row.username}：${action} 完成`));
            return { id: row.id, role, status };
          });
        await (action === 'promote'
          ? asOwner(context, { flags, prove: 'sign_in_method' }, work)
          : work(await context.client()));
      },
    );
  }

  leaf(
    withPasswordFlags(user.command('sign-out').argument('<user...>'), runtime),
    runtime,
    {
      summary: both('End all sessions of users', '结束用户的全部会话'),
      examples: ['user sign-out alice'],
      prints: 'nothing',
      calls: [...sessionCalls, 'sessions.endAll', 'users.get', 'users.search'],
    },
    async (context, [references], flags) => {
      const names = await referencesOf(context, references);
      if (names.length === 0) return;
      const question = both(
        `End all sessions of ${names.join(', ')}? Access and machine tokens go on working.`,
        `结束 ${names.join('、')} 的全部会话？访问令牌与机器令牌不受影响。`,
      );
      await confirm(context, question);
      await asOwner(context, { flags }, (client) =>
        forEachItem(context, names, async (reference) => {
          const row = await find(context, reference);
          const { ended } = await client.sessions.endAll({ user_id: row.id });
          context.done(
            both('user {name}: {ended} {ended:session|sessions} ended', '用户 {name}：已结束 {ended} 个会话', {
              name: row.username,
              ended,
            }),
          );
        }),
      );
    },
  );

  leaf(
    withPasswordFlags(user.command('reset-2fa').argument('<user...>'), runtime),
    runtime,
    {
      summary: both('Take the second factor and passkeys from users', '清除用户的双重验证与通行密钥'),
      examples: ['user reset-2fa alice'],
      prints: 'nothing',
      calls: [...sessionCalls, 'secondFactor.reset', 'users.get', 'users.search'],
    },
    async (context, [references], flags) => {
      const names = await referencesOf(context, references);
      if (names.length === 0) return;
      await confirm(
        context,
        both(
          `Take the second factor and passkeys from ${names.join(', ')}?`,
          `清除 ${names.join('、')} 的双重验证与通行密钥？`,
        ),
      );
      await asOwner(context, { flags }, (client) =>
        forEachItem(context, names, async (reference) => {
          const row = await find(context, reference);
          await client.secondFactor.reset({ id: row.id });
          context.done(
            both(
              `user ${row.username}: the second factor is off, all sessions ended`,
              `用户 ${row.username}：双重验证已清除，全部会话已结束`,
            ),
          );
        }),
      );
    },
  );

  leaf(
    user
      .command('purge')
      .argument('<user>')
      .option('--confirm <name>', say(both('name of the user', '用户名'))),
    runtime,
    {
      summary: both('Remove a deleted user for good (root only)', '彻底删除用户（仅超级管理员）'),
      examples: ['user purge 12 --confirm alice'],
      prints: 'nothing',
      calls: ['users.delete', 'users.get', 'users.search'],
    },
    async (context, [reference]) => {
      const client = await context.client();
      const row = await find(context, String(reference));
      await confirmSevere(
        context,
        both(
          `Remove ${row.username} for good, with keys and sessions; log rows and other records stay`,
          `彻底删除 ${row.username} 及其令牌与会话，日志等记录保留`,
        ),
        row.username,
      );
      await client.users.delete({ id: row.id, purge: true });
      context.done(both(`user ${row.username} is gone`, `已彻底删除用户 ${row.username}`));
    },
  );
}
