/** Everything the provider has said about an order, oldest first. */
import { useTranslation } from 'react-i18next';
import type { AdminOrderView } from '../../../daemon/contract/orders.ts';
import { Time } from '../../components/quota.tsx';
import { Tag } from '../../components/tag.tsx';
import { reasonName } from './order-words.ts';
import classes from './orders.module.css';

export function CallbackList({ order }: { readonly order: AdminOrderView }) {
  const { t } = useTranslation('orders');
  const { callbacks, complete_time } = order;
  return (
    <div className={classes.details}>
      <h2 className={classes.heading}>{t('callbacks.title')}</h2>
      {callbacks.length === 0 && <p className={classes.dim}>{t('callbacks.none')}</p>}
      <ol className={classes.callbacks}>
        {callbacks.map(({ received_at, remote_ip, verified, reason, fields }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: notifications have no id and are only ever added at the end
          <li key={index} className={classes.callback}>
            <div className={classes.line}>
              <Time seconds={received_at} />
              <code>{remote_ip}</code>
              <Tag tone={verified ? 'green' : 'red'}>
                {verified ? t('callbacks.verified') : t('callbacks.unverified')}
              </Tag>
              <Tag tone={reason === '' ? 'green' : 'orange'} title={reason === '' ? undefined : reason}>
                {reason === '' ? t('callbacks.accepted') : reasonName(reason, t)}
              </Tag>
            </div>
            <dl className={classes.fields}>
              {Object.entries(fields).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ol>
      {complete_time > 0 && (
        <p className={classes.line}>
          <span className={classes.dim}>{t('column.completed')}</span>
          <Time seconds={complete_time} />
        </p>
      )}
    </div>
  );
}
