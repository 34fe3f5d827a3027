/** What is asked when the console starts, and what follows from a change of user (console.md 4.1, 4.3). */
import { useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useEffect } from 'react';
import { ApiError } from '../../daemon/contract/client.ts';
import { status as endpoints } from '../../daemon/contract/status.ts';
import { callsFor } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { useSelf } from '../api/use-self.ts';
import { dropToasts, toast } from '../components/toast.ts';
import { isExpiredStore, userStore } from '../session/session.ts';
import { statusLoaded, statusStore } from '../session/status.ts';
import { Store } from '../session/store.ts';
import { isPaletteOpen, isShortcutListOpen } from './palette-state.ts';
import { isMenuOpen } from './side-bar-state.ts';

const calls = callsFor({ get: endpoints.get });
const refreshMs = 10 * 60_000;

const lastUser = new Store(userStore.get()?.id);
userStore.watch(() => {
  const id = userStore.get()?.id;
  if (id !== undefined) isExpiredStore.set(false);
  if (id === lastUser.get()) return;
  // Nothing that one account has seen is shown to the next; what a way in tells is of the one that comes.
  if (lastUser.get() !== undefined) dropToasts();
  for (const isOpen of [isPaletteOpen, isShortcutListOpen, isMenuOpen]) isOpen.set(false);
  lastUser.set(id);
  queryClient.clear();
});

function failureText(error: unknown): string {
  const isUnreachable = error instanceof ApiError && (error.status === 0 || error.status >= 502);
  return isUnreachable ? i18next.t('error.serverUnreachable') : i18next.t('error.status');
}

/** Asks for the site's state, and for the account where somebody is signed in. */
export function useStart() {
  const site = useQuery({
    queryKey: ['status'],
    queryFn: async ({ signal }) => {
      const status = await calls.get({}, { signal });
      statusLoaded(status);
      return status;
    },
    staleTime: refreshMs,
    refetchOnWindowFocus: true,
    refetchOnReconnect: true,
  });
  useSelf();
  const { error, refetch } = site;
  useEffect(() => {
    // With a stored state the page goes on; without one a panel says the same.
    if (error && statusStore.get()) toast.error(failureText(error));
  }, [error]);
  return { error, text: error ? failureText(error) : '', retry: () => void refetch() };
}
