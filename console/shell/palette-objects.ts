/** Channels, users, tokens and codes by what was typed, for the palette: one call a kind, after a pause. */
import { useQuery } from '@tanstack/react-query';
import { channels } from '../../daemon/contract/channels.ts';
import { redemptions } from '../../daemon/contract/redemptions.ts';
import { tokens } from '../../daemon/contract/tokens.ts';
import { users } from '../../daemon/contract/users.ts';
import { callsFor } from '../api/client.ts';

export type ObjectKind = 'channels' | 'users' | 'tokens' | 'redemptions';

export interface FoundObject {
  readonly kind: ObjectKind;
  readonly id: number;
  readonly name: string;
}

const calls = {
  channels: callsFor({ search: channels.search }),
  users: callsFor({ search: users.search }),
  tokens: callsFor({ search: tokens.search }),
  redemptions: callsFor({ search: redemptions.search }),
};

const shown = 5;
const shortest = 2;

async function search(kind: ObjectKind, keyword: string, signal: AbortSignal): Promise<readonly FoundObject[]> {
  const input = { keyword, page: 1, page_size: 10 };
  if (kind === 'users') {
    const { items } = await calls.users.search(input, { signal });
    return items.slice(0, shown).map(({ id, username }) => ({ kind, id, name: username }));
  }
  const { items } = await calls[kind].search(input, { signal });
  return items.slice(0, shown).map(({ id, name }) => ({ kind, id, name }));
}

/** @param kind which to look in: one call for a pause in typing */
export function useFoundObjects(kind: ObjectKind, keyword: string): readonly FoundObject[] {
  const { data } = useQuery({
    queryKey: ['palette', kind, keyword],
    enabled: keyword.length >= shortest,
    retry: false,
    queryFn: ({ signal }) => search(kind, keyword, signal),
  });
  return data ?? [];
}
