/** The audit trail (console.md 6.24): who did what to whom. Nothing here can be changed. */
import { Button, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Skeleton.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditVerification } from '../../../daemon/contract/audits.ts';
import { showFailure } from '../../api/failures.ts';
import { useList } from '../../api/use-list.ts';
import { downloadFile } from '../../components/csv-download.ts';
import { DataTable } from '../../components/data-table.tsx';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { listView } from '../../components/list-view.ts';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { rangeToSeconds } from '../../components/time-range-text.ts';
import { actionLabel } from './action-label.ts';
import { audits } from './audit-calls.ts';
import { knownActions } from './audit-detail.ts';
import { ChainVerdict } from './chain-verdict.tsx';
import { auditColumns } from './columns.tsx';

const AuditDetails = lazyPart(() => import('./audit-details.tsx').then((module) => ({ default: module.AuditDetails })));

const defaults = { range: '', actor: '', action: '', target: '' };

function filterOf({ range, actor, action, target }: Readonly<typeof defaults>) {
  const { from, to } = rangeToSeconds(range);
  return {
    ...(actor === '' ? {} : { actor }),
    ...(action === '' ? {} : { action }),
    ...(target === '' ? {} : { target }),
    ...(from === undefined ? {} : { start_timestamp: from }),
    ...(to === undefined ? {} : { end_timestamp: to }),
  };
}

export function Page() {
  const { t } = useTranslation(['audit', 'frame']);
  const list = useList({ filters: defaults });
  const [verdict, setVerdict] = useState<AuditVerification>();
  const [isVerifying, setVerifying] = useState(false);
  const rows = useQuery({
    queryKey: ['audits', list.values, list.input],
    queryFn: ({ signal }) => audits.list({ ...filterOf(list.values), ...list.input }, { signal }),
    placeholderData: keepPreviousData,
  });
  const columns = useMemo(() => auditColumns(t), [t]);
  const fields = useMemo<readonly FilterField[]>(
    () => [
      { key: 'range', label: t('filter.range'), kind: 'range' },
      { key: 'actor', label: t('filter.actor'), kind: 'text' },
      {
        key: 'action',
        label: t('column.action'),
        kind: 'select',
        width: 220,
        options: knownActions.map((value) => ({ value, label: actionLabel(value, t) })),
      },
      { key: 'target', label: t('column.target'), kind: 'text', placeholder: t('filter.targetExample') },
    ],
    [t],
  );

  const verify = async () => {
    setVerifying(true);
    try {
      setVerdict(await audits.verify({}));
    } catch (error) {
      showFailure(error);
    }
    setVerifying(false);
  };

  const exportRows = async () => {
    try {
      const answer = await audits.export(filterOf(list.values));
      downloadFile('audit.csv', await answer.blob(), answer.headers.get('content-type') ?? '');
    } catch (error) {
      showFailure(error);
    }
  };

  const view = listView(list, rows);
  return (
    <>
      <PageHeader
        title={t('frame:page.audit')}
        description={t('about')}
        secondary={
          <>
            <Button variant="default" onClick={() => void exportRows()}>
              {t('export')}
            </Button>
            <Button variant="default" loading={isVerifying} onClick={() => void verify()}>
              {t('chain.verify')}
            </Button>
          </>
        }
      />
      {verdict && <ChainVerdict found={verdict} />}
      <FilterBar list="audit" fields={fields} {...view.filters} />
      <DataTable
        label={t('frame:page.audit')}
        {...view.table}
        rowKey={({ id }) => String(id)}
        columns={columns}
        expand={(row) => (
          <Suspense fallback={<Skeleton height={240} />}>
            <AuditDetails row={row} />
          </Suspense>
        )}
        rowTone={({ id }) => (id === verdict?.first_broken ? 'changed' : undefined)}
        empty={<EmptyState text={t('empty')} />}
        storageKey="columns:audit"
      />
    </>
  );
}
