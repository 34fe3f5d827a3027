/** How the site will be used; native radio buttons, each with a line of what it means. */
import { Anchor } from '@mantine/core';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Text.css';
import '@mantine/core/styles/UnstyledButton.css';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../components/late-part.tsx';
import classes from './setup-page.module.css';

export const siteModes = ['external', 'self', 'demo'] as const;
export type SiteMode = (typeof siteModes)[number];

const ModeHelp = lazyPart(() => import('./setup-mode-help.tsx').then((module) => ({ default: module.SetupModeHelp })));

export function SetupMode({ value, onChange }: { value: SiteMode; onChange: (mode: SiteMode) => void }) {
  const { t } = useTranslation('front');
  const [isHelpOpen, setHelpOpen] = useState(false);
  return (
    <>
      <div className={classes.modes}>
        {siteModes.map((mode) => (
          <label key={mode} className={classes.mode}>
            <input type="radio" name="mode" value={mode} checked={value === mode} onChange={() => onChange(mode)} />
            <span>
              <span className={classes.modeName}>{t(`setup.mode.name.${mode}`)}</span>
              <span className={classes.modeHint}>{t(`setup.mode.hint.${mode}`)}</span>
            </span>
          </label>
        ))}
      </div>
      <div>
        <Anchor component="button" type="button" onClick={() => setHelpOpen(true)}>
          {t('setup.mode.help')}
        </Anchor>
      </div>
      <Suspense fallback={null}>{isHelpOpen && <ModeHelp onClose={() => setHelpOpen(false)} />}</Suspense>
    </>
  );
}
