/** The tags that channels carry, to be offered where one is entered. */
import { useQuery } from '@tanstack/react-query';
import { channels } from './channel-calls.ts';
import { tagRows } from './tag-rows.ts';

export function useKnownTags(): string[] {
  const { data } = useQuery({
    queryKey: ['channels', 'tags'],
    queryFn: ({ signal }) => channels.list({ tag_mode: true, page: 1, page_size: 100 }, { signal }),
    staleTime: 60_000,
  });
  return data ? tagRows(data.items).map(({ tag }) => tag) : [];
}
