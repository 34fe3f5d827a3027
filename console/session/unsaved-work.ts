/** What was typed into a page and not saved: whoever is about to open another page asks it first. */
import { Store } from './store.ts';

/** Set by the page while it holds such work; resolves to true once it may be lost. */
export const unsavedQuestion = new Store<(() => Promise<boolean>) | undefined>(undefined);

/** True where nothing would be lost, or the user lets it go. */
export async function mayLeave(): Promise<boolean> {
  return (await unsavedQuestion.get()?.()) ?? true;
}
