/** The keys with which applications call models (console.md 6.11). */
import { Alert, Button, Menu } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Menu.css';
import '@mantine/core/styles/Popover.css';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { TokenView } from '../../../daemon/contract/tokens.ts';
import { useAddress, withMembers } from '../../api/use-address.ts';
import { useList } from '../../api/use-list.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { RowAction } from '../../components/data-table-types.ts';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { listView } from '../../components/list-view.ts';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { useChangedRows } from '../../components/use-changed-rows.ts';
import { tokenColumns } from './columns.tsx';
import classes from './tokens.module.css';
import { useChatActs } from './use-chat-acts.ts';
import { tokens, useTokenActs } from './use-token-acts.ts';

const loadDrawer = () => import('./token-drawer.tsx');
const CreateToken = lazyPart(() => loadDrawer().then((module) => ({ default: module.CreateToken })));
const EditToken = lazyPart(() => loadDrawer().then((module) => ({ default: module.EditToken })));
const CreatedToken = lazyPart(() => import('./created-token.tsx').then((module) => ({ default: module.CreatedToken })));
const ConnectDialog = lazyPart(() =>
  import('./connect-dialog.tsx').then((module) => ({ default: module.ConnectDialog })),
);

const defaults = { keyword: '', token: '' };
const noTokens: readonly TokenView[] = [];
const keyOf = ({ id }: TokenView): string => String(id);

export function Page() {
  const { t } = useTranslation(['tokens', 'frame']);
  const list = useList({ filters: defaults });
  const { values, input } = list;
  const acts = useTokenActs();
  const chatActs = useChatActs();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const known = useKnown(selected);
  const [edited, setEdited] = useEdited();
  const [created, setCreated] = useState<TokenView>();
  const [connected, setConnected] = useState<TokenView>();
  const changedRows = useChangedRows();

  // A search answers with what it found, the newest hundred at most; its pages are made here.
  const isSearch = list.hasFilters;
  const query = useQuery({
    queryKey: ['tokens', 'list', isSearch ? values : input],
    queryFn: ({ signal }) => (isSearch ? tokens.search(values, { signal }) : tokens.list(input, { signal })),
    placeholderData: keepPreviousData,
  });
  const found = query.data?.items ?? noTokens;
  const rows = isSearch ? found.slice((list.page - 1) * list.size, list.page * list.size) : found;
  const columns = useMemo(() => tokenColumns(t), [t]);
  const fields = useMemo(
    (): readonly FilterField[] => [
      { key: 'keyword', label: t('filter.keyword'), kind: 'text' },
      { key: 'token', label: t('filter.token'), kind: 'text', width: 220 },
    ],
    [t],
  );
  const chosen = known(rows);

  const actionsOf = (token: TokenView): readonly RowAction[] => {
    const isOn = token.status === 1;
    const refused = token.status === 3 ? t('refused.expired') : token.status === 4 ? t('refused.exhausted') : undefined;
    return [
      { key: 'edit', label: t('act.edit'), isDirect: true, onAct: () => setEdited(String(token.id)) },
      {
        key: 'toggle',
        label: isOn ? t('act.disable') : t('act.enable'),
        isDirect: true,
        refused,
        onAct: () => void acts.setStatus(token, isOn ? 2 : 1),
      },
      ...chatActs(token, refused),
      { key: 'connect', label: t('connect.act'), onAct: () => setConnected(token) },
      {
        key: 'log',
        label: t('act.log'),
        href: `/log?token_name=${encodeURIComponent(token.name)}`,
        onAct: () => undefined,
      },
      {
        key: 'delete',
        label: t('act.delete'),
        isDanger: true,
        onAct: async () => {
          if (await acts.remove(token)) setSelected((keys) => new Set([...keys].filter((key) => key !== keyOf(token))));
        },
      },
    ];
  };

  const view = listView(list, query);
  const total = query.data?.total ?? 0;
  const isCut = isSearch && total > found.length && !query.isPlaceholderData;
  return (
    <>
      <PageHeader
        title={t('frame:page.tokens')}
        primary={
          <Button
            leftSection={<IconPlus size={16} stroke={1.75} />}
            onClick={() => setEdited('new')}
            onPointerEnter={() => void loadDrawer()}
          >
            {t('act.add')}
          </Button>
        }
      />
      <Alert color="yellow" icon={<IconAlertTriangle size={16} stroke={1.75} />} mb="md">
        {t('warning')}
      </Alert>
      <FilterBar list="token" fields={fields} {...view.filters} />
      {isCut && (
        <p className={classes.cut} role="status">
          {t('cut', { count: found.length, total })}
        </p>
      )}
      <DataTable
        label={t('frame:page.tokens')}
        {...view.table}
        {...(isSearch && query.data && { total: found.length })}
        rows={rows}
        rowKey={keyOf}
        columns={columns}
        selection={{
          keys: selected,
          onChange: setSelected,
          actions: (
            <>
              <Button
                size="xs"
                variant="default"
                onClick={() =>
                  void acts.setStatuses(
                    chosen.filter(({ status }) => status === 1),
                    2,
                  )
                }
              >
                {t('act.disable')}
              </Button>
              <Button
                size="xs"
                variant="light"
                color="red"
                onClick={async () => {
                  if (await acts.removeMany([...selected].map(Number))) setSelected(new Set());
                }}
              >
                {t('act.delete')}
              </Button>
            </>
          ),
        }}
        toolbar={<CopySelected chosen={chosen} onCopy={acts.copyMany} />}
        rowActions={actionsOf}
        rowTone={({ id }) => changedRows.toneOf(id)}
        onOpen={({ id }) => setEdited(String(id))}
        empty={
          <EmptyState text={t('empty')}>
            <Button onClick={() => setEdited('new')}>{t('act.add')}</Button>
            <Link to="/reference">{t('reference')}</Link>
          </EmptyState>
        }
        storageKey="columns:token"
      />
      <Suspense fallback={null}>
        {edited === 'new' && (
          <CreateToken
            onClose={() => setEdited(undefined)}
            onCreated={(token) => {
              setEdited(undefined);
              setCreated(token);
            }}
          />
        )}
        {edited !== undefined && edited !== 'new' && (
          <EditToken
            key={edited}
            id={Number(edited)}
            onClose={() => setEdited(undefined)}
            onSaved={() => changedRows.mark(edited)}
          />
        )}
        {connected && <ConnectDialog token={connected} onClose={() => setConnected(undefined)} />}
        {created && <CreatedToken token={created} onClose={() => setCreated(undefined)} />}
      </Suspense>
    </>
  );
}

/** `?edit=new` or `?edit=7`: a link shows the drawer as well. */
function useEdited(): [string | undefined, (edited: string | undefined) => void] {
  const [search, setAddress] = useAddress();
  const set = (edited: string | undefined) =>
    setAddress((now) => withMembers(now, { edit: edited ?? '' }), { replace: edited === undefined });
  return [search.get('edit') ?? undefined, set];
}

/** Always there, so that it can say that something has to be selected. */
function CopySelected({
  chosen,
  onCopy,
}: {
  readonly chosen: readonly TokenView[];
  readonly onCopy: (chosen: readonly TokenView[], form: 'names' | 'keys') => Promise<void>;
}) {
  const { t } = useTranslation('tokens');
  const [isOpen, setOpen] = useState(false);
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      withInitialFocusPlaceholder={false}
      trigger="click"
      position="bottom-start"
    >
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          onClick={(event) => {
            if (chosen.length > 0) return;
            event.preventDefault();
            setOpen(false);
            toast.info(t('none'));
          }}
        >
          {t('copySelected')}
        </Button>
      </Menu.Target>
      {chosen.length > 0 && (
        <Menu.Dropdown>
          <Menu.Item onClick={() => void onCopy(chosen, 'names')}>{t('act.copyNames')}</Menu.Item>
          <Menu.Item onClick={() => void onCopy(chosen, 'keys')}>{t('act.copyKeys')}</Menu.Item>
        </Menu.Dropdown>
      )}
    </Menu>
  );
}

/** The selected tokens, also those of pages that are not shown any more. */
function useKnown(selected: ReadonlySet<string>): (rows: readonly TokenView[]) => readonly TokenView[] {
  const seen = useRef(new Map<string, TokenView>());
  return (rows) => {
    for (const token of rows) seen.current.set(keyOf(token), token);
    return [...selected].flatMap((key) => seen.current.get(key) ?? []);
  };
}
