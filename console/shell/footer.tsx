/** The operator's own footer where one is saved, else name and version. */
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyLate } from '../session/late-code.ts';
import { useStatus } from '../session/status.ts';
import classes from './footer.module.css';

const RichText = lazyLate(() => import('../components/rich-text.tsx').then((module) => ({ default: module.RichText })));

export function Footer() {
  const { t } = useTranslation();
  const status = useStatus();
  if (!status) return <footer className={classes.footer} />;
  return (
    <footer className={classes.footer}>
      {status.footer_html ? (
        <Suspense fallback={null}>
          <RichText text={status.footer_html} kind="admin" />
        </Suspense>
      ) : (
        t('frame.footer', { name: status.system_name, version: status.version_label })
      )}
    </footer>
  );
}
