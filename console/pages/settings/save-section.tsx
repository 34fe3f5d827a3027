/** The one button of a section. */
import { Button } from '@mantine/core';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { useStore } from '../../session/store.ts';
import { useSaveLabel } from './option-texts.ts';
import { useSaveOptions } from './save-options.ts';
import type { SectionEntry } from './section-entry.ts';
import { keysOf } from './sections.ts';
import { useSettings } from './settings-context.tsx';
import classes from './settings-section.module.css';

/**
 * Of a button below fields. A field that is left may show a complaint, which moves the button from under the pointer
 * before it is released: so the field is left with the click.
 */
export function pressBelowFields(act: () => Promise<unknown>) {
  return {
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      event.currentTarget.focus();
      void act();
    },
  };
}

/** Saves what changed in the section. */
export function SaveSection({ section }: { section: SectionEntry }) {
  const { t } = useTranslation('settings');
  const { saveDrafts } = useSaveOptions();
  const { board } = useSettings();
  const saving = useStore(board.saving);
  const saveLabel = useSaveLabel();
  const title = t(`section.${section.id}`);
  const keys = keysOf(section);
  return (
    <div className={classes.foot}>
      <Button
        variant="light"
        {...pressBelowFields(() => saveDrafts(keys))}
        loading={keys.some((key) => saving.has(key))}
        {...(section.id === 'server' ? { children: t('save.server') } : saveLabel(title))}
      />
    </div>
  );
}
