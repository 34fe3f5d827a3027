/** The operator's notice: fetched once a visit when the page has come to rest (console.md 4.6). */
import { useQuery } from '@tanstack/react-query';
import { pageContent as endpoints } from '../../daemon/contract/page-content.ts';
import { callsFor } from '../api/client.ts';
import { readText, writeText } from '../session/storage.ts';
import { useIdle } from './use-idle.ts';

const calls = callsFor({ notice: endpoints.notice });
const seenKey = 'notice-seen';
const mutedKey = 'notice-muted';

/** Short and stable; it only tells one notice from the next. */
function hashOf(text: string): string {
  let hash = 5381;
  for (const character of text) hash = (hash * 33 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash.toString(36);
}

const today = () => new Date().toDateString();

export function noticeSeen(text: string): void {
  writeText(seenKey, hashOf(text));
}

/** Until tomorrow no notice opens by itself. */
export function muteNotices(): void {
  writeText(mutedKey, today());
}

/** False once it was seen, by now perhaps behind the bell or in another tab, and for the rest of a day without notices. */
export const isDue = (text: string): boolean => isUnseen(text) && readText(mutedKey) !== today();

const isUnseen = (text: string): boolean => text.trim() !== '' && readText(seenKey) !== hashOf(text);

export function useNotice() {
  const isIdle = useIdle();
  const { data } = useQuery({
    queryKey: ['notice'],
    enabled: isIdle,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => calls.notice({}, { signal }),
  });
  const text = data ?? '';
  return { text, isNew: isUnseen(text), opensByItself: isDue(text) };
}
