/** Whether the palette or the list of shortcuts is wanted; their code comes with the first time. */
import { Store } from '../session/store.ts';

export const isPaletteOpen = new Store(false);
export const isShortcutListOpen = new Store(false);

export const openPalette = (): void => isPaletteOpen.set(true);
