/** Whether the server reaches the addresses of its channels, asked when somebody wants to know. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { ReachedAddressView } from '../../../daemon/contract/system.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { EmptyState, Section } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import classes from './health.module.css';
import { system } from './system-calls.ts';

export function AddressCheck() {
  const { t } = useTranslation('health');
  const found = useQuery({
    queryKey: ['system', 'check'],
    queryFn: ({ signal }) => system.check({}, { signal }),
    enabled: false,
    retry: false,
  });
  const columns = useMemo<readonly Column<ReachedAddressView>[]>(
    () => [
      {
        key: 'address',
        title: t('address.address'),
        card: 'title',
        cell: ({ address }) => <code className={classes.address}>{address}</code>,
        export: ({ address }) => address,
      },
      {
        key: 'channels',
        title: t('address.channels'),
        card: 'meta',
        cell: ({ channels }) => (
          <span className={classes.links}>
            {channels.map((id) => (
              <Link key={id} to={`/channel/edit/${id}`}>{`#${id}`}</Link>
            ))}
          </span>
        ),
        export: ({ channels }) => channels.join(' '),
      },
      {
        key: 'reachable',
        title: t('address.result'),
        card: 'status',
        cell: ({ reachable, reason }) => (
          <Tag tone={reachable ? 'green' : 'red'} dot title={reason === '' ? undefined : reason}>
            {reachable ? t('address.reached') : t('state.unreachable')}
          </Tag>
        ),
        export: ({ reachable }) => String(reachable),
      },
      {
        key: 'status',
        title: 'HTTP',
        align: 'right',
        cell: ({ status }) => (status === 0 ? '—' : status),
        export: ({ status }) => status,
      },
      {
        key: 'ms',
        title: t('address.time'),
        align: 'right',
        card: 'figure',
        cell: ({ ms }) => <span className={classes.figure}>{`${ms} ms`}</span>,
        export: ({ ms }) => ms,
      },
      {
        key: 'reason',
        title: t('address.reason'),
        card: 'figure',
        cell: ({ reason }) => (reason === '' ? '—' : reason),
        export: ({ reason }) => reason,
      },
    ],
    [t],
  );
  return (
    <Section
      title={t('section.addresses')}
      description={t('address.hint')}
      isPlain
      actions={
        <Button variant="default" size="xs" loading={found.isFetching} onClick={() => void found.refetch()}>
          {t('address.act')}
        </Button>
      }
    >
      {found.isFetched && (
        <DataTable
          label={t('section.addresses')}
          rows={found.data?.items ?? []}
          rowKey={({ address }) => address}
          columns={columns}
          state={{
            isLoading: found.isLoading,
            isStale: found.isFetching,
            error: found.error,
            onRetry: () => void found.refetch(),
          }}
          empty={<EmptyState text={t('address.none')} />}
          storageKey="columns:addresses"
        />
      )}
    </Section>
  );
}
