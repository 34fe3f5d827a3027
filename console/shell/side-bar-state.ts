/** What of the side bar is open, as this browser remembers it. */

import { statusStore } from '../session/status.ts';
import { readJson, readText, writeJson, writeText } from '../session/storage.ts';
import { Store } from '../session/store.ts';

const collapsedKey = 'default_collapse_sidebar';
const chosenKey = 'side-bar-chosen';
const groupsKey = 'side-bar-closed';

const storedCollapsed = () => readText(collapsedKey) === 'true';

/** True: icons only, on desktops. */
export const isCollapsed = new Store(storedCollapsed());
/** Also where the browser keeps nothing. */
const hasChosen = new Store(false);
// As long as the user never chose, in this tab or another, the site says how it begins.
statusStore.watch(() => {
  const status = statusStore.get();
  if (!status || hasChosen.get() || readText(chosenKey) === 'true') return;
  writeText(collapsedKey, String(status.default_collapse_sidebar));
  isCollapsed.set(status.default_collapse_sidebar);
});

export function toggleCollapsed(): void {
  hasChosen.set(true);
  writeText(chosenKey, 'true');
  writeText(collapsedKey, String(!isCollapsed.get()));
  isCollapsed.set(!isCollapsed.get());
}

function storedGroups(): readonly string[] {
  const stored = readJson(groupsKey);
  return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
}

/** Names of the groups that the user closed. */
export const closedGroups = new Store<readonly string[]>(storedGroups());

export function toggleGroup(name: string): void {
  const known = closedGroups.get();
  const next = known.includes(name) ? known.filter((other) => other !== name) : [...known, name];
  writeJson(groupsKey, next);
  closedGroups.set(next);
}

/** True while the whole side bar lies over the page: on tablets beside the icons, on phones as a drawer. */
export const isMenuOpen = new Store(false);
