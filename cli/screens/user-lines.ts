/** How the screen of users looks: the list, and what is known of one user. */
import type { BudgetView } from '../../daemon/contract/budgets.ts';
import type { UsageReportRow } from '../../daemon/contract/usage-reports.ts';
import type { UserView } from '../../daemon/contract/users.ts';
import { both } from '../language.ts';
import { roleOf } from '../views.ts';
import type { Desk } from './desk.ts';
import { type ListColumn, labelled } from './layout.ts';

/** What is asked for when a user is looked at. */
export interface UserFindings {
  /** Of the last 24 hours, by model. */
  readonly models: readonly UsageReportRow[];
  readonly budgets: readonly BudgetView[];
}

/** Lines about one user. */
export function userDetail(desk: Desk, row: UserView, findings: UserFindings | undefined): readonly string[] {
  const { say, money } = desk;
  return [
    ` ${row.id}  ${row.username}`,
    '',
    labelled(say(both('shown as', '显示名')), row.display_name),
    labelled(say(both('e-mail', '邮箱')), row.email),
    labelled(say(both('role', '角色')), roleOf(row)),
    labelled(say(both('status', '状态')), statusOf(row, desk)),
    labelled(say(both('group', '分组')), row.group),
    labelled(say(both('balance', '余额')), money(row.quota)),
    labelled(say(both('used', '已用')), money(row.used_quota)),
    labelled(say(both('requests', '请求数')), String(row.request_count)),
    labelled(say(both('check-in', '签到')), row.last_check_in_time ?? '-'),
    '',
    ...(findings === undefined ? [` ${say(both('asking…', '查询中…'))}`] : foundLines(desk, findings)),
  ];
}

/** Models that are named; the sum counts all. */
const namedModels = 5;

function foundLines({ say, money, context }: Desk, { models, budgets }: UserFindings): readonly string[] {
  const requests = models.reduce((sum, row) => sum + row.requests, 0);
  const quota = models.reduce((sum, row) => sum + row.quota, 0);
  const used = ({ kind, used: amount, limit }: BudgetView) =>
    kind === 'quota' ? `${money(amount)} / ${money(limit)}` : `${amount} / ${limit}`;
  return [
    ` ${say(both('Last 24 h: {requests} {requests:call|calls}, {cost}', '近 24 小时：{requests} 次调用，{cost}', { requests, cost: money(quota) }))}`,
    ...models.slice(0, namedModels).map((row) => `   ${row.model_name}  ${row.requests}  ${money(row.quota)}`),
    '',
    ` ${say(budgets.length === 0 ? both('No budgets', '未设预算') : both('Budgets', '预算'))}`,
    ...budgets.map((row) => `   ${row.kind} / ${row.per}: ${used(row)}, ${context.timeText(row.resets_at)}`),
  ];
}

/** An account that cannot sign in steps back. */
const unusable = ({ status, DeletedAt }: UserView) => (status === 1 && !DeletedAt ? undefined : 'dim');

function statusOf(row: UserView, { say }: Desk): string {
  if (row.DeletedAt) return say(both('deleted', '已删除'));
  if (row.status === 1) return say(both('enabled', '启用'));
  return row.status === 2 ? say(both('disabled', '禁用')) : say(both('unavailable', '不可用'));
}

export function userColumns(desk: Desk): readonly ListColumn<UserView>[] {
  const { say, money } = desk;
  return [
    { heading: 'ID', width: 5, align: 'right', priority: 1, value: (row) => row.id },
    { heading: say(both('NAME', '用户名')), width: 14, priority: 1, grows: true, value: (row) => row.username },
    { heading: say(both('GROUP', '分组')), width: 9, priority: 4, value: (row) => row.group },
    { heading: say(both('ROLE', '角色')), width: 5, priority: 5, value: roleOf },
    {
      heading: say(both('STATUS', '状态')),
      width: 11,
      priority: 2,
      value: (row) => statusOf(row, desk),
      tone: unusable,
    },
    { heading: say(both('BALANCE', '余额')), width: 12, align: 'right', priority: 2, value: (row) => money(row.quota) },
    {
      heading: say(both('USED', '已用')),
      width: 12,
      align: 'right',
      priority: 6,
      value: (row) => money(row.used_quota),
    },
    { heading: say(both('REQS', '请求')), width: 7, align: 'right', priority: 7, value: (row) => row.request_count },
  ];
}
