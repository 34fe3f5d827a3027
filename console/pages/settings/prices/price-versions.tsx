/** What prices were: who changed them when and why, what that changed, and going back (console.md 6.22, N17). */
import { Button } from '@mantine/core';
import { IconCalculator, IconRefresh } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import type { PriceDifferenceView, PriceVersionView } from '../../../../daemon/contract/price-work.ts';
import { showFailure } from '../../../api/failures.ts';
import { confirm } from '../../../components/confirm.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import type { Column } from '../../../components/data-table-types.ts';
import { lazyPart } from '../../../components/late-part.tsx';
import { Time } from '../../../components/quota.tsx';
import { Tag } from '../../../components/tag.tsx';
import { toast } from '../../../components/toast.ts';
import { PriceDiff } from './price-diff.tsx';
import { differenceRows, priceWork, usePricesChanged, versionsKey } from './price-work.ts';
import classes from './prices.module.css';

const RerateDialog = lazyPart(() => import('./rerate-dialog.tsx').then((module) => ({ default: module.RerateDialog })));
const SyncDialog = lazyPart(() => import('./sync-dialog.tsx').then((module) => ({ default: module.SyncDialog })));

const versionsQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: [...versionsKey, page, size],
    queryFn: ({ signal }) => priceWork.versions({ page, page_size: size }, { signal }),
  });

export function PriceVersions() {
  const { t } = useTranslation(['settings-price-work', 'settings-prices']);
  const [page, setPage] = useState(1);
  const [size, setSize] = useState(10);
  const [isSyncing, setSyncing] = useState(false);
  const [rerated, setRerated] = useState<number>();
  const [busy, setBusy] = useState<number>();
  const changed = usePricesChanged();
  const versions = useQuery(versionsQuery(page, size));
  const newest = useQuery(versionsQuery(1, size)).data?.items[0]?.version;
  const columns = useMemo(
    (): Column<PriceVersionView>[] => [
      {
        key: 'version',
        title: t('versions.number'),
        align: 'right',
        width: 90,
        card: 'title',
        cell: ({ version }) => `#${version}`,
      },
      {
        key: 'time',
        title: t('versions.time'),
        width: 176,
        card: 'meta',
        cell: ({ created_at }) => <Time seconds={created_at} />,
      },
      { key: 'author', title: t('versions.author'), card: 'meta', cell: ({ created_by }) => created_by },
      {
        key: 'cause',
        title: t('versions.cause'),
        card: 'status',
        cell: ({ cause }) => <Tag>{t(`cause.${cause}`)}</Tag>,
      },
      { key: 'models', title: t('versions.models'), card: 'figure', cell: (row) => modelsText(row, t) },
      {
        key: 'note',
        title: t('versions.note'),
        card: 'meta',
        cell: ({ note }) => <span className={classes.model}>{note}</span>,
      },
    ],
    [t],
  );
  const isSureOf = (version: number, differences: readonly PriceDifferenceView[], hasMoved: boolean) => {
    // From now to what was: the other way round than the question.
    const back = differences.map((one) => ({ ...one, old: one.new, new: one.old }));
    return confirm({
      kind: 'danger',
      title: t('versions.rollbackTitle', { version }),
      text: (
        <>
          {hasMoved && (
            <p className={classes.problem} role="alert">
              {t('versions.moved')}
            </p>
          )}
          {t('versions.rollbackText', { version })}
          <PriceDiff label={t('versions.rollbackDiff')} rows={differenceRows(back, t)} count={back.length} />
        </>
      ),
      verb: t('versions.rollback'),
    });
  };
  const rollback = async ({ version }: PriceVersionView) => {
    setBusy(version);
    try {
      const ask = () => priceWork.differences({ from: version });
      let shown: string | undefined;
      // What others changed while it was read would be undone without having been shown.
      for (let now = await ask(); JSON.stringify(now) !== shown; now = await ask()) {
        setBusy(undefined);
        if (shown !== undefined) void changed();
        if (!(await isSureOf(version, now, shown !== undefined))) return;
        setBusy(version);
        shown = JSON.stringify(now);
      }
      const made = await priceWork.rollback({ version });
      toast.success(made.version === null ? t('versions.already') : t('versions.rolledBack', { version }));
      await changed();
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <>
      <div className={classes.acts}>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.75} aria-hidden />}
          onClick={() => setSyncing(true)}
        >
          {t('sync.act')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconCalculator size={16} stroke={1.75} aria-hidden />}
          disabled={newest === undefined}
          title={newest === undefined && !versions.isPending ? t('rerate.none') : undefined}
          onClick={() => setRerated(newest)}
        >
          {t('rerate.act')}
        </Button>
      </div>
      <DataTable
        label={t('settings-prices:tab.versions')}
        rows={versions.data?.items ?? []}
        rowKey={({ version }) => String(version)}
        columns={columns}
        total={versions.data?.total ?? 0}
        page={page}
        size={size}
        onPage={setPage}
        onSize={(next) => {
          setSize(next);
          setPage(1);
        }}
        expand={(row) => <VersionChanges row={row} />}
        rowActions={(row) => [
          {
            key: 'rollback',
            label: t('versions.rollback'),
            isDirect: true,
            onAct: () => void rollback(row),
            refused: row.version === newest ? t('versions.isNow') : undefined,
          },
          { key: 'rerate', label: t('rerate.actOf'), onAct: () => setRerated(row.version) },
        ]}
        isRowBusy={({ version }) => version === busy}
        state={{
          isLoading: versions.isPending,
          isStale: versions.isFetching,
          error: versions.error,
          onRetry: () => void versions.refetch(),
        }}
        empty={t('versions.empty')}
        storageKey="columns:price-versions"
      />
      <Suspense fallback={null}>
        {isSyncing && <SyncDialog onClose={() => setSyncing(false)} />}
        {rerated !== undefined && <RerateDialog prices={{ version: rerated }} onClose={() => setRerated(undefined)} />}
      </Suspense>
    </>
  );
}

function VersionChanges({ row: { version, before } }: { readonly row: PriceVersionView }) {
  const { t } = useTranslation('settings-price-work');
  const { data } = useQuery({
    queryKey: [...versionsKey, 'differences', before, version],
    queryFn: ({ signal }) => priceWork.differences({ from: before, to: version }, { signal }),
  });
  if (!data) return null;
  return <PriceDiff label={t('versions.changes', { version })} rows={differenceRows(data, t)} count={data.length} />;
}

function modelsText(
  { models, model_count: count }: PriceVersionView,
  t: (key: 'versions.more', values: { names: string; count: number }) => string,
): string {
  const names = models.slice(0, 3).join(', ');
  return count > 3 ? t('versions.more', { names, count }) : names;
}
