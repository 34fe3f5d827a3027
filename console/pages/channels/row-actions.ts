/** What stands at the end of a channel's row. */
import type { TFunction } from 'i18next';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { statusReasonOf } from '../../../daemon/contract/status-reason.ts';
import type { RowAction } from '../../components/data-table-types.ts';
import { testingRows } from './row-notes.ts';
import { specialFieldsOf } from './special-fields.ts';
import type { ChannelActs } from './use-channel-acts.ts';
import type { OpenPanel } from './use-panel.ts';

export interface RowActionsDeps {
  readonly acts: ChannelActs;
  readonly open: OpenPanel;
  /** Query of the page, so that the editor comes back to it. */
  readonly search: string;
  readonly t: TFunction<'channels'>;
}

export function channelActions(channel: ChannelView, { acts, open, search, t }: RowActionsDeps): RowAction[] {
  const { id, status, cooling } = channel;
  const untestable = specialFieldsOf(channel.type).isUntestable ? t('untestable') : undefined;
  const cause = status === 3 ? statusReasonOf(channel.other_info)?.requestId : undefined;
  const isTesting = testingRows.get().has(id) ? t('testing') : undefined;
  return [
    {
      key: 'test',
      label: t('act.test'),
      isDirect: true,
      onAct: () => void acts.test(channel),
      refused: untestable ?? isTesting,
    },
    {
      key: 'models',
      label: t('act.testModels'),
      isDirect: true,
      isArrow: true,
      onAct: () => open('test', id),
      refused: untestable,
    },
    {
      key: 'switch',
      label: status === 1 ? t('act.disable') : t('act.enable'),
      isDirect: true,
      onAct: () => void acts.setStatus(channel, status === 1 ? 2 : 1),
    },
    { key: 'edit', label: t('act.edit'), isDirect: true, href: `/channel/edit/${id}${search}`, onAct: () => undefined },
    { key: 'history', label: t('act.history'), onAct: () => open('history', id) },
    { key: 'keys', label: t('act.keys'), onAct: () => open('keys', id) },
    { key: 'why', label: t('act.why'), onAct: () => open('why', id) },
    { key: 'log', label: t('act.log'), href: `/log?channel=${id}`, onAct: () => undefined },
    ...(cause
      ? [{ key: 'cause', label: t('act.cause'), href: `/log?range=&request_id=${cause}`, onAct: () => undefined }]
      : []),
    { key: 'copy', label: t('act.copy'), onAct: () => void acts.copy(channel) },
    ...(cooling > 0
      ? [{ key: 'cooling', label: t('act.clearCooling'), onAct: () => void acts.clearCooling(channel) }]
      : []),
    { key: 'delete', label: t('act.delete'), isDanger: true, onAct: () => void acts.remove(channel) },
  ];
}
