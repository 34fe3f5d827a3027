/** The keys with which applications call models (console.md 6.11). */
import { Alert, Button } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import { IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { TokenView } from '../../../daemon/contract/tokens.ts';
import { useList } from '../../api/use-list.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { RowAction } from '../../components/data-table-types.ts';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { tokenColumns } from './columns.tsx';
import { tokens, useTokenActs } from './use-token-acts.ts';

const defaults = { keyword: '', token: '' };
const noTokens: readonly TokenView[] = [];
const keyOf = ({ id }: TokenView): string => String(id);

export function Page() {
  const { t } = useTranslation(['tokens', 'frame']);
  const list = useList({ filters: defaults });
  const { values, input } = list;
  const acts = useTokenActs();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const known = useKnown(selected);

  const query = useQuery({
    queryKey: ['tokens', 'list', values, input],
    queryFn: ({ signal }) =>
      list.hasFilters ? tokens.search({ ...values, ...input }, { signal }) : tokens.list(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const rows = query.data?.items ?? noTokens;
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
      {
        key: 'toggle',
        label: isOn ? t('act.disable') : t('act.enable'),
        isDirect: true,
        refused,
        onAct: () => void acts.setStatus(token, isOn ? 2 : 1),
      },
      {
        key: 'log',
        label: t('act.log'),
        href: `/log?token_name=${encodeURIComponent(token.name)}`,
        onAct: () => undefined,
      },
      { key: 'delete', label: t('act.delete'), isDanger: true, onAct: () => void acts.remove(token) },
    ];
  };

  return (
    <>
      <PageHeader title={t('frame:page.tokens')} />
      <Alert color="yellow" icon={<IconAlertTriangle size={16} stroke={1.75} />} mb="md">
        {t('warning')}
      </Alert>
      <FilterBar
        fields={fields}
        values={values}
        onApply={list.setFilters}
        onReset={list.resetFilters}
        onRefresh={() => void query.refetch()}
        isRefreshing={query.isFetching}
      />
      <DataTable
        label={t('frame:page.tokens')}
        rows={rows}
        rowKey={keyOf}
        columns={columns}
        {...(query.data && { total: query.data.total })}
        page={list.page}
        size={list.size}
        onPage={list.setPage}
        onSize={list.setSize}
        selection={{
          keys: selected,
          onChange: setSelected,
          actions: (
            <>
              <Button size="xs" variant="default" onClick={() => void acts.copyMany(chosen, 'names')}>
                {t('act.copyNames')}
              </Button>
              <Button size="xs" variant="default" onClick={() => void acts.copyMany(chosen, 'keys')}>
                {t('act.copyKeys')}
              </Button>
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
        rowActions={actionsOf}
        state={{
          isLoading: query.isPending,
          isStale: query.isFetching,
          error: query.error,
          onRetry: () => void query.refetch(),
        }}
        empty={
          <EmptyState text={t('empty')}>
            <Link to="/reference">{t('reference')}</Link>
          </EmptyState>
        }
        hasFilters={list.hasFilters}
        onClearFilters={list.resetFilters}
        storageKey="columns:token"
      />
    </>
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
