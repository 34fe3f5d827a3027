import { useTranslation } from 'react-i18next';

export function Page() {
  const { t } = useTranslation();
  return <h1>{t('error.pageNotFound')}</h1>;
}
