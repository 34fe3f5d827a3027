/** What the list of tokens shows of each. */
import type { TFunction } from 'i18next';
import type { TokenView } from '../../../daemon/contract/tokens.ts';
import type { Column } from '../../components/data-table-types.ts';
import { formatCount, formatPercent, formatTime } from '../../components/format.ts';
import { KeyField } from '../../components/key-field.tsx';
import { Quota, Time } from '../../components/quota.tsx';
import { GroupTag, StatusTag, Tag } from '../../components/tag.tsx';
import classes from './tokens.module.css';

/** Masked for good: the server shows keys once only. */
export const isKeyHidden = ({ key }: TokenView): boolean => /[^0-9A-Za-z]/.test(key);
export const secretOf = ({ key }: TokenView): string => `sk-${key}`;

const soonSeconds = 3 * 86_400;

export function tokenColumns(t: TFunction<'tokens'>): readonly Column<TokenView>[] {
  return [
    {
      key: 'name',
      title: t('column.name'),
      card: 'title',
      cell: ({ name }) => name,
      export: ({ name }) => name,
    },
    {
      key: 'key',
      title: t('column.key'),
      cell: (token) =>
        isKeyHidden(token) ? (
          <span className={classes.once}>{t('key.once')}</span>
        ) : (
          <KeyField label={t('key.label', { name: token.name })} value={secretOf(token)} />
        ),
    },
    {
      key: 'status',
      title: t('column.status'),
      card: 'status',
      cell: (token) => <StatusTag kind="tokenStatus" value={statusOf(token)} />,
      export: ({ status }) => status,
    },
    {
      key: 'used',
      title: t('column.used'),
      align: 'right',
      cell: ({ used_quota }) => <Quota value={used_quota} />,
      export: ({ used_quota }) => used_quota,
    },
    {
      key: 'remaining',
      title: t('column.remaining'),
      align: 'right',
      card: 'figure',
      cell: (token) => <Remaining token={token} label={(percent) => t('share', { percent })} />,
      export: ({ remain_quota, unlimited_quota }) => (unlimited_quota ? '' : remain_quota),
    },
    {
      key: 'group',
      title: t('column.group'),
      cell: ({ group }) => <GroupTag name={group} label={t('group.account')} room={20} />,
      export: ({ group }) => group,
    },
    {
      key: 'created',
      title: t('column.created'),
      cell: ({ created_time }) => <Time seconds={created_time} />,
      export: ({ created_time }) => formatTime(created_time),
    },
    {
      key: 'expires',
      title: t('column.expires'),
      card: 'figure',
      cell: ({ expired_time }) => <Expiry seconds={expired_time} soon={t('expiresSoon')} />,
      export: ({ expired_time }) => (expired_time <= 0 ? '' : formatTime(expired_time)),
    },
    {
      key: 'lastUsed',
      title: t('column.lastUsed'),
      isOptional: true,
      cell: ({ accessed_time }) => <Time seconds={accessed_time} />,
    },
    {
      key: 'models',
      title: t('column.models'),
      isOptional: true,
      cell: ({ model_limits, model_limits_enabled }) => {
        const models = model_limits.split(',').filter(Boolean);
        return model_limits_enabled ? (
          <span title={models.join(', ')}>{t('models.count', { count: models.length })}</span>
        ) : (
          t('models.all')
        );
      },
    },
    {
      key: 'limits',
      title: t('column.limits'),
      isOptional: true,
      cell: ({ rpm_limit, tpm_limit, concurrency_limit }) =>
        [
          rpm_limit > 0 && t('limit.rpm', { count: rpm_limit, n: formatCount(rpm_limit) }),
          tpm_limit > 0 && t('limit.tpm', { count: tpm_limit, n: formatCount(tpm_limit) }),
          concurrency_limit > 0 && t('limit.concurrency', { n: formatCount(concurrency_limit) }),
        ]
          .filter((text) => text !== false)
          .join(' · ') || t('limit.none'),
    },
  ];
}

function statusOf({ status, model_limits_enabled }: TokenView): number | 'limited' {
  return status === 1 && model_limits_enabled ? 'limited' : status;
}

function Remaining({ token, label }: { readonly token: TokenView; readonly label: (percent: string) => string }) {
  const { remain_quota, used_quota, unlimited_quota } = token;
  if (unlimited_quota) {
    return (
      <Tag>
        <Quota value={0} isUnlimited />
      </Tag>
    );
  }
  const whole = Math.max(1, used_quota + Math.max(0, remain_quota));
  const share = used_quota / whole;
  return (
    <span className={classes.remaining} title={label(formatPercent(share))}>
      <Quota value={remain_quota} />
      <svg className={classes.share} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width={100 * share} height={4} />
      </svg>
    </span>
  );
}

function Expiry({ seconds, soon }: { readonly seconds: number; readonly soon: string }) {
  const left = seconds - Date.now() / 1000;
  const isSoon = seconds > 0 && left > 0 && left < soonSeconds;
  return isSoon ? (
    <span className={classes.soon} title={soon}>
      <Time seconds={seconds} isExpiry />
    </span>
  ) : (
    <Time seconds={seconds} isExpiry />
  );
}
