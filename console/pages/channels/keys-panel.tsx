/** The keys of a channel as rows: what is known about each, never the key itself (console.md 6.9 "Keys panel"). */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelKeyView } from '../../../daemon/contract/channel-keys.ts';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { useBatch } from '../../api/use-batch.ts';
import { BatchProgressBar } from '../../components/batch-progress.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { EmptyState } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import { AddKeysDialog } from './add-keys-dialog.tsx';
import { channels } from './channel-calls.ts';
import { useKeyColumns } from './key-columns.tsx';
import { KeyLimitsDialog } from './key-limits-dialog.tsx';
import { specialFieldsOf } from './special-fields.ts';
import classes from './tools.module.css';
import { refreshRows } from './use-channels.ts';
import { useClosing } from './use-closing.ts';
import { keysQueryKey, useKeyActs } from './use-key-acts.ts';

export interface KeysPanelProps {
  readonly channel: ChannelView;
  readonly onClose: () => void;
}

const rowKey = ({ key_hash }: ChannelKeyView) => key_hash;
const autoDisabled = 3;
const noKeys: readonly ChannelKeyView[] = [];

export function KeysPanel({ channel, onClose }: KeysPanelProps) {
  const { t } = useTranslation(['channel-tools', 'frame']);
  const { opened, close } = useClosing(onClose);
  const client = useQueryClient();
  // The list counts the keys that are in service, however the panel is left.
  useEffect(() => () => void refreshRows(client), [client]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isAdding, setAdding] = useState(false);
  const [limited, setLimited] = useState<ChannelKeyView>();
  const query = useQuery({
    queryKey: keysQueryKey(channel.id),
    queryFn: ({ signal }) => channels.keys({ id: channel.id }, { signal }),
  });
  const keys = query.data ?? noKeys;
  // A key that is gone, whoever deleted it, is selected no longer.
  const chosen = useMemo(() => new Set(keys.map(rowKey).filter((hash) => selected.has(hash))), [keys, selected]);
  const { acts, results, testing } = useKeyActs(channel.id);
  const batch = useBatch<string>();
  const columns = useKeyColumns({ acts, results, testing });
  const untestable = specialFieldsOf(channel.type).isUntestable ? t('keys.untestable') : undefined;
  const dead = keys.filter(({ status }) => status === autoDisabled).map(rowKey);
  const enabled = keys.filter(({ status }) => status === 1).length;
  const cooling = keys.filter(({ cool_until }) => cool_until > Date.now() / 1000).length;
  const label = t('keys.title', { name: channel.name });
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={label}
      width={1200}
      isDirty={false}
      isReadOnly
      isSaving={false}
      onSubmit={(event) => event?.preventDefault()}
      submitLabel=""
    >
      <div data-wide="" className={classes.panel}>
        <div className={classes.counts}>
          <Tag tone="green" count={enabled}>
            {t('keys.enabled')}
          </Tag>
          <Tag tone="red" count={keys.length - enabled - dead.length}>
            {t('keys.disabled')}
          </Tag>
          <Tag tone="yellow" count={dead.length}>
            {t('keys.dead')}
          </Tag>
          {cooling > 0 && (
            <Tag tone="cyan" count={cooling}>
              {t('keys.cooling')}
            </Tag>
          )}
          <div className={classes.tools}>
            <Button
              size="xs"
              variant="default"
              onClick={() => void batch.start(keys.map(rowKey), (hash, signal) => acts.test(hash, signal))}
              disabled={untestable !== undefined || keys.length === 0}
              loading={batch.progress?.isRunning ?? false}
            >
              {t('keys.testAll')}
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => void acts.saveAll(channel)}
              disabled={keys.length === 0}
              title={t('keys.exportHelp')}
            >
              {t('keys.export')}
            </Button>
            {dead.length > 0 && (
              <Button size="xs" variant="light" color="red" onClick={() => void acts.remove(dead)}>
                {t('keys.deleteDead', { count: dead.length })}
              </Button>
            )}
            <Button size="xs" onClick={() => setAdding(true)}>
              {t('keys.add')}
            </Button>
          </div>
        </div>
        <BatchProgressBar batch={batch} />
        <DataTable
          label={label}
          rows={keys}
          rowKey={rowKey}
          columns={columns}
          rowActions={(key) => [
            {
              key: 'test',
              label: t('keys.test'),
              isDirect: true,
              onAct: () => void acts.test(key.key_hash),
              refused: untestable,
            },
            {
              key: 'switch',
              label: key.status === 1 ? t('keys.disable') : t('keys.enable'),
              isDirect: true,
              onAct: () => void acts.setStatus(key, key.status === 1 ? 2 : 1),
            },
            { key: 'limits', label: t('keys.limits'), onAct: () => setLimited(key) },
            {
              key: 'delete',
              label: t('frame:action.delete'),
              isDanger: true,
              onAct: () => void acts.remove([key.key_hash]),
              refused: keys.length === 1 ? t('keys.last') : undefined,
            },
          ]}
          selection={{
            keys: chosen,
            onChange: setSelected,
            actions: (
              <Button
                size="xs"
                variant="light"
                color="red"
                onClick={async () => {
                  if (await acts.remove([...chosen])) setSelected(new Set());
                }}
              >
                {t('frame:action.delete')}
              </Button>
            ),
          }}
          state={{
            isLoading: query.isPending,
            isStale: query.isFetching && !query.isPending,
            error: query.error,
            onRetry: () => void query.refetch(),
          }}
          empty={<EmptyState text={t('keys.empty')} />}
          storageKey="columns:channel-keys"
        />
      </div>
      {limited && (
        <KeyLimitsDialog
          row={limited}
          onClose={() => setLimited(undefined)}
          onSave={(limits) => acts.setLimits(limited, limits)}
        />
      )}
      {isAdding && <AddKeysDialog channel={channel} onClose={() => setAdding(false)} />}
    </FormDrawer>
  );
}
