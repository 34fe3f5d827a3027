/** What the walk over the chain of digests found. */
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AuditVerification } from '../../../daemon/contract/audits.ts';
import { CopyText } from '../../components/copy.tsx';
import { formatInteger } from '../../components/format.ts';
import classes from './audit.module.css';

export function ChainVerdict({ found }: { readonly found: AuditVerification }) {
  const { t } = useTranslation('audit');
  const { intact, rows, first_broken, missing, head } = found;
  const text = intact
    ? t('chain.intact', { count: rows, n: formatInteger(rows) })
    : first_broken === null
      ? missing > 0
        ? t('chain.missing', { count: missing })
        : t('chain.headDiffers')
      : t('chain.broken', { id: first_broken });
  return (
    <div className={classes.verdict} data-broken={!intact || undefined} role={intact ? 'status' : 'alert'}>
      {intact ? (
        <IconCheck size={16} stroke={1.75} aria-hidden />
      ) : (
        <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
      )}
      <span>{text}</span>
      {head !== '' && <CopyText value={head} label={t('chain.head')} isCut />}
    </div>
  );
}
