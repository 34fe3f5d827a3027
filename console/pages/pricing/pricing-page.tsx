/** What every model costs (console.md 6.17). All rows are in the browser, so that searching is immediate. */
import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { pricing as endpoints, type PriceView } from '../../../daemon/contract/pricing.ts';
import { callsFor } from '../../api/client.ts';
import { useAddress, withMembers } from '../../api/use-address.ts';
import { useList } from '../../api/use-list.ts';
import { useCopy } from '../../components/copy.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { formatInteger } from '../../components/format.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { useMoneyUnits } from '../../components/quota.tsx';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { usePhone } from '../../components/use-phone.ts';
import { useUser } from '../../session/session.ts';
import { plain, priceColumns } from './columns.tsx';
import { sortedPrice } from './model-prices.ts';
import { inUsualOrder, isFound } from './model-search.ts';
import { ModelSearchInput } from './model-search-input.tsx';
import { PriceDetails } from './price-details.tsx';
import classes from './pricing.module.css';

const pricing = callsFor(endpoints);
const Calculator = lazyPart(() => import('./calculator.tsx').then((module) => ({ default: module.Calculator })));
const noModels: readonly PriceView[] = [];
const noRatios: Readonly<Record<string, number>> = {};
const defaults = { keyword: '', billing: '', provider: '', group: '' };

export function Page() {
  const { t } = useTranslation(['pricing', 'frame']);
  const user = useUser();
  const { quotaPerUnit } = useMoneyUnits();
  const isPhone = usePhone();
  const copy = useCopy();
  const list = useList({ filters: defaults });
  const { values, sort } = list;
  const [, setAddress] = useAddress();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isCalculating, setCalculating] = useState(false);
  const prices = useQuery({
    queryKey: ['pricing', user?.id ?? 0],
    queryFn: ({ signal }) => pricing.list({}, { signal }),
  });
  const models = prices.data?.data ?? noModels;
  const ratios = prices.data?.group_ratio ?? noRatios;
  const ownGroup = user?.group || 'default';
  const name = Object.hasOwn(ratios, values.group) ? values.group : ownGroup;
  const ratio = ratios[name] ?? 1;

  const keyword = useDeferredValue(values.keyword);
  const ordered = useMemo(() => inUsualOrder(models), [models]);
  const rows = useMemo(() => {
    const found = ordered.filter(
      (model) =>
        isFound(model.model_name, keyword) &&
        (values.billing === '' || String(model.quota_type) === values.billing) &&
        (values.provider === '' || model.owner_by === values.provider),
    );
    if (sort?.key !== 'price') return found;
    const sign = sort.isDescending ? -1 : 1;
    const priceOf = (model: PriceView) => sortedPrice(model, ratio, quotaPerUnit);
    return found.toSorted((one, other) => sign * (priceOf(one) - priceOf(other)));
  }, [ordered, keyword, values.billing, values.provider, sort, ratio, quotaPerUnit]);
  const { setFilters } = list;
  const columns = useMemo(
    () => priceColumns({ t, group: { name, ratio }, quotaPerUnit, onGroup: (group) => setFilters({ group }) }),
    [t, name, ratio, quotaPerUnit, setFilters],
  );
  const providers = useMemo(() => [...new Set(models.map(({ owner_by }) => owner_by))].sort(), [models]);
  const copied = models.filter(({ model_name }) => chosen.has(model_name)).map(({ model_name }) => model_name);

  /** Typing is no step of the history. */
  const search = (value: string) => setAddress((now) => withMembers(now, { p: '', keyword: value }), { replace: true });

  return (
    <>
      <PageHeader
        title={t('frame:page.pricing')}
        secondary={
          <>
            <Button variant="default" disabled={models.length === 0} onClick={() => setCalculating(true)}>
              {t('calculator.act')}
            </Button>
            <Button disabled={copied.length === 0} onClick={() => void copy(copied.join(',\n'))}>
              {t('copySelected')}
            </Button>
          </>
        }
      />
      <div className={classes.banners}>
        <div className={classes.banner} role="status" data-warning={user === undefined || undefined}>
          {!prices.data ? (
            ' '
          ) : name !== ownGroup ? (
            <>
              {t('banner.shown', { group: name, ratio: plain(ratio) })}
              <Button size="compact-xs" variant="default" onClick={() => setFilters({ group: '' })}>
                {t('banner.ownAgain')}
              </Button>
            </>
          ) : user ? (
            t('banner.own', { group: name, ratio: plain(ratio) })
          ) : (
            t('banner.anonymous', { ratio: plain(ratio) })
          )}
        </div>
        <div className={classes.banner}>
          {t('banner.formula', { units: formatInteger(quotaPerUnit).replaceAll(',', '') })}
        </div>
      </div>
      <div className={classes.filters}>
        <ModelSearchInput value={values.keyword} onChange={search} />
        <SegmentedControl
          aria-label={t('filter.billing')}
          value={values.billing}
          onChange={(billing) => setFilters({ billing })}
          data={[
            { value: '', label: t('filter.all') },
            { value: '0', label: t('billing.token') },
            { value: '1', label: t('billing.call') },
          ]}
        />
        <NativeSelect
          aria-label={t('filter.provider')}
          value={values.provider}
          onChange={(event) => setFilters({ provider: event.currentTarget.value })}
          data={[
            { value: '', label: t('filter.everyProvider') },
            ...providers.map((provider) => ({ value: provider, label: provider })),
          ]}
        />
      </div>
      <DataTable
        label={t('frame:page.pricing')}
        // Tables draw only the rows in sight; cards have pages instead.
        rows={isPhone ? rows.slice((list.page - 1) * list.size, list.page * list.size) : rows}
        rowKey={({ model_name }) => model_name}
        columns={columns}
        {...(isPhone && {
          total: rows.length,
          page: list.page,
          size: list.size,
          onPage: list.setPage,
          onSize: list.setSize,
        })}
        sort={sort}
        onSort={list.setSort}
        selection={{ keys: chosen, onChange: setChosen }}
        expand={(model) => <PriceDetails model={model} />}
        state={{
          isLoading: prices.isPending,
          isStale: prices.isFetching,
          error: prices.error,
          onRetry: () => void prices.refetch(),
        }}
        empty={<EmptyState text={t('empty')} />}
        hasFilters={models.length > 0 && list.hasFilters}
        onClearFilters={list.resetFilters}
        storageKey="pricing-table-columns"
      />
      <Suspense fallback={null}>
        {isCalculating && (
          <Calculator
            models={models}
            groupRatios={ratios}
            quotaPerUnit={quotaPerUnit}
            onClose={() => setCalculating(false)}
          />
        )}
      </Suspense>
    </>
  );
}
