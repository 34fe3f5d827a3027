/** Settings by label and key, for the palette: their list and its texts are fetched when the first letter is typed, in both languages. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isAdmin, isRoot, useUser } from '../session/session.ts';
import type { PaletteEntry } from './palette-ranking.ts';

/** @param keyword nothing is fetched and nothing found while it is empty */
export function useSettingEntries(keyword: string): readonly PaletteEntry[] {
  const { t, i18n } = useTranslation();
  const user = useUser();
  const isForRoot = isRoot(user);
  const language = i18n.language === 'en' ? 'en' : 'zh';
  const { data } = useQuery({
    queryKey: ['palette', 'settings', language, isForRoot],
    enabled: keyword !== '' && isAdmin(user),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('../pages/settings/setting-places.ts')).placesOf(language, isForRoot),
  });
  if (keyword === '' || !data) return [];
  return data.map(({ id, label, group, words, query }) => ({
    id: `setting:${id}`,
    label,
    description: id.startsWith('section:') ? group : `${id} · ${group}`,
    words,
    group: t('palette.settings'),
    // A document of its own, with another policy for what it may call.
    run: () => window.location.assign(`/setting${query}`),
  }));
}
