/** The sections of a tab, each a link that scrolls to it; a dot marks those with something unsaved. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useStore } from '../../session/store.ts';
import { changesAmong } from './option-draft.ts';
import type { SectionEntry, SettingsTab } from './section-entry.ts';
import classes from './section-nav.module.css';
import { keysOf } from './sections.ts';
import { useSettings } from './settings-context.tsx';

interface SectionNavProps {
  readonly sections: readonly SectionEntry[];
  readonly tab: SettingsTab;
  readonly current: string | undefined;
}

export function SectionNav({ sections, tab, current }: SectionNavProps) {
  const { t } = useTranslation('settings');
  const { rows, board } = useSettings();
  const drafts = useStore(board.drafts);
  const unsaved = useMemo(
    () => new Set(sections.filter((section) => changesAmong(keysOf(section), rows, drafts).length > 0)),
    [sections, rows, drafts],
  );
  return (
    <nav className={classes.nav} aria-label={t('nav')}>
      {sections.map((section) => (
        <Link
          key={section.id}
          to={`?tab=${tab}&section=${section.id}`}
          className={classes.link}
          {...(section.id === current ? { 'aria-current': 'location' as const } : {})}
        >
          {t(`section.${section.id}`)}
          {unsaved.has(section) && <span className={classes.dot} role="img" aria-label={t('unsaved.mark')} />}
        </Link>
      ))}
    </nav>
  );
}
