/** The columns of the channel table; the same for a row and for what a tag opens into. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';
import type { Column } from '../../components/data-table-types.ts';
import { formatTime } from '../../components/format.ts';
import { currentLanguage } from '../../i18n/index.ts';
import { GroupsCell, MoneyCell, modelCount, NameCell, ResponseTimeCell, StatusCell } from './cells.tsx';
import { NumberCell } from './number-cell.tsx';
import { typeLabel } from './type-select.ts';
import type { ChannelActs } from './use-channel-acts.ts';
import { lowestPriority } from './whole-number.ts';

export function useChannelColumns(acts: ChannelActs): Column<ChannelView>[] {
  const { t } = useTranslation('channels');
  const language = currentLanguage();
  return useMemo(
    () => [
      { key: 'id', title: 'ID', width: 40, align: 'right', cell: ({ id }) => id, export: ({ id }) => id },
      {
        key: 'name',
        title: t('column.name'),
        width: 140,
        widest: 240,
        pin: 'start',
        card: 'title',
        cell: (channel) => <NameCell channel={channel} />,
        export: ({ name }) => name,
      },
      {
        key: 'group',
        title: t('column.group'),
        width: 110,
        card: 'meta',
        cell: ({ group }) => <GroupsCell groups={splitCommaList(group)} />,
        export: ({ group }) => group,
      },
      {
        key: 'type',
        title: t('column.type'),
        width: 124,
        cell: ({ type }) => typeLabel(type, language),
        export: ({ type }) => typeLabel(type, language),
      },
      {
        key: 'status',
        title: t('column.status'),
        width: 124,
        card: 'status',
        cell: (channel) => <StatusCell channel={channel} />,
        export: ({ status }) => status,
      },
      {
        key: 'response_time',
        title: t('column.responseTime'),
        // As wide as what most of a new site say: that they were never tested.
        width: 104,
        card: 'figure',
        cell: (channel) => <ResponseTimeCell channel={channel} />,
        export: (channel) => channel.response_time,
      },
      {
        key: 'money',
        title: t('column.money'),
        // As wide as its longest amount: a figure without its end is another one. Two stand below each other where it is narrow.
        align: 'right',
        cell: (channel) => <MoneyCell channel={channel} onUpdate={acts.updateBalance} />,
        export: (channel) => channel.used_quota,
      },
      {
        key: 'priority',
        title: t('column.priority'),
        // As above: of 999999 five figures fit into what most need.
        align: 'right',
        cell: (channel) => (
          <NumberCell
            value={channel.priority}
            lowest={lowestPriority}
            label={t('priorityOf', { name: channel.name })}
            refusal={t('problem.priority')}
            tooLow={t('problem.priorityLow')}
            onSave={(value) => void acts.setNumber(channel, 'priority', value)}
          />
        ),
        export: ({ priority }) => priority,
      },
      {
        key: 'weight',
        title: t('column.weight'),
        align: 'right',
        cell: (channel) => (
          <NumberCell
            value={channel.weight}
            lowest={0}
            label={t('weightOf', { name: channel.name })}
            refusal={t('problem.weight')}
            onSave={(value) => void acts.setNumber(channel, 'weight', value)}
          />
        ),
        export: ({ weight }) => weight,
      },
      {
        key: 'tag',
        title: t('column.tag'),
        width: 120,
        isOptional: true,
        cell: ({ tag }) => tag ?? '',
        export: ({ tag }) => tag ?? '',
      },
      {
        key: 'models',
        title: t('column.models'),
        width: 90,
        align: 'right',
        isOptional: true,
        cell: modelCount,
        export: ({ models }) => models,
      },
      {
        key: 'created_time',
        title: t('column.created'),
        width: 170,
        isOptional: true,
        cell: ({ created_time }) => formatTime(created_time),
        export: ({ created_time }) => formatTime(created_time),
      },
    ],
    [t, acts, language],
  );
}
