/** The home page of a site whose operator has written none: what this is, what to call, where to begin. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconBook2, IconReceipt2, IconTag } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { lazyPart } from '../../components/late-part.tsx';
import { useUser } from '../../session/session.ts';
import { useStatus } from '../../session/status.ts';
import classes from './built-in-home.module.css';

const FirstCall = lazyPart(() => import('./first-call.tsx').then((module) => ({ default: module.FirstCall })));

export function BuiltInHome() {
  const { t } = useTranslation('front');
  const status = useStatus();
  const user = useUser();
  const canRegister = status?.register_enabled === true && !status.self_use_mode_enabled;
  const start = user ? '/token' : canRegister ? '/register' : '/login';
  return (
    <div className={classes.page}>
      <section className={classes.hero}>
        <div>
          <h1 className={classes.name} tabIndex={-1}>
            {status?.system_name}
          </h1>
          <p className={classes.tagline}>{t('home.tagline')}</p>
          <p className={classes.explanation}>{t('home.explanation')}</p>
          <div className={classes.ways}>
            <Button component={Link} to={start} size="md">
              {t('home.start')}
            </Button>
            <Button component={Link} to="/pricing" size="md" variant="default">
              {t('home.pricing')}
            </Button>
          </div>
        </div>
        <div className={classes.call}>
          <Suspense fallback={null}>
            <FirstCall />
          </Suspense>
        </div>
      </section>
      <ul className={classes.facts}>
        <Fact to="/pricing" icon={<IconTag size={20} stroke={1.75} />} title={t('home.fact.pricingTitle')}>
          {t('home.fact.pricing')}
        </Fact>
        <Fact
          to={user ? '/log' : start}
          icon={<IconReceipt2 size={20} stroke={1.75} />}
          title={t('home.fact.chargeTitle')}
        >
          {t('home.fact.charge')}
        </Fact>
        <Fact to="/reference" icon={<IconBook2 size={20} stroke={1.75} />} title={t('home.fact.referenceTitle')}>
          {t('home.fact.reference')}
        </Fact>
      </ul>
    </div>
  );
}

function Fact({ to, icon, title, children }: { to: string; icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <li>
      <Link to={to} className={classes.fact}>
        <span className={classes.factIcon} aria-hidden>
          {icon}
        </span>
        <span>
          <span className={classes.factTitle}>{title}</span>
          <span className={classes.factText}>{children}</span>
        </span>
      </Link>
    </li>
  );
}
