/** Settings by label and key, for the palette. */
import { useTranslation } from 'react-i18next';
import { useSettingPlaces } from '../pages/settings/use-setting-places.ts';
import type { PaletteEntry } from './palette-ranking.ts';

/** @param keyword nothing is fetched and nothing found while it is empty */
export function useSettingEntries(keyword: string): readonly PaletteEntry[] {
  const { t } = useTranslation();
  const places = useSettingPlaces(keyword !== '');
  if (keyword === '' || !places) return [];
  return places.map(({ id, label, group, words, query }) => ({
    id: `setting:${id}`,
    label,
    description: id.startsWith('section:') ? group : `${id} · ${group}`,
    words,
    group: t('palette.settings'),
    // A document of its own, with another policy for what it may call.
    run: () => window.location.assign(`/setting${query}`),
  }));
}
