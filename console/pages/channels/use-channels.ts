/** The rows of the page: the paged list, or what a search finds, paged here (console.md 6.9 "Search"). */
import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { channels } from './channel-calls.ts';
import { foundChannels, foundTags } from './found-rows.ts';
import { type TagRow, tagRows } from './tag-rows.ts';

/** Parameters of the address with what they are when it says nothing. */
export const filterDefaults = {
  keyword: '',
  model: '',
  group: '',
  type: '',
  status: '',
  id_sort: '',
  tag_mode: '',
};
export type ChannelFilters = Readonly<Record<keyof typeof filterDefaults, string>>;

/** Beyond so many rows a search says that it is too wide. */
export const wideSearch = 1000;

const rowsKey = ['channels', 'rows'] as const;

export interface ChannelRows {
  /** Of this page; in tag mode all channels of its tags. */
  readonly rows: readonly ChannelView[];
  /** In tag mode, of this page. */
  readonly tags: readonly TagRow[];
  /** Channels, or tags. */
  readonly total: number;
  readonly typeCounts: Readonly<Record<string, number>>;
  /** Channels that a search found. */
  readonly found: number | undefined;
  /** In tag mode, how many channels pass without a tag, where that is known. */
  readonly untagged: number | undefined;
  readonly isLoading: boolean;
  readonly isStale: boolean;
  readonly error: unknown;
  readonly refetch: () => void;
}

/** The status that an address asks for, if there is such a one. */
export function askedStatus(status: string): 'enabled' | 'disabled' | 'auto' | undefined {
  return status === 'enabled' || status === 'disabled' || status === 'auto' ? status : undefined;
}

interface PageInput {
  readonly page: number;
  readonly page_size: number;
}

export function useChannels(filters: ChannelFilters, input: PageInput): ChannelRows {
  const { keyword, model, group, type, status } = filters;
  const isSearch = keyword !== '' || model !== '' || group !== '';
  const order = { id_sort: filters.id_sort === 'true', tag_mode: filters.tag_mode === 'true' };
  const searchInput = { keyword, model, group, ...order };
  const listInput = {
    ...input,
    ...order,
    type,
    status: askedStatus(status),
  } as const;
  const search = useQuery({
    queryKey: [...rowsKey, 'search', searchInput],
    queryFn: ({ signal }) => channels.search(searchInput, { signal }),
    enabled: isSearch,
    placeholderData: keepPreviousData,
  });
  const list = useQuery({
    queryKey: [...rowsKey, 'list', listInput],
    queryFn: ({ signal }) => channels.list(listInput, { signal }),
    enabled: !isSearch,
    placeholderData: keepPreviousData,
  });
  const query = isSearch ? search : list;
  const { page, page_size: size } = input;
  const tagMode = order.tag_mode;

  const shown = useMemo(() => {
    if (!isSearch) {
      const rows = list.data?.items ?? [];
      return { rows, tags: tagMode ? tagRows(rows) : [], total: list.data?.total ?? 0, found: undefined };
    }
    const filter = { type, status, page, size };
    return (tagMode ? foundTags : foundChannels)(search.data?.items ?? [], filter);
  }, [isSearch, list.data, search.data, tagMode, type, status, page, size]);

  const typeCounts = query.data?.type_counts ?? {};
  // What a search finds is narrowed down here, which those without a tag are not.
  const isCounted = tagMode && !(isSearch && (type !== '' || status !== ''));
  return {
    ...shown,
    typeCounts,
    untagged: isCounted ? query.data?.untagged : undefined,
    isLoading: query.isPending,
    isStale: query.isFetching && !query.isPending,
    error: query.error,
    refetch: () => void query.refetch(),
  };
}

interface CachedRows {
  readonly items: readonly ChannelView[];
}

/** Changes rows where they are shown, until the next answer says how they are. */
export function patchRows(client: QueryClient, ids: ReadonlySet<number>, patch: Partial<ChannelView>): void {
  client.setQueriesData<CachedRows>({ queryKey: rowsKey }, (cached) =>
    cached ? { ...cached, items: cached.items.map((row) => (ids.has(row.id) ? { ...row, ...patch } : row)) } : cached,
  );
}

/** The name of a channel that was shown; empty where none was. */
export function nameOf(client: QueryClient, id: number): string {
  const cached = client.getQueriesData<CachedRows>({ queryKey: rowsKey });
  return cached.flatMap(([, rows]) => rows?.items.find((row) => row.id === id)?.name ?? []).at(0) ?? '';
}

/** Asks anew for what is on screen. */
export function refreshRows(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: rowsKey });
}
