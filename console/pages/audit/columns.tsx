/** What the list of the audit trail shows of each row. */
import type { TFunction } from 'i18next';
import { Link } from 'react-router-dom';
import type { AuditView } from '../../../daemon/contract/audits.ts';
import { CopyText } from '../../components/copy.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { Time } from '../../components/quota.tsx';
import { Tag } from '../../components/tag.tsx';
import { nameTone } from '../../components/tones.ts';
import { actionLabel } from './action-label.ts';
import classes from './audit.module.css';
import { placeOf, summaryOf } from './audit-detail.ts';

/** A link to the object where the console has a page for it. */
export function Target({ target }: { readonly target: string }) {
  if (target === '') return <>—</>;
  const place = placeOf(target);
  if (place === undefined) return <span className={classes.target}>{target}</span>;
  return place.isOwnDocument ? (
    <a className={classes.target} href={place.address}>
      {target}
    </a>
  ) : (
    <Link className={classes.target ?? ''} to={place.address}>
      {target}
    </Link>
  );
}

export function auditColumns(t: TFunction<'audit'>): readonly Column<AuditView>[] {
  return [
    { key: 'id', title: 'ID', align: 'right', width: 72, cell: ({ id }) => id, isOptional: true },
    {
      key: 'time',
      title: t('column.time'),
      card: 'meta',
      width: 176,
      cell: ({ created_at }) => <Time seconds={created_at} />,
    },
    {
      key: 'actor',
      title: t('column.actor'),
      card: 'figure',
      cell: ({ actor_id, actor_name }) =>
        actor_id === 0 ? (
          <span className={classes.dim}>{actor_name === '' ? t('system') : actor_name}</span>
        ) : (
          <Link className={classes.name ?? ''} to={`/user/edit/${actor_id}`}>
            {actor_name === '' ? `#${actor_id}` : actor_name}
          </Link>
        ),
    },
    {
      key: 'action',
      title: t('column.action'),
      card: 'title',
      cell: ({ action }) => <Tag tone={nameTone(action.split('.')[0] ?? '')}>{actionLabel(action, t)}</Tag>,
    },
    { key: 'target', title: t('column.target'), card: 'figure', cell: ({ target }) => <Target target={target} /> },
    {
      key: 'summary',
      title: t('column.summary'),
      card: 'hidden',
      cell: ({ detail }) => <span className={classes.summary}>{summaryOf(detail)}</span>,
    },
    { key: 'ip', title: t('column.ip'), card: 'hidden', cell: ({ ip }) => (ip === '' ? '—' : <code>{ip}</code>) },
    {
      key: 'request',
      title: t('column.request'),
      card: 'hidden',
      cell: ({ request_id }) => (request_id === '' ? '—' : <CopyText value={request_id} isCut />),
    },
  ];
}
