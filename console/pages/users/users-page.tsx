/** The administration of users (console.md 6.21). */
import { Button } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import '@mantine/core/styles/Button.css';
import { IconPlus } from '@tabler/icons-react';
import { groups as groupEndpoints } from '../../../daemon/contract/groups.ts';
import { roles } from '../../../daemon/contract/roles.ts';
import { secondFactor as factorEndpoints } from '../../../daemon/contract/second-factor.ts';
import { sessions as sessionEndpoints } from '../../../daemon/contract/sessions.ts';
import { users as endpoints, type UserView } from '../../../daemon/contract/users.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { useList } from '../../api/use-list.ts';
import { useBudgets } from '../../billing/use-budgets.ts';
import { confirm } from '../../components/confirm.tsx';
import { DataTable } from '../../components/data-table.tsx';
import type { RowAction } from '../../components/data-table-types.ts';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { listView } from '../../components/list-view.ts';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { isRoot, useUser } from '../../session/session.ts';
import { userColumns } from './columns.tsx';
import { type CredentialAction, type ManagedAction, refusedReason, type UserAction } from './permissions.ts';

const loadDrawers = () => import('./user-drawer.tsx');
const CreateUserDrawer = lazyPart(() => loadDrawers().then((module) => ({ default: module.CreateUserDrawer })));
const EditUserDrawer = lazyPart(() => loadDrawers().then((module) => ({ default: module.EditUserDrawer })));
const OwnAccountDrawer = lazyPart(() => loadDrawers().then((module) => ({ default: module.OwnAccountDrawer })));
const QuotaDialog = lazyPart(() => import('./quota-dialog.tsx').then((module) => ({ default: module.QuotaDialog })));

const users = callsFor(endpoints);
const groups = callsFor(groupEndpoints);
const credentials = callsFor({ resetFactor: factorEndpoints.reset, endSessions: sessionEndpoints.endAll });

const defaults = { keyword: '', group: '', role: '', status: '' };

export function Page() {
  const { t } = useTranslation(['users', 'frame', 'budgets']);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const { id: editedId } = useParams();
  const user = useUser();
  const isOwnEdited = pathname === '/user/edit' || (user !== undefined && Number(editedId) === user.id);
  const list = useList({ filters: defaults });
  const { values, input } = list;
  const [isCreating, setCreating] = useState(false);
  const [credited, setCredited] = useState<UserView>();

  const rows = useQuery({
    queryKey: ['users', 'list', values, input],
    queryFn: ({ signal }) => {
      if (!list.hasFilters) return users.list(input, { signal });
      const { keyword, group, role, status } = values;
      const filter = {
        ...(keyword !== '' && { keyword }),
        ...(group !== '' && { group }),
        ...(role !== '' && { role: Number(role) }),
        ...(status !== '' && { status: Number(status) }),
      };
      return users.search({ ...filter, ...input }, { signal });
    },
    placeholderData: keepPreviousData,
  });
  const groupNames = useQuery({
    queryKey: ['groups'],
    queryFn: async ({ signal }) => (await groups.list({}, { signal })).items,
    staleTime: 300_000,
  });
  const budgets = useBudgets((rows.data?.items ?? []).map(({ id }) => `user:${id}`));
  const columns = useMemo(() => userColumns(t, budgets), [t, budgets]);
  const fields = useFields(groupNames.data ?? []);
  // The editor's address keeps the list's filters, so that closing it leads back to the same rows.
  const closeEditor = () => navigate({ pathname: '/user', search }, { replace: true });

  async function manage(target: UserView, action: ManagedAction): Promise<void> {
    const verb = t(`action.${action}`);
    const isSure = await confirm({
      kind: action === 'enable' || action === 'promote' ? 'plain' : 'danger',
      title: t('confirm.act', { action: verb, name: target.username }),
      verb: t('confirm.verb', { action: verb }),
    });
    if (!isSure) return;
    try {
      await users.manage({ id: target.id, action });
      toast.success(t('done.act'));
      await queryClient.invalidateQueries({ queryKey: ['users'] });
    } catch (error) {
      showFailure(error);
    }
  }

  async function withdraw({ id, username }: UserView, action: CredentialAction): Promise<void> {
    const isSure = await confirm({
      kind: 'danger',
      title: t(`confirm.${action}`, { name: username }),
      text: t(`confirm.${action}Text`),
      verb: t(`action.${action}`),
    });
    if (!isSure) return;
    try {
      await (action === 'signOut' ? credentials.endSessions({ user_id: id }) : credentials.resetFactor({ id }));
      toast.success(t(`done.${action}`));
    } catch (error) {
      showFailure(error);
    }
  }

  async function purge(target: UserView): Promise<void> {
    const isSure = await confirm({
      kind: 'typed',
      title: t('confirm.purge', { name: target.username }),
      verb: t('action.purge'),
      typed: target.username,
    });
    if (!isSure) return;
    try {
      await users.delete({ id: target.id, purge: true });
      toast.success(t('done.purged'));
      await queryClient.invalidateQueries({ queryKey: ['users'] });
    } catch (error) {
      showFailure(error);
    }
  }

  function actionsOf(row: UserView): readonly RowAction[] {
    if (user === undefined) return [];
    if (row.DeletedAt !== null) {
      if (!isRoot(user)) return [];
      return [{ key: 'purge', label: t('action.purge'), isDanger: true, onAct: () => void purge(row) }];
    }
    const refused = (action: UserAction) => {
      const reason = refusedReason(action, row, user);
      return reason === undefined ? undefined : t(`refused.${reason}`);
    };
    const act = (action: ManagedAction, rest: Partial<RowAction> = {}): RowAction => ({
      key: action,
      label: t(`action.${action}`),
      refused: refused(action),
      onAct: () => void manage(row, action),
      ...rest,
    });
    return [
      {
        key: 'edit',
        label: t('action.edit'),
        isDirect: true,
        refused: refused('edit'),
        onAct: () => navigate({ pathname: row.id === user.id ? '/user/edit' : `/user/edit/${row.id}`, search }),
      },
      {
        key: 'quota',
        label: t('action.quota'),
        isDirect: true,
        refused: refused('quota'),
        onAct: () => setCredited(row),
      },
      act(row.status === 1 ? 'disable' : 'enable', { isDirect: true }),
      ...(row.role >= roles.admin ? [act('demote')] : [act('promote')]),
      {
        key: 'log',
        label: t('action.log'),
        href: `/log?username=${encodeURIComponent(row.username)}&range=30d`,
        onAct: () => undefined,
      },
      { key: 'orders', label: t('frame:page.orders'), href: `/order?user=${row.id}`, onAct: () => undefined },
      { key: 'audit', label: t('frame:page.audit'), href: `/audit?target=user:${row.id}`, onAct: () => undefined },
      ...(['signOut', 'resetFactor'] as const).map((action) => ({
        key: action,
        label: t(`action.${action}`),
        isDanger: true,
        refused: refused(action),
        onAct: () => void withdraw(row, action),
      })),
      act('delete', { isDanger: true }),
    ];
  }

  const view = listView(list, rows);
  return (
    <>
      <PageHeader
        title={t('frame:page.users')}
        primary={
          <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={() => setCreating(true)}>
            {t('action.add')}
          </Button>
        }
      />
      <FilterBar list="user" fields={fields} {...view.filters} />
      <DataTable
        label={t('frame:page.users')}
        {...view.table}
        rowKey={({ id }) => String(id)}
        columns={columns}
        rowActions={actionsOf}
        rowTone={({ DeletedAt }) => (DeletedAt === null ? undefined : 'muted')}
        empty={<EmptyState text={t('empty')} />}
        storageKey="columns:user"
      />
      <Suspense fallback={null}>
        {isCreating ? <CreateUserDrawer onClose={() => setCreating(false)} /> : null}
        {editedId === undefined || isOwnEdited ? null : (
          <EditUserDrawer
            key={editedId}
            id={Number(editedId)}
            onClose={closeEditor}
            onAddQuota={(target) => {
              closeEditor();
              setCredited(target);
            }}
          />
        )}
        {isOwnEdited ? <OwnAccountDrawer onClose={closeEditor} /> : null}
        {credited === undefined ? null : <QuotaDialog user={credited} onClose={() => setCredited(undefined)} />}
      </Suspense>
    </>
  );
}

function useFields(groupNames: readonly string[]): readonly FilterField[] {
  const { t } = useTranslation(['users', 'enumerations']);
  return useMemo(
    () => [
      { key: 'keyword', label: t('filter.keyword'), kind: 'text', width: 280 },
      {
        key: 'group',
        label: t('filter.group'),
        kind: 'select',
        options: groupNames.map((name) => ({ value: name, label: name })),
      },
      {
        key: 'role',
        label: t('filter.role'),
        kind: 'select',
        options: [
          { value: '1', label: t('enumerations:label.roleUser') },
          { value: '10', label: t('enumerations:label.roleAdmin') },
          { value: '100', label: t('enumerations:label.roleRoot') },
        ],
      },
      {
        key: 'status',
        label: t('filter.status'),
        kind: 'select',
        options: [
          { value: '1', label: t('enumerations:label.enabled') },
          { value: '2', label: t('enumerations:label.banned') },
          { value: '-1', label: t('enumerations:label.loggedOut') },
        ],
      },
    ],
    [t, groupNames],
  );
}
