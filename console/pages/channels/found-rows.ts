/** What a search has found, narrowed down and paged here: the search itself knows neither types nor pages. */
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { type TagRow, tagRows } from './tag-rows.ts';

export interface FoundFilter {
  /** "" for any. */
  readonly type: string;
  /** `enabled`, `disabled`, `auto` (disabled by the daemon), or "" for any. */
  readonly status: string;
  readonly page: number;
  readonly size: number;
}

export interface FoundRows {
  readonly rows: readonly ChannelView[];
  readonly tags: readonly TagRow[];
  /** Channels, or tags. */
  readonly total: number;
  /** Channels. */
  readonly found: number;
}

export function foundChannels(items: readonly ChannelView[], filter: FoundFilter): FoundRows {
  const found = items.filter((row) => isWanted(row, filter));
  return { rows: pageOf(found, filter), tags: [], total: found.length, found: found.length };
}

/** A tag keeps all its channels, as one that is wanted among them suffices: what is done to it is done to them all. */
export function foundTags(items: readonly ChannelView[], filter: FoundFilter): FoundRows {
  const found = tagRows(items).filter(({ channels }) => channels.some((row) => isWanted(row, filter)));
  const tags = pageOf(found, filter);
  return {
    rows: tags.flatMap(({ channels }) => channels),
    tags,
    total: found.length,
    found: found.reduce((sum, { channels }) => sum + channels.length, 0),
  };
}

function pageOf<Row>(rows: readonly Row[], { page, size }: FoundFilter): readonly Row[] {
  return rows.slice((page - 1) * size, page * size);
}

function isWanted(row: ChannelView, { type, status }: FoundFilter): boolean {
  if (type !== '' && String(row.type) !== type) return false;
  if (status === 'enabled') return row.status === 1;
  if (status === 'auto') return row.status === 3;
  return status !== 'disabled' || row.status !== 1;
}
