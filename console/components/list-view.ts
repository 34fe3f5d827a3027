/** What the filters and the table of a page take from its list state and its query, the same for all pages with a list. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { AnyListState } from '../api/use-list.ts';
import type { DataTableProps } from './data-table-types.ts';
import type { FilterBarProps } from './filter-bar.tsx';

type Rows<Row> = Pick<
  UseQueryResult<{ readonly items: readonly Row[]; readonly total: number }>,
  'data' | 'error' | 'isFetching' | 'isPending' | 'isPlaceholderData' | 'refetch'
>;

/** @param refresh what the button does, where more than the rows is read again */
export function listView<Row>(list: AnyListState, query: Rows<Row>, refresh: () => void = () => void query.refetch()) {
  return {
    filters: {
      values: list.values,
      onApply: list.setFilters,
      onReset: list.resetFilters,
      onRefresh: refresh,
      isRefreshing: query.isFetching,
    } satisfies Partial<FilterBarProps>,
    table: {
      rows: query.data?.items ?? [],
      ...(query.data && { total: query.data.total }),
      page: list.page,
      size: list.size,
      onPage: list.setPage,
      onSize: list.setSize,
      state: {
        isLoading: query.isPending,
        isStale: query.isPlaceholderData || query.isFetching,
        error: query.error,
        onRetry: () => void query.refetch(),
      },
      hasFilters: list.hasFilters,
      onClearFilters: list.resetFilters,
    } satisfies Partial<DataTableProps<Row>>,
  };
}
