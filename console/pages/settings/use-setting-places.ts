/** The places of the settings for the searches: their list and its texts are fetched, in both languages, when one is used. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isAdmin, isRoot, useUser } from '../../session/session.ts';
import type { SettingPlace } from './setting-places.ts';

/** Undefined while they are not there, and for users. */
export function useSettingPlaces(isWanted: boolean): readonly SettingPlace[] | undefined {
  const { i18n } = useTranslation();
  const user = useUser();
  const isForRoot = isRoot(user);
  const language = i18n.language === 'en' ? 'en' : 'zh';
  const { data } = useQuery({
    queryKey: ['settings', 'places', language, isForRoot],
    enabled: isWanted && isAdmin(user),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('./setting-places.ts')).placesOf(language, isForRoot),
  });
  return data;
}
