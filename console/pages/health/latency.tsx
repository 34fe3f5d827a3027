/** How long a channel takes and how it fails: of all models together in its row, of each one below it. */
import { useTranslation } from 'react-i18next';
import type { LatencyView } from '../../../daemon/contract/system.ts';
import { formatInteger } from '../../components/format.ts';
import { Tag } from '../../components/tag.tsx';
import classes from './health.module.css';
import { percentilesText } from './health-levels.ts';

const none: LatencyView['errors'] = [];

/** The most frequent first; a dash without any. */
export function ErrorTags({ errors = none }: { readonly errors: LatencyView['errors'] | undefined }) {
  const { t } = useTranslation('health');
  if (errors.length === 0) return <>—</>;
  return (
    <span className={classes.links}>
      {errors.map(({ class: name, count }) => (
        <Tag key={name} tone={name === 'refused' ? 'grey' : 'red'} count={count} title={t(`errorHelp.${name}`)}>
          {t(`error.${name}`)}
        </Tag>
      ))}
    </span>
  );
}

export function ModelLatency({ models }: { readonly models: readonly LatencyView[] }) {
  const { t } = useTranslation('health');
  if (models.length === 0) return <p className={classes.dim}>{t('latency.none')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.models} aria-label={t('latency.byModel')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('latency.model')}</th>
            <th scope="col" data-figure>
              {t('latency.answered')}
            </th>
            <th scope="col" data-figure>
              {t('latency.failed')}
            </th>
            <th scope="col" data-figure>
              {t('latency.first')}
            </th>
            <th scope="col" data-figure>
              {t('latency.whole')}
            </th>
            <th scope="col">{t('latency.errors')}</th>
          </tr>
        </thead>
        <tbody>
          {models.map((row) => (
            <tr key={row.model}>
              <th scope="row">{row.model === '' ? t('latency.otherModels') : <code>{row.model}</code>}</th>
              <td data-figure>{formatInteger(row.answered)}</td>
              <td data-figure>{formatInteger(row.failed)}</td>
              <td data-figure>{percentilesText(row.first_token)}</td>
              <td data-figure>{percentilesText(row.duration)}</td>
              <td>
                <ErrorTags errors={row.errors} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
