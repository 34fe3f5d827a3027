/** How to call: address, credentials, the form of answers. */
import { Trans, useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy.tsx';
import { CodeBlock } from './code-block.tsx';
import classes from './reference.module.css';
import { baseUrlOf, dialectNames, type RelayDialect } from './relay-calls.ts';

const dialects: readonly RelayDialect[] = ['openai', 'anthropic', 'gemini'];
const envelope = `{ "success": true, "message": "", "data": … }
{ "success": false, "code": "token_not_found", "message": "…", "field": "…" }`;

export function StartView({ origin }: { readonly origin: string }) {
  const { t } = useTranslation('reference');
  return (
    <article className={classes.view} aria-labelledby="reference-start">
      <h2 id="reference-start" className={classes.heading}>
        {t('page.start')}
      </h2>
      <h3>{t('part.relay')}</h3>
      <p>
        <Trans t={t} i18nKey="start.relay" components={{ code: <code /> }} />
      </p>
      <dl className={classes.facts}>
        {dialects.map((dialect) => (
          <div key={dialect} className={classes.fact}>
            <dt>{dialectNames[dialect]}</dt>
            <dd className={classes.line}>
              <code>{baseUrlOf(dialect, origin)}</code>
              <CopyButton
                value={baseUrlOf(dialect, origin)}
                name={t('copy', { name: `${dialectNames[dialect]} ${t('baseUrl')}` })}
              />
            </dd>
          </div>
        ))}
      </dl>
      <h3>{t('part.management')}</h3>
      <p>
        <Trans t={t} i18nKey="start.management" components={{ code: <code /> }} />
      </p>
      <CodeBlock code={envelope} label={t('start.envelope')} />
      <p>
        <Trans t={t} i18nKey="start.refusal" components={{ code: <code /> }} />
      </p>
      <p className={classes.dim}>{t('start.shown')}</p>
    </article>
  );
}
