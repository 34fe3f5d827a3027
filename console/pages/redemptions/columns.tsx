/** What the list of redemption codes shows of each. */
import type { TFunction } from 'i18next';
import { Link } from 'react-router-dom';
import type { RedemptionView } from '../../../daemon/contract/redemptions.ts';
import { CopyButton } from '../../components/copy.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatDay, formatTime } from '../../components/format.ts';
import { Quota, Time } from '../../components/quota.tsx';
import { StatusTag, Tag } from '../../components/tag.tsx';
import { maskedCode } from './redemption-calls.ts';
import classes from './redemptions.module.css';

export function redemptionColumns(t: TFunction<['redemptions', 'frame']>): readonly Column<RedemptionView>[] {
  const uses = ({ used_count, max_uses }: RedemptionView) =>
    `${used_count} / ${max_uses < 0 ? t('kind.unlimited') : max_uses}`;
  const validity = ({ valid_from, valid_until }: RedemptionView, format: (seconds: number) => string) => {
    if (valid_from === 0 && valid_until === 0) return '';
    const [from, until] = [valid_from, valid_until].map((seconds) => (seconds === 0 ? '' : format(seconds)));
    return `${from} – ${until}`.trim();
  };
  return [
    { key: 'id', title: 'ID', align: 'right', width: 72, cell: ({ id }) => id, export: ({ id }) => id },
    {
      key: 'name',
      title: t('column.name'),
      card: 'title',
      cell: ({ name }) => <span className={classes.name}>{name}</span>,
      export: ({ name }) => name,
    },
    {
      key: 'code',
      title: t('column.code'),
      cell: ({ key, name }) => (
        <span className={classes.code}>
          <code>{maskedCode(key)}</code>
          <CopyButton value={key} name={t('copyCode', { name })} isSecret />
        </span>
      ),
    },
    {
      key: 'status',
      title: t('column.status'),
      card: 'status',
      cell: ({ status }) => <StatusTag kind="codeStatus" value={status} />,
      export: ({ status }) => status,
    },
    {
      key: 'quota',
      title: t('column.quota'),
      align: 'right',
      card: 'figure',
      cell: ({ quota }) => <Quota value={quota} />,
      export: ({ quota }) => quota,
    },
    {
      key: 'kind',
      title: t('column.kind'),
      card: 'figure',
      cell: (row) =>
        row.is_gift ? (
          <span className={classes.code}>
            <Tag tone="purple">{t('kind.gift')}</Tag> {uses(row)}
          </span>
        ) : (
          t('kind.single')
        ),
      export: (row) => (row.is_gift ? `${t('kind.gift')} ${uses(row)}` : t('kind.single')),
    },
    {
      key: 'created',
      title: t('column.created'),
      card: 'meta',
      cell: ({ created_time }) => <Time seconds={created_time} />,
      export: ({ created_time }) => formatTime(created_time),
    },
    {
      key: 'redeemer',
      title: t('column.redeemer'),
      cell: ({ used_user_id }) =>
        used_user_id === 0 ? t('frame:state.none') : <Link to={`/user/edit/${used_user_id}`}>{used_user_id}</Link>,
      export: ({ used_user_id }) => used_user_id,
    },
    {
      key: 'validity',
      title: t('column.validity'),
      cell: (row) => (
        <span className={classes.figure} title={validity(row, formatTime)}>
          {validity(row, formatDay) || '—'}
        </span>
      ),
      export: (row) => validity(row, formatTime),
    },
  ];
}
