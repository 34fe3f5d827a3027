/** All that a row of the audit trail says: old and new, who asked with what, and its place in the chain. */
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { AuditView } from '../../../daemon/contract/audits.ts';
import { CopyText } from '../../components/copy.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { JsonViewer } from '../../components/json-viewer.tsx';
import classes from './audit.module.css';
import { changeOf, restOf } from './audit-detail.ts';
import { Target } from './columns.tsx';

export function AuditDetails({ row }: { readonly row: AuditView }) {
  const { t } = useTranslation('audit');
  const change = changeOf(row.detail);
  const shown = restOf(row.detail, change);
  return (
    <div className={classes.details}>
      {change?.kind === 'members' && <DiffView kind="rows" label={t('detail.change')} rows={change.rows} />}
      {change?.kind === 'lines' && (
        <DiffView kind="text" label={t('detail.change')} before={change.before} after={change.after} />
      )}
      {change?.kind === 'value' && (
        <DiffView
          kind="rows"
          label={t('detail.change')}
          rows={[{ name: row.target.replace(/^[a-z]+:/, ''), before: change.before, after: change.after }]}
        />
      )}
      {Object.keys(shown).length > 0 && <JsonViewer value={shown} label={t('detail.members')} height={240} />}
      <dl className={classes.facts}>
        <dt>{t('column.action')}</dt>
        <dd>
          <code>{row.action}</code>
        </dd>
        <dt>{t('column.target')}</dt>
        <dd>
          <Target target={row.target} />
        </dd>
        <dt>{t('column.ip')}</dt>
        <dd>{row.ip === '' ? '—' : row.ip}</dd>
        <dt>{t('column.request')}</dt>
        <dd>
          {row.request_id === '' ? (
            '—'
          ) : (
            <span className={classes.line}>
              <CopyText value={row.request_id} />
              <Link to={`/log?range=&request_id=${encodeURIComponent(row.request_id)}`}>{t('detail.log')}</Link>
            </span>
          )}
        </dd>
        <dt>{t('detail.agent')}</dt>
        <dd>{row.user_agent === '' ? '—' : row.user_agent}</dd>
        <dt>{t('detail.hash')}</dt>
        <dd>{row.hash === '' ? t('detail.unchained') : <CopyText value={row.hash} />}</dd>
        <dt>{t('detail.previous')}</dt>
        <dd>{row.prev_hash === '' ? '—' : <CopyText value={row.prev_hash} />}</dd>
      </dl>
    </div>
  );
}
