/** The filters above the channels. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { channelTypes } from '../../../daemon/contract/channel-types.ts';
import type { FilterField } from '../../components/filter-bar.tsx';
import { currentLanguage } from '../../i18n/index.ts';
import { groups } from './channel-calls.ts';

/** @param typeCounts channels of each type, by its number */
export function useChannelFilters(typeCounts: Readonly<Record<string, number>>): readonly FilterField[] {
  const { t } = useTranslation('channels');
  const language = currentLanguage();
  const names = useGroupNames();
  return useMemo(() => {
    const types = channelTypes
      .filter(({ type }) => (typeCounts[type] ?? 0) > 0)
      .map(({ type, label }) => ({ value: String(type), label: `${label[language]} (${typeCounts[type]})` }));
    return [
      { key: 'keyword', label: t('filter.keyword'), kind: 'text', width: 220 },
      { key: 'model', label: t('filter.model'), kind: 'text', width: 130 },
      {
        key: 'group',
        label: t('filter.group'),
        kind: 'select',
        width: 120,
        options: names.map((value) => ({ value, label: value })),
      },
      { key: 'type', label: t('filter.type'), kind: 'select', width: 160, options: types },
      {
        key: 'status',
        label: t('filter.status'),
        kind: 'select',
        width: 120,
        options: [
          { value: 'enabled', label: t('filter.enabled') },
          { value: 'disabled', label: t('filter.disabled') },
          { value: 'auto', label: t('filter.auto') },
        ],
      },
    ];
  }, [t, names, typeCounts, language]);
}

const none: readonly string[] = [];

/** Every group there is. */
export function useGroupNames(): readonly string[] {
  const { data = none } = useQuery({
    queryKey: ['groups'],
    queryFn: async ({ signal }) => (await groups.list({}, { signal })).items,
    staleTime: 60_000,
  });
  return data;
}
