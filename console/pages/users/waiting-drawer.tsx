import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { ErrorPanel } from '../../components/section.tsx';

export interface DrawerProps {
  readonly onClose: () => void;
}

interface WaitingProps extends DrawerProps {
  readonly title: string;
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** The drawer before what it needs is there, or instead of it. */
export function WaitingDrawer({ title, error, onRetry, onClose }: WaitingProps) {
  const { t } = useTranslation('users');
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={title}
      isDirty={false}
      isSaving={false}
      isLoading={!error}
      isReadOnly
      onSubmit={() => undefined}
      submitLabel={t('form.save')}
    >
      {error ? <ErrorPanel error={error} onRetry={onRetry} /> : null}
    </FormDrawer>
  );
}
