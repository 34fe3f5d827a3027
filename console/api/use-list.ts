/**
 * The state of a list, which is its address: filters, page, sort (console.md 1.2, 5). A pasted link shows the same view;
 * only how many rows a page has is taste and stays in this browser.
 */
import { useCallback, useMemo } from 'react';
import type { Sort } from '../components/data-table-types.ts';
import { readText, writeText } from '../session/storage.ts';
import { Store, useStore } from '../session/store.ts';
import {
  defaultPageSize,
  type FilterValues,
  pageSizes,
  readFilters,
  readPage,
  readSize,
  readSort,
  withFilters,
  withPage,
  withSize,
  withSort,
} from './list-state.ts';
import { useAddress } from './use-address.ts';

const sizeKey = 'page-size';

function storedSize(): number {
  const stored = Number(readText(sizeKey));
  return pageSizes.find((size) => size === stored) ?? defaultPageSize;
}

const sizeStore = new Store(storedSize());

/** How many rows a page has where the address does not say. */
export const useUsualSize = (): number => useStore(sizeStore);

export function setUsualSize(size: number): void {
  writeText(sizeKey, size === defaultPageSize ? undefined : String(size));
  sizeStore.set(size);
}

export interface ListState<Key extends string> {
  /** Every filter, with its default where the address has none. */
  readonly values: FilterValues<Key>;
  /** From 1. */
  readonly page: number;
  readonly size: number;
  readonly sort: Sort | undefined;
  /** What the typed client takes for a page. */
  readonly input: { readonly page: number; readonly page_size: number };
  readonly hasFilters: boolean;
  readonly setFilters: (changed: Partial<FilterValues<Key>>) => void;
  readonly resetFilters: () => void;
  /** `isRepair`: the page was gone, so Back must not lead to it. */
  readonly setPage: (page: number, options?: { readonly isRepair?: boolean }) => void;
  readonly setSize: (size: number) => void;
  readonly setSort: (sort: Sort | undefined) => void;
}

/** A list state, whatever its filters are. */
export interface AnyListState extends Omit<ListState<never>, 'values' | 'setFilters'> {
  readonly values: Readonly<Record<string, string>>;
  readonly setFilters: (changed: Record<string, string>) => void;
}

/** @param options.filters parameter names with their defaults; need not be the same object at each call */
export function useList<Key extends string = never>(options: { readonly filters?: FilterValues<Key> }): ListState<Key> {
  const [search, setSearch] = useAddress();
  const usualSize = useUsualSize();
  const defaultsText = JSON.stringify(options.filters ?? {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: pages write the defaults in place; their text says whether they changed
  const defaults = useMemo(() => options.filters ?? noFilters<Key>(), [defaultsText]);
  const size = readSize(search, usualSize);
  const page = readPage(search);
  const values = useMemo(() => readFilters(search, defaults), [search, defaults]);
  const sort = useMemo(() => readSort(search), [search]);
  const input = useMemo(() => ({ page, page_size: size }), [page, size]);
  const setFilters = useCallback(
    (changed: Partial<FilterValues<Key>>) => setSearch((now) => withFilters(now, defaults, changed)),
    [setSearch, defaults],
  );
  const resetFilters = useCallback(() => setFilters(defaults), [setFilters, defaults]);
  const setPage = useCallback(
    (next: number, { isRepair = false }: { readonly isRepair?: boolean } = {}) =>
      setSearch((now) => withPage(now, next), { replace: isRepair }),
    [setSearch],
  );
  const setSize = useCallback(
    (next: number) => {
      setSearch((now) => withSize(now, readSize(now, sizeStore.get()), next), { replace: true });
      setUsualSize(next);
    },
    [setSearch],
  );
  const setSort = useCallback((next: Sort | undefined) => setSearch((now) => withSort(now, next)), [setSearch]);
  const hasFilters = (Object.keys(defaults) as Key[]) // the keys of a record of filters
    .some((key) => values[key] !== defaults[key]);
  return { values, page, size, sort, input, hasFilters, setFilters, resetFilters, setPage, setSize, setSort };
}

function noFilters<Key extends string>(): FilterValues<Key> {
  // Without filters there are no keys: `Key` is then `never`.
  return {} as FilterValues<Key>;
}
