/** A moment by the browser's own input: stands in until the picker of the kit is there. */
import { TextInput } from '@mantine/core';
import '@mantine/core/styles/Input.css';
import { formatTime } from './format.ts';

export interface MomentProps {
  readonly label: string;
  readonly seconds: number | undefined;
  readonly onChange: (seconds: number | undefined) => void;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
  /** What no moment means. */
  readonly placeholder?: string;
}

export function MomentInput({ label, seconds, onChange, error, isDisabled = false }: MomentProps) {
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      value={seconds === undefined ? '' : formatTime(seconds).replace(' ', 'T')}
      error={error}
      disabled={isDisabled}
      onChange={(event) => {
        const ms = new Date(event.currentTarget.value).getTime();
        onChange(Number.isNaN(ms) ? undefined : Math.floor(ms / 1000));
      }}
    />
  );
}
