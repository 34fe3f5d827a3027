/** Six boxes that are one field, so that codes are pasted and filled in as a whole (console.md 6.3). */
import { TextInput } from '@mantine/core';
import '@mantine/core/styles/Input.css';
import type { ReactNode, Ref } from 'react';
import classes from './code-field.module.css';

export interface CodeFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  /** Told only digits, six at most. */
  readonly onChange: (digits: string) => void;
  readonly error?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
  readonly 'data-autofocus'?: boolean;
}

export function CodeField({ value, onChange, ...rest }: CodeFieldProps) {
  return (
    <TextInput
      {...rest}
      classNames={{ input: classes.boxes ?? '' }}
      inputMode="numeric"
      autoComplete="one-time-code"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.normalize('NFKC').replaceAll(/\D/g, '').slice(0, 6))}
    />
  );
}
