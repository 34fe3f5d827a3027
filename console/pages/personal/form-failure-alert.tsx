import { Alert } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import { useTranslation } from 'react-i18next';
import { CopyText } from '../../components/copy.tsx';
import type { FormFailure } from '../../components/use-contract-form.ts';

/** Why the whole form was refused, above its fields. */
export function FormFailureAlert({ failure }: { failure: FormFailure | undefined }) {
  const { t } = useTranslation('personal');
  if (!failure) return null;
  return (
    <Alert color="red">
      {failure.text}
      {failure.requestId !== undefined && <CopyText value={failure.requestId} label={t('requestId')} />}
    </Alert>
  );
}
