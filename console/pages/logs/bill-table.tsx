/** The arithmetic of a charge as a person would write it down; its last line is the booked number. */
import { useTranslation } from 'react-i18next';
import type { Bill, TokenBill } from '../../billing/bill.ts';
import { CopyButton } from '../../components/copy.tsx';
import { formatDollars } from '../../components/format.ts';
import { useMoneyUnits } from '../../components/quota.tsx';
import classes from './bill-table.module.css';
import { ratioText, tokenPriceTexts } from './bill-words.ts';

interface BillTableProps {
  readonly bill: Bill;
  /** Of the row, for the report of a difference. */
  readonly requestId: string;
  readonly other: string;
}

export function BillTable({ bill, requestId, other }: BillTableProps) {
  const { t } = useTranslation('logs');
  const { quotaPerUnit } = useMoneyUnits();
  const amount = formatDollars(bill.quota, quotaPerUnit);
  const group = ratioText(bill, t);
  return (
    <div className={classes.bill}>
      {bill.mode === 'tokens' ? <Prices bill={bill} quotaPerUnit={quotaPerUnit} /> : null}
      <table aria-label={t('bill.caption')}>
        <tbody>
          {bill.mode === 'tokens' ? <TokenLines bill={bill} /> : <PriceLine bill={bill} quotaPerUnit={quotaPerUnit} />}
          <tr className={classes.sum}>
            <th scope="row">{t('bill.sum')}</th>
            <td className={classes.figure}>{bill.mode === 'tokens' ? grouped(bill.sum.toString()) : ''}</td>
            <td>
              {bill.mode === 'tokens' ? ` × ${t('bill.modelRatio', { ratio: String(bill.modelRatio) })}` : null}
              {` × ${group} = `}
              <strong>{t('bill.quota', { quota: bill.quota.toLocaleString('en-US'), amount })}</strong>
            </td>
          </tr>
        </tbody>
      </table>
      {bill.agreement === 'differs' ? (
        <p className={classes.differs} role="status">
          ⚠ {t('bill.differs', { booked: bill.booked.toLocaleString('en-US') })}{' '}
          <CopyButton
            value={JSON.stringify({ requestId, booked: bill.booked, computed: bill.quota, other })}
            name={t('bill.report')}
            label={requestId}
          />
        </p>
      ) : (
        <p className={classes.agrees}>
          {bill.agreement === 'waived' ? '' : '✓ '}
          {t(`bill.${bill.agreement}`)}
        </p>
      )}
    </div>
  );
}

function Prices({ bill, quotaPerUnit }: { readonly bill: TokenBill; readonly quotaPerUnit: number }) {
  const { t } = useTranslation('logs');
  return (
    <p className={classes.prices}>
      {tokenPriceTexts(bill, { quotaPerUnit, t }).map((text) => (
        <span key={text}>{text}</span>
      ))}
    </p>
  );
}

function TokenLines({ bill }: { readonly bill: TokenBill }) {
  const { t } = useTranslation('logs');
  return bill.lines.map(({ kind, count, weight, amount }) => (
    <tr key={kind}>
      <th scope="row">{t(`bill.kind.${kind}`)}</th>
      <td className={classes.figure}>{grouped(amount.toString())}</td>
      <td className={classes.working}>
        = {count.toLocaleString('en-US')} × {weight.toString()}
      </td>
    </tr>
  ));
}

function PriceLine({ bill, quotaPerUnit }: { readonly bill: Exclude<Bill, TokenBill>; readonly quotaPerUnit: number }) {
  const { t } = useTranslation('logs');
  const usd = `$${bill.usd.toString()}`;
  if (bill.mode === 'tool') {
    return (
      <tr>
        <th scope="row">{t('bill.tool', { name: bill.name, price: usd, per: bill.per })}</th>
        <td className={classes.figure}>{bill.count.toLocaleString('en-US')}</td>
        <td className={classes.working}>
          × {usd}
          {bill.per === 1 ? '' : ` / ${bill.per}`} × {quotaPerUnit.toLocaleString('en-US')}
        </td>
      </tr>
    );
  }
  const unit = bill.unitUsd === undefined ? '' : ` ($${bill.unitUsd.toString()})`;
  return (
    <tr>
      <th scope="row">
        {t('bill.perCall')}
        {unit}
      </th>
      <td className={classes.figure}>{usd}</td>
      <td className={classes.working}>× {quotaPerUnit.toLocaleString('en-US')}</td>
    </tr>
  );
}

/** Thousands set apart before the point; the digits stay as they are, however many. */
function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const trimmed = fraction?.replace(/0+$/, '') ?? '';
  return whole.replaceAll(/\B(?=(\d{3})+$)/g, ',') + (trimmed === '' ? '' : `.${trimmed}`);
}
