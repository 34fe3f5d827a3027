/** Filters and order of a list under a name, kept in this browser: the key `views:<list>` (console.md 4.8). Pure but for the storage. */
import * as z from 'zod/mini';
import { readJson, writeJson } from '../session/storage.ts';

export interface SavedView {
  readonly name: string;
  /** Of the address, without `?`. */
  readonly query: string;
}

/** Of one list. */
export const mostViews = 20;
export const longestViewName = 40;

const Stored = z.catch(z.array(z.object({ name: z.string(), query: z.string() })), []);
const storageKey = (list: string) => `views:${list}`;

export const readViews = (list: string): readonly SavedView[] => Stored.parse(readJson(storageKey(list)));

export function writeViews(list: string, views: readonly SavedView[]): void {
  writeJson(storageKey(list), views.length === 0 ? undefined : views);
}

/** The view under its name, in the place of one by that name or behind the others. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const at = views.findIndex(({ name }) => name === view.name);
  return at === -1 ? [...views, view] : views.with(at, view);
}

/** One long word may be a key that was pasted; nothing secret is ever stored. */
const looksSecret = (value: string): boolean => /^[\w-]{20,}$/.test(value);

/**
 * What of an address makes a view: its filters and its order, not the page nor what is open.
 * @param filters the parameters of the list's filters
 * @returns `isCut` when something is left out that may be a key
 */
export function queryOfView(
  search: URLSearchParams,
  filters: readonly string[],
): { readonly query: string; readonly isCut: boolean } {
  const members = [...search].filter(([key]) => key === 'sort' || filters.includes(key));
  const kept = members.filter(([, value]) => !looksSecret(value));
  return { query: new URLSearchParams(kept).toString(), isCut: kept.length < members.length };
}
