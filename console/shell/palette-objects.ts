/** Channels, users, tokens and codes by what was typed, for the palette: one call for all of them, after a pause. */
import { useQuery } from '@tanstack/react-query';
import { type FoundObjectView, search } from '../../daemon/contract/search.ts';
import { callsFor } from '../api/client.ts';

const calls = callsFor(search);
const shortest = 2;
const nothing: readonly FoundObjectView[] = [];

/** @param keyword nothing is asked below two characters */
export function useFoundObjects(keyword: string): readonly FoundObjectView[] {
  const { data } = useQuery({
    queryKey: ['palette', 'objects', keyword],
    enabled: keyword.length >= shortest,
    retry: false,
    queryFn: ({ signal }) => calls.find({ keyword }, { signal }),
  });
  return data ?? nothing;
}
