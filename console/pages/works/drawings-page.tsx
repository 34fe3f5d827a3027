/** The drawing log (console.md 6.15). */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { works as endpoints } from '../../../daemon/contract/works.ts';
import { callsFor } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import type { FilterField } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/section.tsx';
import { isAdmin as isAdministrator, useUser } from '../../session/session.ts';
import { useStatus } from '../../session/status.ts';
import { drawingColumns } from './drawing-columns.tsx';
import { drawingTimes } from './work-facts.ts';
import { WorkList } from './work-list.tsx';
import classes from './works.module.css';

const works = callsFor(endpoints);

const defaults = { range: '30d', channel_id: '', mj_id: '' };

export function Page() {
  const { t } = useTranslation(['works', 'frame']);
  const isAdmin = isAdministrator(useUser());
  const status = useStatus();
  const list = useList({ filters: defaults });
  const { values, input } = list;
  const rows = useQuery({
    queryKey: ['drawings', isAdmin, values, input],
    queryFn: ({ signal }) => {
      const filter = { ...drawingTimes(values.range), mj_id: values.mj_id, ...input };
      if (!isAdmin) return works.ownDrawings(filter, { signal });
      return works.drawings({ ...filter, channel_id: values.channel_id }, { signal });
    },
    placeholderData: keepPreviousData,
  });
  const fields = useMemo<readonly FilterField[]>(
    () => [
      { key: 'range', label: t('filter.range'), kind: 'range', initial: defaults.range },
      ...(isAdmin ? [{ key: 'channel_id', label: t('filter.channel'), kind: 'number' } as const] : []),
      { key: 'mj_id', label: t('filter.task'), kind: 'text' },
    ],
    [t, isAdmin],
  );
  return (
    <>
      <PageHeader title={t('frame:page.drawings')} />
      {isAdmin && status?.mj_notify_enabled === false ? (
        <p className={classes.banner} role="status">
          {t('banner.text')} <a href="/setting?tab=operation&section=drawing">{t('banner.act')}</a>
        </p>
      ) : null}
      <WorkList kind="drawing" list={list} rows={rows} fields={fields} columnsOf={drawingColumns} isAdmin={isAdmin} />
    </>
  );
}
