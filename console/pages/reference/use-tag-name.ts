/** Groups of calls with a name in the catalogue; dialects and what a newer daemon adds keep theirs. */
import { useTranslation } from 'react-i18next';

export const namedTags: readonly string[] = [
  'account',
  'alerts',
  'audits',
  'billing',
  'budgets',
  'channels',
  'cliSignIns',
  'events',
  'groups',
  'limits',
  'logs',
  'machineTokens',
  'models',
  'oauth',
  'options',
  'orders',
  'pageContent',
  'passkeys',
  'prices',
  'priceWork',
  'pricing',
  'rateRules',
  'redemptions',
  'reference',
  'rewards',
  'search',
  'secondFactor',
  'selfTests',
  'sessions',
  'setup',
  'state',
  'status',
  'stepUp',
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
  return (tag) => (namedTags.includes(tag) ? t(`tag.${tag}`) : tag);
}
