/** The tags that channels carry, to be offered where one is entered. */
import { useQuery } from '@tanstack/react-query';
import { channels } from './channel-calls.ts';

const none: readonly string[] = [];

/** As many as a list shows at once; more are found by typing. */
export const offeredTags = 100;

export function useKnownTags(): readonly string[] {
  const { data = none } = useQuery({
    queryKey: ['channels', 'tags'],
    queryFn: ({ signal }) => channels.tags({}, { signal }),
    staleTime: 60_000,
  });
  return data;
}
