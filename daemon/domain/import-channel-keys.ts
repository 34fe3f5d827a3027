/** The keys of another gateway's channel: New API keeps a state for each of several, by its place. Pure. */
import type { ChannelType } from '../contract/channel-types.ts';
import { splitKeys } from './channel-keys.ts';
import type { Cells } from './import-cells.ts';

export interface ForeignKeys {
  readonly keys: readonly string[];
  /** Those that are not in use: 2 disabled by hand, 3 automatically. */
  readonly states: readonly { readonly key: string; readonly status: number }[];
  /** How the next one is chosen; undefined where there is no choice. */
  readonly mode: unknown;
}

/**
 * Of a channel with several keys they stand on a line each, or in a JSON list; a key without an entry is in use.
 * Source: https://deepwiki.com/QuantumNous/new-api/6.2-multi-key-channel-management, read 2026-11.
 */
export function readForeignKeys(cells: Cells, type: Pick<ChannelType, 'keyForm'>): ForeignKeys {
  const text = cells.text('key');
  const info = cells.members('channel_info');
  if (info?.is_multi_key !== true) return { keys: splitKeys(text, type), states: [], mode: undefined };
  const places = type.keyForm === 'json' ? splitKeys(text, type) : text.split('\n').map((key) => key.trim());
  const list: unknown = info.multi_key_status_list;
  const statuses = new Map(typeof list === 'object' && list !== null ? Object.entries(list) : []);
  return {
    keys: [...new Set(places.filter((key) => key !== ''))],
    states: places.flatMap((key, place) => {
      const status: unknown = statuses.get(String(place));
      return key !== '' && (status === 2 || status === 3) ? [{ key, status }] : [];
    }),
    mode: info.multi_key_mode,
  };
}
