/** The address to call, and a call that works, by dialect and language. */
import { SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy.tsx';
import { useStatus } from '../../session/status.ts';
import classes from './first-call.module.css';
import {
  baseUrlOf,
  dialectNames,
  dialects,
  languageNames,
  languages,
  type SnippetLanguage,
  snippetOf,
} from './snippets.ts';

export function FirstCall() {
  const { t } = useTranslation('front');
  const status = useStatus();
  const [dialect, setDialect] = useState<(typeof dialects)[number]>('openai');
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const origin = (status?.server_address || window.location.origin).replace(/\/+$/, '');
  const baseUrl = baseUrlOf(dialect, origin);
  const code = snippetOf(dialect, language, origin);
  return (
    <div className={classes.box}>
      <div className={classes.dialects}>
        <SegmentedControl
          fullWidth
          aria-label={t('home.dialect')}
          value={dialect}
          onChange={setDialect}
          data={dialects.map((value) => ({ value, label: dialectNames[value] }))}
        />
      </div>
      <div className={classes.address}>
        <span className={classes.addressLabel}>{t('home.baseUrl')}</span>
        <code className={classes.addressText}>{baseUrl}</code>
        <CopyButton value={baseUrl} name={t('home.copyBaseUrl')} />
      </div>
      <div className={classes.bar}>
        <fieldset className={classes.languages}>
          <legend className={classes.hidden}>{t('home.language')}</legend>
          {languages.map((value) => (
            <label key={value} className={classes.language}>
              <input
                type="radio"
                name="language"
                checked={language === value}
                onChange={() => setLanguage(value)}
                className={classes.hidden}
              />
              {languageNames[value]}
            </label>
          ))}
        </fieldset>
        <CopyButton value={code} name={t('home.copyCode')} label={languageNames[language]} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
      <section className={classes.code} tabIndex={0} aria-label={t('home.code')}>
        <pre className={classes.text}>
          <code>{code}</code>
        </pre>
      </section>
      <p className={classes.hint}>{t('home.keyHint')}</p>
    </div>
  );
}
