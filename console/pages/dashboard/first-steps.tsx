/** For who has not called yet: what to do, and a call that works with the models of this site. */
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { SampleCall } from '../../account/sample-call.tsx';
import { Section } from '../../components/section.tsx';
import classes from './dashboard.module.css';

export function FirstSteps() {
  const { t } = useTranslation('dashboard');
  return (
    <Section title={t('begin.title')}>
      <ol className={classes.steps}>
        <li>
          <Link to="/token">{t('begin.token')}</Link>
        </li>
        <li>{t('begin.call')}</li>
        <li>
          <Link to="/log">{t('begin.log')}</Link>
        </li>
      </ol>
      <SampleCall />
    </Section>
  );
}
