/** Accounts elsewhere, only to be read: they belong to the user. */
import { useTranslation } from 'react-i18next';
import type { UserView } from '../../../daemon/contract/users.ts';
import classes from './users-page.module.css';

export function Bindings({ user }: { readonly user: UserView }) {
  const { t } = useTranslation('users');
  const rows = [
    ['GitHub', user.github_id],
    ['OIDC', user.oidc_id],
    [t('form.wechat'), user.wechat_id],
    ['Telegram', user.telegram_id],
    ['LinuxDO', user.linux_do_id],
    [t('form.email'), user.email],
    [t('form.inviter'), user.inviter_id === 0 ? t('figure.none') : String(user.inviter_id)],
  ] as const;
  return (
    <section>
      <h3 className={classes.legend}>{t('form.bound')}</h3>
      <dl className={classes.bound}>
        {rows.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value === '' ? t('form.unbound') : value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
