/** The search of the list of prices: live, but for what an input method is still composing. */
import { TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import classes from './pricing.module.css';

export interface ModelSearchInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ModelSearchInput({ value, onChange }: ModelSearchInputProps) {
  const { t } = useTranslation('pricing');
  const isComposing = useRef(false);
  // What stands in the field while it is composed; the search itself otherwise.
  const [composed, setComposed] = useState<string>();
  return (
    <TextInput
      className={classes.search}
      type="search"
      aria-label={t('filter.search')}
      placeholder={t('filter.search')}
      value={composed ?? value}
      onCompositionStart={(event) => {
        isComposing.current = true;
        setComposed(event.currentTarget.value);
      }}
      onCompositionEnd={(event) => {
        isComposing.current = false;
        setComposed(undefined);
        onChange(event.currentTarget.value);
      }}
      onChange={(event) => {
        if (isComposing.current) setComposed(event.currentTarget.value);
        else onChange(event.currentTarget.value);
      }}
    />
  );
}
