/** The search of the list of prices: live, but for what an input method is still composing. */
import { TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
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
  // What stands in the field while it is composed, or until the search, which may be drawn letters later, is the same.
  const [typed, setTyped] = useState<string>();
  useEffect(() => {
    if (!isComposing.current) setTyped((now) => (now === value ? undefined : now));
  }, [value]);
  const search = (text: string) => {
    setTyped(text);
    if (!isComposing.current) onChange(text);
  };
  return (
    <TextInput
      className={classes.search}
      type="search"
      aria-label={t('filter.search')}
      placeholder={t('filter.search')}
      value={typed ?? value}
      onCompositionStart={(event) => {
        isComposing.current = true;
        setTyped(event.currentTarget.value);
      }}
      onCompositionEnd={(event) => {
        isComposing.current = false;
        search(event.currentTarget.value);
      }}
      onChange={(event) => search(event.currentTarget.value)}
      onBlur={() => setTyped(undefined)}
    />
  );
}
