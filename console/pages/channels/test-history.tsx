/** What tests of a channel have found, newest first. */
import { Select } from '@mantine/core';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelTestView } from '../../../daemon/contract/channel-checks.ts';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { formatDuration, formatPercent } from '../../components/format.ts';
import { Time } from '../../components/quota.tsx';
import { EmptyState } from '../../components/section.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { ResponseTimeTag, Tag } from '../../components/tag.tsx';
import { channels } from './channel-calls.ts';
import { FailureText } from './failure-text.tsx';
import classes from './tools.module.css';
import { useClosing } from './use-closing.ts';

export interface TestHistoryProps {
  readonly channel: ChannelView;
  readonly onClose: () => void;
}

const rowKey = ({ id }: ChannelTestView) => String(id);
const drawnTests = 30;

export function TestHistory({ channel, onClose }: TestHistoryProps) {
  const { t } = useTranslation(['channel-tools', 'frame']);
  const { opened, close } = useClosing(onClose);
  const [model, setModel] = useState('');
  const query = useQuery({
    queryKey: ['channels', 'tests', channel.id, model],
    queryFn: ({ signal }) => channels.tests({ id: channel.id, model }, { signal }),
    placeholderData: keepPreviousData,
  });
  const tests = query.data ?? [];
  const drawn = tests.slice(0, drawnTests).toReversed();
  const passed = tests.filter(({ ok }) => ok).length;
  const columns = useMemo<Column<ChannelTestView>[]>(
    () => [
      {
        key: 'created_at',
        title: t('history.time'),
        width: 170,
        card: 'meta',
        cell: (test) => <Time seconds={test.created_at} />,
        export: (test) => test.created_at,
      },
      {
        key: 'model',
        title: t('test.model'),
        width: 200,
        card: 'title',
        cell: (test) => <code>{test.model}</code>,
        export: (test) => test.model,
      },
      {
        key: 'ok',
        title: t('test.result'),
        width: 110,
        card: 'status',
        cell: (test) =>
          test.ok ? (
            <ResponseTimeTag ms={Math.max(1, test.time_ms)} />
          ) : (
            <Tag tone="red">{test.status > 0 ? `HTTP ${test.status}` : t('history.failed')}</Tag>
          ),
        export: (test) => (test.ok ? test.time_ms : test.status),
      },
      {
        key: 'message',
        title: t('history.message'),
        width: 340,
        card: 'figure',
        cell: (test) => test.message !== '' && <FailureText message={test.message} />,
        export: (test) => test.message,
      },
    ],
    [t],
  );
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={t('history.title', { name: channel.name })}
      width={960}
      isDirty={false}
      isReadOnly
      isSaving={false}
      onSubmit={(event) => event?.preventDefault()}
      submitLabel=""
    >
      <div data-wide="" className={classes.panel}>
        <div className={classes.wishes}>
          <Select
            label={t('test.model')}
            data={splitCommaList(channel.models)}
            value={model === '' ? null : model}
            onChange={(value) => setModel(value ?? '')}
            placeholder={t('history.everyModel')}
            clearable
            clearButtonProps={{ 'aria-label': t('frame:action.clear') }}
            searchable
          />
          {tests.length > 0 && (
            <div className={classes.summary}>
              <span>{t('history.passed', { share: formatPercent(passed / tests.length), count: tests.length })}</span>
              <Sparkline
                values={drawn.map((test) => (test.ok ? test.time_ms / 1000 : null))}
                label={t('history.times')}
                format={formatDuration}
              />
            </div>
          )}
        </div>
        <DataTable
          label={t('history.title', { name: channel.name })}
          rows={tests}
          rowKey={rowKey}
          columns={columns}
          state={{
            isLoading: query.isPending,
            isStale: query.isFetching && !query.isPending,
            error: query.error,
            onRetry: () => void query.refetch(),
          }}
          empty={<EmptyState text={t('history.empty')} />}
          storageKey="columns:channel-tests"
        />
      </div>
    </FormDrawer>
  );
}
