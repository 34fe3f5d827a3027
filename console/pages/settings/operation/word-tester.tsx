/** Which sensitive words a text would hit; tried in the browser, by the words as they stand on the screen. */
import { Textarea } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import { useOptionText } from '../settings-context.tsx';
import classes from './operation.module.css';
import { hitsOf, wordsOf } from './sensitive-words.ts';

export function WordTester() {
  const { t } = useTranslation('settings');
  const list = useOptionText('SensitiveWords');
  const [text, setText] = useState('');
  const { words, duplicates } = useMemo(() => wordsOf(list), [list]);
  const { hits, broken } = useMemo(() => hitsOf(words, text), [words, text]);
  return (
    <div className={classes.tester}>
      <p className={classes.line}>
        {t('words.count', { count: words.length })}
        {duplicates > 0 && ` · ${t('words.duplicates', { count: duplicates })}`}
      </p>
      <Textarea
        label={t('words.tester')}
        description={t('words.testerHelp')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        minRows={2}
        autosize
        maxRows={8}
      />
      <p className={classes.line} role="status">
        {text.trim() !== '' && (hits.length > 0 ? t('words.hits', { words: hits.join(', ') }) : t('words.noHits'))}
      </p>
      {broken.length > 0 && <p className={classes.problem}>{t('words.badPattern', { words: broken.join(', ') })}</p>}
    </div>
  );
}
