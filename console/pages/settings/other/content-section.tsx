/** What the site shows of itself: each text has a button of its own. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { RichText } from '../../../components/rich-text.tsx';
import { OptionField } from '../option-field.tsx';
import { useOptionTexts, useSaveLabel } from '../option-texts.ts';
import { useSaveOptions } from '../save-options.ts';
import { pressBelowFields } from '../save-section.tsx';
import type { FieldEntry } from '../section-entry.ts';
import type { SectionBodyProps } from '../section-part.ts';
import { useOption } from '../settings-context.tsx';
import classes from './other.module.css';

export function ContentSection({ section, sought }: SectionBodyProps) {
  return (
    <div className={classes.items}>
      {section.fields.map((field) => (
        <ContentItem key={field.key} field={field} isSought={field.key === sought} />
      ))}
    </div>
  );
}

const withMarkup: readonly string[] = ['Notice', 'HomePageContent', 'About', 'Footer'];
/** Those whose text may be the address of a page that is embedded. */
const embedding: readonly string[] = ['HomePageContent', 'About'];

function ContentItem({ field, isSought }: { field: FieldEntry; isSought: boolean }) {
  const { t } = useTranslation('settings');
  const { label } = useOptionTexts(field);
  const saveLabel = useSaveLabel();
  const { saveDrafts } = useSaveOptions();
  const option = useOption(field.key);
  const [isShown, setIsShown] = useState(false);
  if (!option) return null;
  const text = option.text.trim();
  const isEmbedded = embedding.includes(field.key) && /^https?:\/\/\S+$/i.test(text);
  const save = () =>
    saveDrafts([field.key], {
      saved: t('content.updated', { name: label }),
      failed: t('content.failed', { name: label }),
    });
  return (
    <div className={classes.item}>
      <OptionField field={field} isSought={isSought} />
      <div className={classes.acts}>
        <Button variant="light" loading={option.isSaving} {...pressBelowFields(save)} {...saveLabel(label)} />
        {withMarkup.includes(field.key) && (
          <Button variant="default" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
            {isShown ? t('content.hide') : t('content.preview')}
          </Button>
        )}
      </div>
      {isShown && (
        <section className={classes.preview} aria-label={t('content.preview')}>
          {text === '' && t('content.empty')}
          {isEmbedded && t('content.embedded', { address: text })}
          {text !== '' && !isEmbedded && <RichText text={text} kind="admin" />}
        </section>
      )}
    </div>
  );
}
