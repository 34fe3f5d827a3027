/** The columns of the keys of a channel. */
import { IconLoader2 } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKeyView, largestKeyLimits } from '../../../daemon/contract/channel-keys.ts';
import type { Column } from '../../components/data-table-types.ts';
import { formatTime } from '../../components/format.ts';
import { Time } from '../../components/quota.tsx';
import { ResponseTimeTag, StatusTag, Tag } from '../../components/tag.tsx';
import { NumberCell } from './number-cell.tsx';
import classes from './tools.module.css';
import { type KeyActs, keyLimits } from './use-key-acts.ts';
import type { TestResult } from './use-model-tests.ts';

export interface KeyColumnsDeps {
  readonly acts: KeyActs;
  readonly results: ReadonlyMap<string, TestResult>;
  readonly testing: ReadonlySet<string>;
}

export function useKeyColumns({ acts, results, testing }: KeyColumnsDeps): Column<ChannelKeyView>[] {
  const { t } = useTranslation('channel-tools');
  return useMemo(
    () => [
      { key: 'position', title: '#', width: 40, align: 'right', card: 'title', cell: ({ position }) => position + 1 },
      {
        key: 'tail',
        title: t('keys.tail'),
        width: 76,
        card: 'title',
        cell: ({ tail }) => <code>{tail === '' ? '••••' : `…${tail}`}</code>,
      },
      {
        key: 'status',
        title: t('keys.status'),
        width: 110,
        card: 'status',
        cell: (key) => <KeyStatus row={key} />,
      },
      {
        key: 'test',
        title: t('test.result'),
        width: 96,
        cell: ({ key_hash }) => <KeyTest result={results.get(key_hash)} isRunning={testing.has(key_hash)} />,
      },
      {
        key: 'last_error',
        title: t('keys.lastError'),
        width: 160,
        card: 'meta',
        cell: ({ last_error, status_time }) =>
          last_error === '' ? null : (
            <span
              className={classes.failed}
              title={status_time > 0 ? `${formatTime(status_time)} ${last_error}` : last_error}
            >
              {last_error}
            </span>
          ),
      },
      {
        key: 'last_used',
        title: t('keys.lastUsed'),
        width: 176,
        card: 'figure',
        cell: ({ last_used }) => <Time seconds={last_used} />,
      },
      ...keyLimits.map(
        (limit): Column<ChannelKeyView> => ({
          key: limit,
          title: t(`keys.${limit}`),
          width: 96,
          align: 'right',
          cell: (key) => (
            <NumberCell
              value={key[limit]}
              unlimited="∞"
              lowest={0}
              highest={largestKeyLimits[limit]}
              label={t('keys.limitOf', { place: key.position + 1, limit: t(`keys.${limit}`) })}
              refusal={t('keys.capWrong', { max: largestKeyLimits[limit] })}
              onSave={(value) => void acts.setLimits(key, { [limit]: value })}
            />
          ),
        }),
      ),
    ],
    [t, acts, results, testing],
  );
}

function KeyStatus({ row }: { readonly row: ChannelKeyView }) {
  const { t } = useTranslation(['channel-tools', 'channels']);
  const { status, reason, status_time, cool_until } = row;
  const title =
    reason === ''
      ? undefined
      : t('channels:statusReason', { reason, time: status_time > 0 ? formatTime(status_time) : '–' });
  const seconds = Math.ceil(cool_until - Date.now() / 1000);
  return (
    <>
      <StatusTag kind="channelStatus" value={status} title={title} dot />
      {seconds > 0 && <Tag tone="cyan">{t('channels:cooling', { seconds })}</Tag>}
    </>
  );
}

function KeyTest({ result, isRunning }: { readonly result: TestResult | undefined; readonly isRunning: boolean }) {
  const { t } = useTranslation('channel-tools');
  if (isRunning) {
    return (
      <span className={classes.running} role="status">
        <IconLoader2 size={14} stroke={1.75} aria-hidden="true" />
        {t('test.running')}
      </span>
    );
  }
  if (!result) return null;
  return result.ok ? (
    <ResponseTimeTag ms={Math.max(1, result.time * 1000)} />
  ) : (
    <Tag tone="red" title={result.message}>
      {t('history.failed')}
    </Tag>
  );
}
