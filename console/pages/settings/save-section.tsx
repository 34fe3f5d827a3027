/** The one button of a section. */
import { Button } from '@mantine/core';
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
      <Button variant="light" onClick={() => void saveDrafts(keys)} loading={keys.some((key) => saving.has(key))}>
        {section.id === 'server' ? t('save.server') : saveLabel(title)}
      </Button>
    </div>
  );
}
