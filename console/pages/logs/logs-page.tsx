/** The usage log (console.md 6.14): every call, what it cost, and why. */
import { Button, Switch } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useSearchParams } from 'react-router-dom';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Switch.css';
import { groups as groupEndpoints } from '../../../daemon/contract/groups.ts';
import { logs as endpoints, type LogView } from '../../../daemon/contract/logs.ts';
import { SampleCall } from '../../account/sample-call.tsx';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { useList } from '../../api/use-list.ts';
import { confirm } from '../../components/confirm.tsx';
import { useCopy } from '../../components/copy.tsx';
import { downloadFile } from '../../components/csv-download.ts';
import { DataTable } from '../../components/data-table.tsx';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { listView } from '../../components/list-view.ts';
import { useMoneyUnits } from '../../components/quota.tsx';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { rangeToSeconds } from '../../components/time-range-text.ts';
import { toast } from '../../components/toast.ts';
import { isAdmin as isAdministrator, useUser } from '../../session/session.ts';
import { logColumns } from './columns.tsx';
import { keyedRows } from './keyed-rows.ts';
import { LogContent } from './log-content.tsx';
import { LogDetails } from './log-details.tsx';
import { LogFigures } from './log-figures.tsx';
import classes from './logs-page.module.css';
import { useLiveRows } from './use-live-rows.ts';

/** What an administrator's columns do not fit into; `data-table.module.css` names the same figure. */
const narrowQuery = '(max-width: 1500px)';

const UserDialog = lazyPart(() => import('./user-dialog.tsx').then((module) => ({ default: module.UserDialog })));

const logs = callsFor(endpoints);
const groups = callsFor(groupEndpoints);

/** More rows than this are asked about before they are exported. */
const manyRows = 100_000;
const anHour = 3600;

const defaults = {
  range: 'today',
  token_name: '',
  model_name: '',
  group: '',
  channel: '',
  username: '',
  request_id: '',
  failed: '',
  type: '0',
};

type Filters = Readonly<Record<keyof typeof defaults, string>>;

/** What the calls take, what is empty as empty text; the times are those of now, for a relative range. */
function filterOf({ range, failed, type, channel, ...texts }: Filters, isAdmin: boolean) {
  const { from, to } = rangeToSeconds(range);
  const { username, ...own } = texts;
  return {
    ...own,
    ...(isAdmin && { username, channel }),
    type: Number(type),
    ...(failed === '' ? {} : { failed: failed === 'true' || failed === '1' }),
    start_timestamp: from ?? '',
    end_timestamp: to ?? Math.floor(Date.now() / 1000) + anHour,
  };
}

/** A payment page sends its buyer back here (management-api.md 5.6) with fields of its own, of which one is a `type`. */
export function Page() {
  const [search] = useSearchParams();
  return search.has('out_trade_no') ? <Navigate replace to="/log?type=1" /> : <LogsPage />;
}

function LogsPage() {
  const { t } = useTranslation(['logs', 'frame']);
  const isAdmin = isAdministrator(useUser());
  const list = useList({ filters: defaults });
  const { values, page, input } = list;
  const [shownUser, setShownUser] = useState<number>();
  const [isLive, setLive] = useState(false);
  // Of the list: it is held still as long as either is in it.
  const [hasPointer, setPointer] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const copy = useCopy();
  const { quotaPerUnit } = useMoneyUnits();

  const rows = useQuery({
    queryKey: ['logs', 'list', isAdmin, values, input],
    queryFn: ({ signal }) => {
      const filter = { ...filterOf(values, isAdmin), ...input };
      return isAdmin ? logs.list(filter, { signal }) : logs.listOwn(filter, { signal });
    },
    placeholderData: keepPreviousData,
  });
  const stat = useQuery({
    queryKey: ['logs', 'stat', isAdmin, values],
    queryFn: ({ signal }) => (isAdmin ? logs.stat : logs.statOwn)(filterOf(values, isAdmin), { signal }),
    placeholderData: keepPreviousData,
  });
  const groupNames = useQuery({
    queryKey: ['groups'],
    queryFn: async ({ signal }) => (await groups.list({}, { signal })).items,
    enabled: isAdmin,
    staleTime: 300_000,
  });
  const refetch = () => {
    void rows.refetch();
    void stat.refetch();
  };
  const live = useLiveRows({
    isOn: isLive && page === 1,
    isAdmin,
    isHeld: hasPointer || hasFocus,
    filter: liveFilter(values, isAdmin),
    listAge: rows.dataUpdatedAt,
    onGap: refetch,
  });

  const isNarrow = useMediaQuery(narrowQuery, false, { getInitialValueInEffect: false });
  const columns = useMemo(
    () => logColumns({ t, isAdmin, isNarrow, quotaPerUnit, onCopy: (text) => void copy(text), onUser: setShownUser }),
    [t, isAdmin, isNarrow, quotaPerUnit, copy],
  );
  const shown = useMemo(
    () => keyedRows(newestFirst(page === 1 ? live.shown : [], rows.data?.items ?? [])),
    [live.shown, rows.data, page],
  );
  const fields = useFields(isAdmin, groupNames.data ?? []);

  async function exportRows(): Promise<void> {
    const total = rows.data?.total ?? 0;
    if (total > manyRows) {
      const isWished = await confirm({
        kind: 'plain',
        title: t('export.confirmTitle', { count: total }),
        text: t('export.confirmText'),
        verb: t('export.verb'),
      });
      if (!isWished) return;
    }
    toast.info(t('export.started'));
    try {
      const filter = filterOf(values, isAdmin);
      const answer = await (isAdmin ? logs.export(filter) : logs.exportOwn(filter));
      downloadFile('usage-log.csv', await answer.blob(), 'text/csv;charset=utf-8');
    } catch (error) {
      showFailure(error);
    }
  }

  function turnLive(isOn: boolean): void {
    setLive(isOn);
    if (!isOn) refetch();
  }

  const view = listView(list, rows, refetch);
  return (
    <>
      <PageHeader
        title={t('frame:page.log')}
        secondary={
          <>
            <Switch
              checked={isLive}
              onChange={(event) => turnLive(event.currentTarget.checked)}
              label={t('live.act')}
            />
            <Button variant="default" onClick={() => void exportRows()}>
              {t('export.act')}
            </Button>
          </>
        }
      />
      <LogFigures stat={stat} />
      <FilterBar list="log" fields={fields} {...view.filters} />
      {isLive && (live.waiting > 0 || live.isStopped) ? (
        <div className={classes.live} role="status">
          {live.waiting > 0 ? (
            <Button size="xs" variant="light" onClick={live.show}>
              {t('live.fresh', { count: live.waiting })}
            </Button>
          ) : null}
          {live.isStopped ? (
            <>
              {t('live.stopped')}
              <Button size="xs" variant="default" onClick={live.resume}>
                {t('live.resume')}
              </Button>
            </>
          ) : null}
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only notes whether somebody reads, so that nothing moves */}
      <div
        onPointerEnter={() => setPointer(true)}
        onPointerLeave={() => setPointer(false)}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
      >
        <DataTable
          label={t('frame:page.log')}
          {...view.table}
          rows={shown}
          rowKey={({ key }) => key}
          columns={columns}
          expand={(row) => <LogDetails row={row} content={<LogContent row={row} isAdmin={isAdmin} />} />}
          empty={
            <EmptyState text={t('empty.text')}>
              <Link to="/token">{t('empty.act')}</Link>
              <SampleCall />
            </EmptyState>
          }
          storageKey="logs-table-columns"
        />
      </div>
      {shownUser === undefined ? null : (
        <Suspense fallback={null}>
          <UserDialog id={shownUser} onClose={() => setShownUser(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** A list that was fetched meanwhile may be newer than some of what was told. */
function newestFirst(told: readonly LogView[], listed: readonly LogView[]): readonly LogView[] {
  if (told.length === 0) return listed;
  return [...told, ...listed].sort((one, other) => other.created_at - one.created_at);
}

function liveFilter(values: Filters, isAdmin: boolean) {
  const { start_timestamp: _, end_timestamp: __, ...filter } = filterOf(values, isAdmin);
  return filter;
}

function useFields(isAdmin: boolean, groupNames: readonly string[]): readonly FilterField[] {
  const { t } = useTranslation(['logs', 'enumerations']);
  return useMemo(() => {
    const types = [0, 1, 2, 3, 4, 5].map((value) => ({
      value: String(value),
      label: t(`enumerations:label.${typeLabels[value] ?? 'unknown'}`),
    }));
    const group: FilterField = isAdmin
      ? {
          key: 'group',
          label: t('filter.group'),
          kind: 'select',
          options: groupNames.map((name) => ({ value: name, label: name })),
        }
      : { key: 'group', label: t('filter.group'), kind: 'text' };
    return [
      { key: 'range', label: t('filter.range'), kind: 'range', initial: defaults.range },
      { key: 'token_name', label: t('filter.token'), kind: 'text' },
      { key: 'model_name', label: t('filter.model'), kind: 'text' },
      group,
      ...(isAdmin
        ? ([
            { key: 'channel', label: t('filter.channel'), kind: 'number' },
            { key: 'username', label: t('filter.user'), kind: 'text' },
          ] as const)
        : []),
      { key: 'request_id', label: t('filter.request'), kind: 'text' },
      { key: 'failed', label: t('filter.failed'), kind: 'switch' },
      { key: 'type', label: t('filter.type'), kind: 'select', options: types, initial: defaults.type },
    ];
  }, [t, isAdmin, groupNames]);
}

const typeLabels = ['logAll', 'logTopUp', 'logConsume', 'logManage', 'logSystem', 'logCheckIn'];
