/** What is shown until a chat site opens, or instead of it. */
import { VisuallyHidden } from '@mantine/core';
import '@mantine/core/styles/VisuallyHidden.css';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/section.tsx';

export function Waiting({ isTokenMissing }: { readonly isTokenMissing: boolean }) {
  const { t } = useTranslation(['chat', 'frame']);
  return (
    <>
      <VisuallyHidden component="h1" tabIndex={-1}>
        {t('frame:page.chat')}
      </VisuallyHidden>
      <div role="status">
        <EmptyState text={isTokenMissing ? t('frame:error.noToken') : t('redirecting')} />
      </div>
    </>
  );
}
