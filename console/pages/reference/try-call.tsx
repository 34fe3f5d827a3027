/** Makes a call that only reads, with the own session, and shows the answer as it came. */
import { Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operation } from '../../../daemon/contract/openapi-reader.ts';
import { noteRefusal, ownHeaders } from '../../api/client.ts';
import { Tag } from '../../components/tag.tsx';
import { CodeBlock } from './code-block.tsx';
import classes from './reference.module.css';
import { triedAddress } from './trying.ts';

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

/** JSON by lines; anything else as it came. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function TryCall({ call }: { readonly call: Operation }) {
  const { t } = useTranslation('reference');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<Answer | 'unreached'>();
  const [isAsking, setAsking] = useState(false);
  const address = triedAddress(call, values);
  const fields = call.parameters.filter(({ place }) => place === 'path' || place === 'query');

  const ask = async (event: FormEvent) => {
    event.preventDefault();
    if (address === undefined) return;
    setAsking(true);
    const begun = performance.now();
    try {
      const response = await fetch(address, { headers: ownHeaders() });
      noteRefusal(response);
      const text = await response.text();
      setAnswer({ status: response.status, ms: Math.round(performance.now() - begun), text });
    } catch {
      setAnswer('unreached');
    }
    setAsking(false);
  };

  return (
    <>
      <h3>{t('try.title')}</h3>
      <form className={classes.try} onSubmit={(event) => void ask(event)} noValidate>
        {fields.map(({ name, type, required }) => (
          <TextInput
            key={name}
            label={name}
            required={required}
            placeholder={type}
            autoComplete="off"
            spellCheck={false}
            value={values[name] ?? ''}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setValues((before) => ({ ...before, [name]: value }));
            }}
          />
        ))}
        <Button type="submit" loading={isAsking} disabled={address === undefined}>
          {t('try.act')}
        </Button>
      </form>
      <p className={classes.dim}>{t('try.note')}</p>
      <div role="status">
        {answer === 'unreached' && <Tag tone="red">{t('try.unreached')}</Tag>}
        {answer !== undefined && answer !== 'unreached' && (
          <div className={classes.answer}>
            <span className={classes.line}>
              <Tag tone={answer.status < 400 ? 'green' : 'red'}>{`HTTP ${answer.status}`}</Tag>
              <span className={classes.dim}>{`${answer.ms} ms`}</span>
            </span>
            <CodeBlock code={indented(answer.text)} label={t('try.answer')} />
          </div>
        )}
      </div>
    </>
  );
}
