/**
 * A text that is hidden until its eye is pressed, which the kit would name in English and keep from the keyboard. Pages
 * bring the sheets of it, as of their other fields: one of its own would weigh more.
 */
import { PasswordInput } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';

export function SecretInput(props: ComponentProps<typeof PasswordInput> & { readonly label: string }) {
  const { t } = useTranslation('frame');
  const eye = { 'aria-label': t('action.showHidden', { label: props.label }), tabIndex: 0 };
  return <PasswordInput {...props} visibilityToggleButtonProps={eye} />;
}
