import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import type { PendingQuestion } from './confirm.tsx';
import classes from './confirm-dialog.module.css';
import { Dialog } from './dialog.tsx';

/** One question; answered by its buttons only, so that Enter in the text field does nothing. */
export function ConfirmDialog({ question }: { question: PendingQuestion }) {
  const { kind, title, text, verb, typed, typedLabel, otherwise, answer } = question;
  const { t } = useTranslation(['components', 'frame']);
  const [repeated, setRepeated] = useState('');
  const isTyped = kind === 'typed' && typed !== undefined;
  const isDangerous = kind !== 'plain';
  const refuse = () => answer(false);
  return (
    <Dialog
      opened
      onClose={refuse}
      title={title}
      size={460}
      footer={
        <>
          <Button variant="default" onClick={refuse} {...(isDangerous && !isTyped ? { 'data-autofocus': true } : {})}>
            {t('frame:action.cancel')}
          </Button>
          {otherwise && (
            <Button
              variant="default"
              onClick={() => {
                otherwise.act();
                answer(true);
              }}
            >
              {otherwise.verb}
            </Button>
          )}
          <Button
            {...(isDangerous ? { color: 'red' } : { 'data-autofocus': true })}
            disabled={isTyped && repeated !== typed}
            onClick={() => answer(true)}
          >
            {verb}
          </Button>
        </>
      }
    >
      {text !== undefined && <div className={classes.text}>{text}</div>}
      {isTyped && (
        <TextInput
          className={classes.typed}
          label={typedLabel ?? t('confirm.type', { text: typed })}
          value={repeated}
          onChange={(event) => setRepeated(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      )}
    </Dialog>
  );
}
