/** One call: what it takes, what it answers, how it refuses. */
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { LoginView } from '../../../daemon/contract/account.ts';
import type { Field } from '../../../daemon/contract/openapi-reader.ts';
import { CopyButton } from '../../components/copy.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { Tag } from '../../components/tag.tsx';
import { CodeBlock } from './code-block.tsx';
import { type ErrorEntries, ErrorTable } from './error-table.tsx';
import { ExampleBlock } from './example-block.tsx';
import type { ExampleCall, ExampleLanguage } from './examples.ts';
import { Method } from './method.tsx';
import classes from './reference.module.css';
import { baseUrlOf } from './relay-calls.ts';
import { SummaryText } from './summary-text.tsx';
import { mayTry } from './trying.ts';

const TryCall = lazyPart(() => import('./try-call.tsx').then((module) => ({ default: module.TryCall })));

const knownAccess: readonly string[] = ['public', 'optional', 'user', 'admin', 'root', 'key', 'key-read'];

export interface CallViewProps {
  readonly call: ExampleCall;
  readonly errors: ErrorEntries;
  readonly origin: string;
  readonly user: LoginView | undefined;
  readonly example: ExampleLanguage;
  readonly onExample: (language: ExampleLanguage) => void;
}

export function CallView({ call, errors, origin, user, example, onExample }: CallViewProps) {
  const { t, i18n } = useTranslation('reference');
  const { method, path, summary, access, scope, dialect, parameters, body, answer, errorCodes } = call;
  return (
    <article className={classes.view} aria-labelledby="reference-call">
      <div className={classes.title}>
        <Method method={method} />
        <h2 id="reference-call">
          <code>{path}</code>
        </h2>
        <CopyButton value={path} name={t('copy', { name: t('path') })} />
      </div>
      <p className={classes.summary}>
        <SummaryText text={i18n.language === 'zh' ? summary.zh : summary.en} />
      </p>
      <dl className={classes.facts}>
        <dt>{t('access.title')}</dt>
        <dd>
          <Tag tone={access === 'public' ? 'green' : access === 'admin' || access === 'root' ? 'orange' : 'blue'}>
            {knownAccess.includes(access) ? t(`access.${access}`) : access}
          </Tag>{' '}
          {dialect !== undefined && <span className={classes.dim}>{t(`credential.${dialect}`)}</span>}
          {dialect === undefined && access !== 'public' && (
            <span className={classes.dim}>
              {access.startsWith('key') ? t('credential.openai') : t('credential.user')}
            </span>
          )}
        </dd>
        {scope !== undefined && (
          <>
            <dt>{t('scope.title')}</dt>
            <dd>{scope === 'any' || scope === 'none' ? t(`scope.${scope}`) : <code>{scope}</code>}</dd>
          </>
        )}
        {dialect !== undefined && (
          <>
            <dt>{t('baseUrl')}</dt>
            <dd className={classes.line}>
              <code>{baseUrlOf(dialect, origin)}</code>
              <CopyButton value={baseUrlOf(dialect, origin)} name={t('copy', { name: t('baseUrl') })} />
            </dd>
          </>
        )}
      </dl>
      <Fields title={t('parameters')} fields={parameters} />
      <Fields title={t('body')} fields={body} />
      <h3>{t('example.title')}</h3>
      <ExampleBlock call={call} origin={origin} language={example} onLanguage={onExample} />
      {answer !== undefined && (
        <>
          <h3>{t('answer')}</h3>
          <CodeBlock code={JSON.stringify(answer, null, 2)} label={t('answer')} />
        </>
      )}
      {mayTry(call, user !== undefined) && (
        <Suspense fallback={null}>
          <TryCall key={call.id} call={call} />
        </Suspense>
      )}
      {errorCodes.length > 0 && (
        <>
          <h3>{t('refusals')}</h3>
          <ErrorTable codes={errorCodes} errors={errors} label={t('refusals')} />
        </>
      )}
    </article>
  );
}

function Fields({ title, fields }: { readonly title: string; readonly fields: readonly Field[] }) {
  const { t } = useTranslation('reference');
  if (fields.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
      <section className={classes.region} tabIndex={0} aria-label={title}>
        <table className={classes.table} aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{t('field.name')}</th>
              <th scope="col">{t('field.place')}</th>
              <th scope="col">{t('field.type')}</th>
              <th scope="col">{t('field.required')}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(({ name, place, type, required }) => (
              <tr key={`${place} ${name}`}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{place}</td>
                <td>
                  <code className={classes.type}>{type}</code>
                </td>
                <td>{required ? t('field.yes') : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
