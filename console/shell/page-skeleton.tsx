/** Title and body of a page whose code is on its way; nothing is drawn for the first 150 ms. */
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Skeleton.css';
import classes from './panels.module.css';

export function PageSkeleton() {
  const { t } = useTranslation();
  return (
    <div className={classes.skeleton} role="status" aria-label={t('state.loading')}>
      <Skeleton height={28} width={180} />
      <Skeleton height={36} />
      <Skeleton height={360} />
    </div>
  );
}
