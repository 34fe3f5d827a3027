/** What the payment provider says of an order, beside what we know of it. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import { useTranslation } from 'react-i18next';
import type { AdminOrderView } from '../../../daemon/contract/orders.ts';
import { CopyText } from '../../components/copy.tsx';
import { formatMoney } from '../../components/format.ts';
import { Dialog } from '../../components/section.tsx';
import { StatusTag, Tag } from '../../components/tag.tsx';
import { completionRefusal } from './order-words.ts';
import classes from './orders.module.css';
import type { ProviderAnswer } from './use-order-acts.ts';

export interface ProviderDialogProps {
  readonly order: AdminOrderView;
  readonly answer: ProviderAnswer;
  readonly onClose: () => void;
  readonly onComplete: () => void;
}

export function ProviderDialog({ order, answer, onClose, onComplete }: ProviderDialogProps) {
  const { t } = useTranslation(['orders', 'frame']);
  const isOwed = answer.paid && answer.money_matches && completionRefusal(order.status) === undefined;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('provider.title')}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            {t('frame:action.close')}
          </Button>
          {isOwed && <Button onClick={onComplete}>{t('complete.act')}</Button>}
        </>
      }
    >
      <dl className={classes.facts}>
        <dt>{t('column.tradeNo')}</dt>
        <dd>
          <CopyText value={order.trade_no} />
        </dd>
        <dt>{t('provider.ours')}</dt>
        <dd>
          <StatusTag kind="orderStatus" value={order.status} />
        </dd>
        <dt>{t('provider.theirs')}</dt>
        <dd>
          {answer.found ? (
            <Tag tone={answer.paid ? 'green' : 'yellow'} dot>
              {answer.paid ? t('provider.paid') : t('provider.unpaid')}
            </Tag>
          ) : (
            <Tag tone="red" dot>
              {t('provider.unknown')}
            </Tag>
          )}
        </dd>
        {answer.provider_trade_no !== '' && (
          <>
            <dt>{t('provider.number')}</dt>
            <dd>
              <CopyText value={answer.provider_trade_no} />
            </dd>
          </>
        )}
        {answer.money !== '' && (
          <>
            <dt>{t('column.money')}</dt>
            <dd className={classes.line}>
              {formatMoney(answer.money, order.currency)}
              <Tag tone={answer.money_matches ? 'green' : 'red'}>
                {answer.money_matches ? t('provider.matches') : t('provider.differs', { money: order.money })}
              </Tag>
            </dd>
          </>
        )}
      </dl>
    </Dialog>
  );
}
