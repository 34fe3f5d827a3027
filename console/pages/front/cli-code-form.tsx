/** The short code that a command line shows: typed, never taken from an address, since whoever sends a link knows its code. */
import { Alert, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFailures } from '../../api/failures.ts';
import classes from './cli-page.module.css';
import cardClasses from './front-card.module.css';

const codeLetters = 8;

function takeFocus(field: HTMLInputElement | null): void {
  field?.focus();
}

/** `bcdfghjk` as `BCDF-GHJK`. */
function shownCode(typed: string): string {
  const letters = typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '')
    .slice(0, codeLetters);
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters;
}

export function CliCodeForm({ onTyped }: { onTyped: (code: string) => Promise<void> }) {
  const { t } = useTranslation('cli');
  const failure = useFailures();
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    if (code.replace('-', '').length < codeLetters) return setProblem(t('code.short'));
    setProblem(undefined);
    setSending(true);
    try {
      await onTyped(code);
    } catch (error) {
      setSending(false);
      setProblem(failure(error));
    }
  };

  return (
    <form onSubmit={submit} className={cardClasses.form} noValidate>
      <p className={classes.lead}>{t('code.lead')}</p>
      <TextInput
        ref={takeFocus}
        classNames={{ input: classes.code ?? '' }}
        label={t('code.label')}
        placeholder="XXXX-XXXX"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        value={code}
        onChange={(event) => {
          setCode(shownCode(event.currentTarget.value));
          setProblem(undefined);
        }}
        error={problem}
      />
      <Alert color="orange">{t('code.warning')}</Alert>
      <Button type="submit" fullWidth loading={isSending}>
        {t('code.submit')}
      </Button>
    </form>
  );
}
