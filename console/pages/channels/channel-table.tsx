/** Channels as rows: the list of the page, or what a tag opens into. */
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { DataTable, type DataTableProps } from '../../components/data-table.tsx';
import { useStore } from '../../session/store.ts';
import { useChannelColumns } from './columns.tsx';
import { channelActions } from './row-actions.ts';
import { markedRows } from './row-notes.ts';
import type { ChannelActs } from './use-channel-acts.ts';
import type { OpenPanel } from './use-panel.ts';

export interface ChannelTableProps
  extends Pick<DataTableProps<ChannelView>, 'label' | 'rows' | 'state' | 'empty' | 'toolbar'> {
  readonly acts: ChannelActs;
  readonly open: OpenPanel;
  readonly selection?: DataTableProps<ChannelView>['selection'];
  /** Absent for the channels of a tag. */
  readonly paging?: Required<Pick<DataTableProps<ChannelView>, 'total' | 'page' | 'size' | 'onPage' | 'onSize'>>;
}

const rowKey = ({ id }: ChannelView) => String(id);

export function ChannelTable({ acts, open, selection, paging, ...table }: ChannelTableProps) {
  const { t } = useTranslation('channels');
  const { search } = useLocation();
  const navigate = useNavigate();
  const marked = useStore(markedRows);
  const columns = useChannelColumns(acts);
  const deps = useMemo(() => ({ acts, open, search, t }), [acts, open, search, t]);
  const rowActions = useCallback((row: ChannelView) => channelActions(row, deps), [deps]);
  const rowTone = useCallback(
    ({ id, status }: ChannelView) => (marked.has(id) ? 'changed' : status === 2 ? 'muted' : undefined),
    [marked],
  );
  const onOpen = useCallback(({ id }: ChannelView) => navigate(`/channel/edit/${id}${search}`), [navigate, search]);
  return (
    <DataTable
      {...table}
      {...paging}
      {...(selection ? { selection } : {})}
      columns={columns}
      rowKey={rowKey}
      rowActions={rowActions}
      rowTone={rowTone}
      onOpen={onOpen}
      storageKey="columns:channel"
      fileName="channels"
    />
  );
}
