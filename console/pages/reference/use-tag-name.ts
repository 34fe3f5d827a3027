/** Groups of calls with a name in the catalogue; dialects and what a newer daemon adds keep theirs. */
import { useTranslation } from 'react-i18next';

const known: readonly string[] = [
  'account',
  'alerts',
  'audits',
  'billing',
  'channels',
  'events',
  'groups',
  'logs',
  'models',
  'oauth',
  'options',
  'orders',
  'pageContent',
  'prices',
  'pricing',
  'redemptions',
  'reference',
  'rewards',
  'sessions',
  'setup',
  'status',
  'system',
  'tokens',
  'usageData',
  'usageReports',
  'users',
  'verification',
  'wallet',
  'works',
];

export function useTagName(): (tag: string) => string {
  const { t } = useTranslation('reference');
  return (tag) => (known.includes(tag) ? t(`tag.${tag}`) : tag);
}
