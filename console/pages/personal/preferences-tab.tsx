/** Taste, kept in this browser. */
import { SegmentedControl, Switch, useMantineColorScheme } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/SegmentedControl.css';
import '@mantine/core/styles/Switch.css';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pageSizes } from '../../api/list-state.ts';
import { setUsualSize, useUsualSize } from '../../api/use-list.ts';
import { Section } from '../../components/section.tsx';
import { currentLanguage, switchLanguage } from '../../i18n/index.ts';
import { readText, writeText } from '../../session/storage.ts';
import classes from './personal-page.module.css';

const schemes = ['auto', 'light', 'dark'] as const;
/** Each language is called by its own name. */
const languages = [
  { value: 'zh', label: '中文' },
  { value: 'en', label: 'English' },
] as const;
const shortcutsKey = 'shortcuts';

export function PreferencesTab() {
  const { t } = useTranslation('personal');
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const size = useUsualSize();
  const [hasShortcuts, setShortcuts] = useState(readText(shortcutsKey) !== 'off');
  return (
    <Section title={t('preferences.title')} description={t('preferences.description')}>
      <div className={classes.form}>
        <Choice label={t('preferences.theme')}>
          {(labelledBy) => (
            <SegmentedControl
              aria-labelledby={labelledBy}
              value={colorScheme}
              onChange={setColorScheme}
              data={schemes.map((value) => ({ value, label: t(`preferences.scheme.${value}`) }))}
            />
          )}
        </Choice>
        <Choice label={t('preferences.language')}>
          {(labelledBy) => (
            <SegmentedControl
              aria-labelledby={labelledBy}
              value={currentLanguage()}
              onChange={(language) => void switchLanguage(language)}
              data={[...languages]}
            />
          )}
        </Choice>
        <Choice label={t('preferences.pageSize')}>
          {(labelledBy) => (
            <SegmentedControl
              aria-labelledby={labelledBy}
              value={String(size)}
              onChange={(chosen) => setUsualSize(Number(chosen))}
              data={pageSizes.map(String)}
            />
          )}
        </Choice>
        <Switch
          label={t('preferences.shortcuts')}
          description={t('preferences.shortcutsHint')}
          checked={hasShortcuts}
          onChange={(event) => {
            setShortcuts(event.currentTarget.checked);
            writeText(shortcutsKey, event.currentTarget.checked ? undefined : 'off');
          }}
        />
      </div>
    </Section>
  );
}

function Choice({ label, children }: { label: string; children: (labelledBy: string) => ReactNode }) {
  const id = useId();
  return (
    <div className={classes.choice}>
      <span id={id} className={classes.choiceLabel}>
        {label}
      </span>
      {children(id)}
    </div>
  );
}
