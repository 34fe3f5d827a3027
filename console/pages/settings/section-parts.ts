/** Which section has what besides its options; the parts of a tab are loaded when it is opened. */
import type { SettingsTab } from './section-entry.ts';
import type { TabParts } from './section-part.ts';

const loaders: Readonly<Record<SettingsTab, () => Promise<{ readonly parts: TabParts }>>> = {
  operation: () => import('./operation/operation-parts.tsx'),
  ratelimit: () => import('./limits/limit-parts.ts'),
  models: () => Promise.resolve({ parts: new Map() }),
  system: () => import('./system/system-parts.tsx'),
  other: () => import('./other/other-parts.ts'),
};

const loaded = new Map<SettingsTab, Promise<TabParts>>();

/** By the id of the section. The same promise each time, so that a page that waits for it once has it from then on. */
export function partsOf(tab: SettingsTab): Promise<TabParts> {
  const known = loaded.get(tab);
  if (known) return known;
  const parts = loaders[tab]().then((module) => module.parts);
  loaded.set(tab, parts);
  // Asked again after a failure of the network.
  parts.catch(() => loaded.delete(tab));
  return parts;
}
