/** Which pages the side bar shows to whom (console.md 4.5). */
import type { LoginView } from '../../daemon/contract/account.ts';
import type { StatusView } from '../../daemon/contract/status.ts';
import { loaderOf, type MenuGroup, mayOpen, type PageEntry, pages } from '../pages.tsx';

const order: readonly MenuGroup[] = ['chat', 'console', 'admin', 'personal'];

export interface EntryGroup {
  readonly group: MenuGroup;
  readonly entries: readonly PageEntry[];
}

/** Visitors see what they would have as users, and reach it by the sign-in page. */
function isShown(entry: PageEntry, status: StatusView | undefined, user: LoginView | undefined): boolean {
  if (loaderOf(entry) === undefined) return false;
  const isReachable = user ? mayOpen(entry, user) : entry.access !== 'admin' && entry.menu !== 'personal';
  if (!isReachable) return false;
  return entry.visible === undefined || (status !== undefined && entry.visible(status, user));
}

export function sideBarGroups(status: StatusView | undefined, user: LoginView | undefined): readonly EntryGroup[] {
  return order
    .map((group) => ({
      group,
      entries: pages.filter((entry) => entry.menu === group && isShown(entry, status, user)),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** Where the link to the console leads. */
export const consoleAddress = (status: StatusView | undefined): string =>
  status?.enable_data_export && pages.some((entry) => entry.path === '/detail' && loaderOf(entry))
    ? '/detail'
    : '/token';

/** True on the page itself and on editors below it. */
export const isCurrent = (path: string, pathname: string): boolean =>
  pathname === path || pathname.startsWith(`${path}/`);

/** Loads the code of a page that is about to be opened, unless the visitor saves data. */
export function prefetch(entry: PageEntry): void {
  const connection: unknown = Reflect.get(navigator, 'connection');
  const savesData = connection instanceof Object && Reflect.get(connection, 'saveData') === true;
  if (!savesData) void loaderOf(entry)?.().catch(() => undefined);
}
