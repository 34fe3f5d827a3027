/** What the address of a list says, and the address that says it (console.md 5 "List contract"). Pure. */
import type { Sort } from '../components/data-table-types.ts';

export const pageSizes = [10, 20, 50, 100] as const;
export const defaultPageSize = 10;

export type FilterValues<Key extends string> = Readonly<Record<Key, string>>;

/** Parameters that every list has; no filter may be called so. */
const reserved = { page: 'p', size: 'size', sort: 'sort' } as const;

export function readFilters<Key extends string>(
  search: URLSearchParams,
  defaults: FilterValues<Key>,
): FilterValues<Key> {
  const values: Record<Key, string> = { ...defaults };
  for (const key in defaults) values[key] = search.get(key) ?? defaults[key];
  return values;
}

/** From 1; what is no page is the first. */
export function readPage(search: URLSearchParams): number {
  const page = Number(search.get(reserved.page));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

export function readSize(search: URLSearchParams, usual: number): number {
  const size = Number(search.get(reserved.size));
  return pageSizes.some((known) => known === size) ? size : usual;
}

/** `sort=name` or `sort=-name`. */
export function readSort(search: URLSearchParams): Sort | undefined {
  const text = search.get(reserved.sort) ?? '';
  const key = text.replace(/^-/, '');
  return key === '' ? undefined : { key, isDescending: text.startsWith('-') };
}

/** Changed filters lead to the first page; a value that is the default leaves no parameter. */
export function withFilters<Key extends string>(
  search: URLSearchParams,
  defaults: FilterValues<Key>,
  changed: Partial<FilterValues<Key>>,
): URLSearchParams {
  const next = new URLSearchParams(search);
  const values = { ...readFilters(search, defaults), ...changed };
  for (const key in defaults) {
    if (values[key] === defaults[key]) next.delete(key);
    else next.set(key, values[key]);
  }
  next.delete(reserved.page);
  return next;
}

export function withPage(search: URLSearchParams, page: number): URLSearchParams {
  const next = new URLSearchParams(search);
  if (page <= 1) next.delete(reserved.page);
  else next.set(reserved.page, String(page));
  return next;
}

/** Another size keeps the first row that was shown on the page. */
export function withSize(search: URLSearchParams, before: number, size: number): URLSearchParams {
  const next = withPage(search, Math.floor(((readPage(search) - 1) * before) / size) + 1);
  next.delete(reserved.size);
  return next;
}

export function withSort(search: URLSearchParams, sort: Sort | undefined): URLSearchParams {
  const next = withPage(search, 1);
  if (sort) next.set(reserved.sort, `${sort.isDescending ? '-' : ''}${sort.key}`);
  else next.delete(reserved.sort);
  return next;
}
