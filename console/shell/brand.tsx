/** Mark and name of the site, and what mode it runs in (console.md 4.4). */
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useStatus } from '../session/status.ts';
import classes from './brand.module.css';

/** A sparkler at the mark on the first day of the year, by the visitor's own calendar. */
const isNewYear = (now: Date): boolean => now.getMonth() === 0 && now.getDate() === 1;

function Sparkler() {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className={classes.sparkler}
      aria-label={t('frame.celebrate')}
      title={t('frame.celebrate')}
      onClick={() => void import('./new-year.ts').then(({ celebrate }) => celebrate())}
    >
      🎇
    </button>
  );
}

export function Brand() {
  const { t } = useTranslation();
  const status = useStatus();
  const name = status?.system_name ?? 'Tollgate';
  return (
    <div className={classes.brand}>
      <Link to="/" className={classes.link} aria-label={name} title={name}>
        <img src={status?.logo || '/logo.svg'} alt="" width={28} height={28} className={classes.mark} />
        <span className={classes.name}>{name}</span>
      </Link>
      {isNewYear(new Date()) && <Sparkler />}
      {status?.self_use_mode_enabled && <span className={classes.selfUse}>{t('frame.selfUse')}</span>}
      {status?.demo_site_enabled && <span className={classes.demo}>{t('frame.demo')}</span>}
    </div>
  );
}
