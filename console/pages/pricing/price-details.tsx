/** What else is known of a model, under its row. */
import { useTranslation } from 'react-i18next';
import type { PriceView } from '../../../daemon/contract/pricing.ts';
import { CopyButton } from '../../components/copy.tsx';
import { formatInteger, formatPercent } from '../../components/format.ts';
import { Tag } from '../../components/tag.tsx';
import { useStatus } from '../../session/status.ts';
import classes from './pricing.module.css';

export function PriceDetails({ model }: { readonly model: PriceView }) {
  const { t } = useTranslation('pricing');
  const address = useStatus()?.server_address || location.origin;
  const curl = model.endpoints.includes('chat') ? chatCall(address, model.model_name) : undefined;
  return (
    <div className={classes.details}>
      <dl className={classes.facts}>
        <div>
          <dt>{t('details.endpoints')}</dt>
          <dd className={classes.groups}>
            {model.endpoints.map((name) => (
              <Tag key={name}>{name}</Tag>
            ))}
          </dd>
        </div>
        <div>
          <dt>{t('details.provider')}</dt>
          <dd>{model.owner_by}</dd>
        </div>
        {model.context_size === undefined ? null : (
          <div>
            <dt>{t('details.context')}</dt>
            <dd>{formatInteger(model.context_size)}</dd>
          </div>
        )}
        {model.health === undefined ? null : (
          <div>
            <dt>{t('details.health')}</dt>
            <dd>{formatPercent(model.health)}</dd>
          </div>
        )}
        {model.quota_type === 1 || unweighted(model) ? null : (
          <div>
            <dt>{t('ratio.audioCompletion')}</dt>
            <dd>{model.audio_completion_ratio}</dd>
          </div>
        )}
        {model.quota_type === 1 || model.image_completion_ratio === undefined || model.image_ratio === 1 ? null : (
          <div>
            <dt>{t('ratio.imageCompletion')}</dt>
            <dd>{model.image_completion_ratio}</dd>
          </div>
        )}
      </dl>
      {curl === undefined ? null : (
        <div className={classes.call}>
          <div className={classes.callHead}>
            <span className={classes.dim}>{t('details.curl')}</span>
            <CopyButton value={curl} label={t('details.curl')} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
          <section className={classes.code} tabIndex={0} aria-label={t('details.curl')}>
            <pre>{curl}</pre>
          </section>
        </div>
      )}
    </div>
  );
}

/** Audio at the price of text says nothing. */
const unweighted = ({ audio_ratio, audio_completion_ratio }: PriceView): boolean =>
  audio_completion_ratio === undefined || audio_ratio === 1;

/** A call that works as it stands once `TOLLGATE_KEY` is set. */
function chatCall(address: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }, null, 2);
  return `curl ${address.replace(/\/+$/, '')}/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body.replaceAll("'", "'\\''")}'`;
}
