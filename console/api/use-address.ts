/** The parameters of the address, and how to change them without undoing a change that is not drawn yet (console.md 1.2). */
import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router-dom';

type Change = (now: URLSearchParams) => URLSearchParams;

/**
 * The parameters as they are drawn, and how to change those of the address. What is drawn may be behind the address for
 * moments, long ones on a slow device: what is set meanwhile must not undo the one before.
 */
export function useAddress() {
  const [drawn, setSearch] = useSearchParams();
  const { pathname } = useLocation();
  const change = useCallback(
    (next: Change, { replace = false }: { readonly replace?: boolean } = {}) => {
      const isHere = window.location.pathname === pathname;
      const now = isHere ? new URLSearchParams(window.location.search) : drawn;
      const changed = next(now);
      if (changed.toString() !== now.toString()) setSearch(changed, { replace, preventScrollReset: true });
    },
    [drawn, setSearch, pathname],
  );
  return [drawn, change] as const;
}

/** The parameters with these members; those that are empty are taken out. */
export function withMembers(now: URLSearchParams, members: Readonly<Record<string, string>>): URLSearchParams {
  const next = new URLSearchParams(now);
  for (const [name, value] of Object.entries(members)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}
