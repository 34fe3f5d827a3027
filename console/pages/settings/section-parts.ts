/** Which section has what besides its options; the parts of a tab are loaded when it is opened. */
import { loadPart } from '../../session/late-code.ts';
import type { SettingsTab } from './section-entry.ts';
import type { TabParts } from './section-part.ts';

const loaders: Readonly<Record<SettingsTab, () => Promise<{ readonly parts: TabParts }>>> = {
  operation: () => import('./operation/operation-parts.tsx'),
  ratelimit: () => import('./limits/limit-parts.ts'),
  models: () => Promise.resolve({ parts: new Map() }),
  system: () => import('./system/system-parts.tsx'),
  other: () => import('./other/other-parts.ts'),
};

const loaded = new Map<SettingsTab, Promise<TabParts | undefined>>();

/**
 * By the id of the section; undefined where their code did not come. The same promise each time, so that a page that
 * waits for it once has it from then on.
 */
export function partsOf(tab: SettingsTab): Promise<TabParts | undefined> {
  const known = loaded.get(tab);
  if (known) return known;
  const parts = loadPart(loaders[tab]).then(
    (module) => module.parts,
    () => undefined,
  );
  loaded.set(tab, parts);
  return parts;
}

/** Has the parts of a tab asked for again. */
export function askForPartsAgain(tab: SettingsTab): void {
  loaded.delete(tab);
}
