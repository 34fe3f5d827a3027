/** What has to be entered at an identity provider. */
import { useTranslation } from 'react-i18next';
import { CopyText } from '../../../components/copy.tsx';
import type { SectionPartProps } from '../section-part.ts';
import { useOptionText } from '../settings-context.tsx';
import classes from './system.module.css';

/** The id of the section is the name of the provider in the address. */
export function CallbackAddresses({ section }: SectionPartProps) {
  const { t } = useTranslation('settings');
  const server = useOptionText('ServerAddress').trim().replace(/\/+$/, '');
  if (server === '') return <p className={classes.line}>{t('callback.missing')}</p>;
  const callback = `${server}/oauth/${section.id}`;
  return (
    <dl className={classes.addresses}>
      <dt>{t('callback.home')}</dt>
      <dd>
        <CopyText value={server} />
      </dd>
      <dt>{t('callback.label')}</dt>
      <dd>
        <CopyText value={callback} />
      </dd>
    </dl>
  );
}
