/** A section of the settings: its options and its one button; folded up on phones until it is opened. */
import { Skeleton } from '@mantine/core';
import { IconChevronDown, IconLock } from '@tabler/icons-react';
import { Suspense, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Skeleton.css';
import { usePhone } from '../../components/use-phone.ts';
import { OptionField } from './option-field.tsx';
import { SaveSection } from './save-section.tsx';
import type { SectionEntry } from './section-entry.ts';
import type { SectionParts } from './section-part.ts';
import { useSettings } from './settings-context.tsx';
import classes from './settings-section.module.css';

interface SectionContents {
  readonly section: SectionEntry;
  /** What it has besides its options. */
  readonly parts: SectionParts | undefined;
  /** Key of the option that the search led to. */
  readonly sought: string | undefined;
}

interface SettingsSectionProps extends SectionContents {
  /** On phones, where sections are folded. */
  readonly isOpenAtFirst: boolean;
}

export function SettingsSection({ section, parts, sought, isOpenAtFirst }: SettingsSectionProps) {
  const { t } = useTranslation('settings');
  const isPhone = usePhone();
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const bodyId = useId();
  const title = t(`section.${section.id}`);
  useEffect(() => {
    if (isOpenAtFirst) setIsOpen(true);
  }, [isOpenAtFirst]);
  return (
    <section className={classes.section} id={`section-${section.id}`} aria-label={title}>
      <h2 className={classes.title}>
        {isPhone ? (
          <button
            type="button"
            className={classes.fold}
            aria-expanded={isOpen}
            aria-controls={bodyId}
            onClick={() => setIsOpen(!isOpen)}
          >
            {title}
            <IconChevronDown size={16} stroke={1.75} aria-hidden />
          </button>
        ) : (
          title
        )}
      </h2>
      {(!isPhone || isOpen) && (
        <div id={bodyId} className={classes.body}>
          <SectionBody section={section} parts={parts} sought={sought} />
        </div>
      )}
    </section>
  );
}

function SectionBody({ section, parts = {}, sought }: SectionContents) {
  const { t } = useTranslation(['settings', 'frame']);
  const { rows, isRoot } = useSettings();
  const { Before, Body, Between, After } = parts;
  const isLocked =
    !isRoot && section.fields.length > 0 && section.fields.every(({ key }) => rows.get(key)?.class === 'root');
  const plain = section.fields.filter(({ isFolded }) => !isFolded);
  const folded = section.fields.filter(({ isFolded }) => isFolded);
  const isSoughtFolded = folded.some(({ key }) => key === sought);
  const field = (entry: (typeof plain)[number]) => (
    <OptionField key={entry.key} field={entry} isLockSaid={isLocked} isSought={entry.key === sought} />
  );
  return (
    <>
      {isLocked && (
        <p className={classes.locked}>
          <IconLock size={16} stroke={1.75} aria-hidden />
          {t('frame:state.rootOnly')}
        </p>
      )}
      {Body ? (
        <Suspense fallback={<Skeleton height={320} />}>
          <Body section={section} sought={sought} />
        </Suspense>
      ) : (
        <>
          {Before && <Before section={section} />}
          {plain.length > 0 && <div className={classes.fields}>{plain.map(field)}</div>}
          {folded.length > 0 && (
            <details className={classes.details} open={isSoughtFolded}>
              <summary>{t('folded', { count: folded.length })}</summary>
              <div className={classes.fields}>{folded.map(field)}</div>
            </details>
          )}
          {Between && <Between section={section} />}
          {!isLocked && <SaveSection section={section} />}
          {After && <After section={section} />}
        </>
      )}
    </>
  );
}
