import { useTranslation } from 'react-i18next';

export function NoPermission() {
  const { t } = useTranslation();
  return <p>{t('state.noPermission')}</p>;
}
