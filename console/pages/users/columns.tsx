/** Columns of the users (console.md 6.21). */
import type { TFunction } from 'i18next';
import type { BudgetView } from '../../../daemon/contract/budgets.ts';
import type { UserView } from '../../../daemon/contract/users.ts';
import { BudgetTags } from '../../billing/budget-tags.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatCount } from '../../components/format.ts';
import { Quota } from '../../components/quota.tsx';
import { GroupTag, StatusTag, Tag } from '../../components/tag.tsx';
import classes from './users-page.module.css';

/** @param budgets by whom they hold for, as `user:3` */
export function userColumns(
  t: TFunction<['users', 'frame', 'budgets']>,
  budgets: ReadonlyMap<string, readonly BudgetView[]>,
): readonly Column<UserView>[] {
  return [
    {
      key: 'id',
      title: t('column.id'),
      cell: ({ id }) => id,
      width: 64,
      align: 'right',
      pin: 'start',
      export: ({ id }) => id,
    },
    {
      key: 'name',
      title: t('column.name'),
      cell: ({ username, display_name }) => (
        <span className={classes.name}>
          {username}
          {display_name !== '' && display_name !== username ? (
            <span className={classes.dim}> ({display_name})</span>
          ) : null}
        </span>
      ),
      card: 'title',
      export: ({ username }) => username,
    },
    {
      key: 'group',
      title: t('column.group'),
      cell: ({ group }) => <GroupTag name={group} room={20} />,
      card: 'meta',
      export: ({ group }) => group,
    },
    {
      key: 'role',
      title: t('column.role'),
      cell: ({ role }) => <StatusTag kind="role" value={role} />,
      card: 'meta',
      export: ({ role }) => role,
    },
    {
      key: 'status',
      title: t('column.status'),
      cell: ({ status, DeletedAt }) => <StatusTag kind="userStatus" value={DeletedAt === null ? status : 'deleted'} />,
      card: 'status',
      export: ({ status, DeletedAt }) => (DeletedAt === null ? status : 'deleted'),
    },
    {
      key: 'figures',
      title: t('column.figures'),
      cell: ({ quota, used_quota, request_count }) => (
        <span className={classes.tags}>
          <Tag tone={quota < 0 ? 'red' : 'green'}>
            {t('figure.remaining')} <Quota value={quota} />
          </Tag>
          <Tag>
            {t('figure.used')} <Quota value={used_quota} />
          </Tag>
          <Tag>
            {t('figure.calls')} {formatCount(request_count)}
          </Tag>
        </span>
      ),
      card: 'figure',
      export: ({ quota }) => quota,
    },
    {
      key: 'invitations',
      title: t('column.invitations'),
      cell: ({ aff_count, aff_history_quota, inviter_id }) => (
        <span className={classes.tags}>
          <Tag>
            {t('figure.invited')} {aff_count}
          </Tag>
          <Tag>
            {t('figure.earned')} <Quota value={aff_history_quota} />
          </Tag>
          <Tag>{inviter_id === 0 ? t('figure.none') : `${t('figure.inviter')} ${inviter_id}`}</Tag>
        </span>
      ),
      export: ({ aff_count }) => aff_count,
    },
    // Where nobody has one, the others need the room.
    ...(budgets.size === 0
      ? []
      : [
          {
            key: 'budgets',
            title: t('column.budgets'),
            cell: ({ id }: UserView) => <BudgetTags budgets={budgets.get(`user:${id}`)} />,
          },
        ]),
    {
      key: 'email',
      title: t('column.email'),
      cell: ({ email }) => email,
      isOptional: true,
      export: ({ email }) => email,
    },
  ];
}
