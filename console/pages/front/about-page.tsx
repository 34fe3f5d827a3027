/** About (console.md 6.27): what the operator wrote, else what runs here. */
import { Anchor, Button, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/Text.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { pageContent as endpoints } from '../../../daemon/contract/page-content.ts';
import { callsFor } from '../../api/client.ts';
import { useStatus } from '../../session/status.ts';
import classes from './about-page.module.css';
import { FrontCard } from './front-card.tsx';
import { SiteContent } from './site-content.tsx';

const pageContent = callsFor({ about: endpoints.about });

/** As `package.json` names it. */
const licence = 'MIT';

export function Page() {
  const { t } = useTranslation(['front', 'frame']);
  const answer = useQuery({
    queryKey: ['page-content', 'about'],
    queryFn: ({ signal }) => pageContent.about({}, { signal }),
  });
  const title = t('frame:page.about');
  if (answer.data === undefined) {
    return (
      <FrontCard title={title}>
        {answer.isError ? (
          <div role="alert" className={classes.failed}>
            <p>{t('about.failed')}</p>
            <Button variant="default" loading={answer.isFetching} onClick={() => answer.refetch()}>
              {t('retry')}
            </Button>
          </div>
        ) : (
          <Skeleton height={120} />
        )}
      </FrontCard>
    );
  }
  if (answer.data.trim() !== '') return <SiteContent content={answer.data} title={title} />;
  return <BuiltInAbout title={title} />;
}

function BuiltInAbout({ title }: { title: string }) {
  const { t } = useTranslation('front');
  const status = useStatus();
  return (
    <FrontCard title={title} intro={t('home.tagline')}>
      <dl className={classes.facts}>
        <dt>{t('about.version')}</dt>
        <dd>{status?.version_label}</dd>
        <dt>{t('about.licence')}</dt>
        <dd>{licence}</dd>
      </dl>
      <nav className={classes.links} aria-label={title}>
        {status?.docs_link && (
          <Anchor href={status.docs_link} target="_blank" rel="noopener">
            {t('about.docs')}
          </Anchor>
        )}
        <Anchor component={Link} to="/pricing">
          {t('about.pricing')}
        </Anchor>
        <Anchor component={Link} to="/reference">
          {t('about.reference')}
        </Anchor>
      </nav>
      <p className={classes.hint}>{t('about.hint')}</p>
    </FrontCard>
  );
}
