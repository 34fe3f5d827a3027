/** A call in the language that was chosen last. */
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from './code-block.tsx';
import { type ExampleCall, type ExampleLanguage, exampleLanguages, exampleNames, exampleOf } from './examples.ts';
import classes from './reference.module.css';

export interface ExampleBlockProps {
  readonly call: ExampleCall;
  readonly origin: string;
  readonly language: ExampleLanguage;
  readonly onLanguage: (language: ExampleLanguage) => void;
}

export function ExampleBlock({ call, origin, language, onLanguage }: ExampleBlockProps) {
  const { t } = useTranslation('reference');
  const name = useId();
  const offered = exampleLanguages.filter((one) => exampleOf(call, one, origin) !== undefined);
  const shown = offered.includes(language) ? language : 'curl';
  const choice = (
    <fieldset className={classes.languages}>
      <legend className={classes.hidden}>{t('example.language')}</legend>
      {offered.map((one) => (
        <label key={one} className={classes.language}>
          <input
            type="radio"
            className={classes.hidden}
            name={name}
            checked={one === shown}
            onChange={() => onLanguage(one)}
          />
          {exampleNames[one]}
        </label>
      ))}
    </fieldset>
  );
  return (
    <CodeBlock
      code={exampleOf(call, shown, origin) ?? ''}
      label={t('example.named', { language: exampleNames[shown] })}
      head={choice}
    />
  );
}
