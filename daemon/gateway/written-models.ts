/**
 * Model lists as they are sent: one of thousands of models takes tens of milliseconds to put together and is megabytes of
 * text, and clients ask for it again and again.
 */
import type { Snapshot } from '../snapshots/snapshots.ts';
import { type Caller, groupsOf } from './authenticate.ts';
import { acceptsUnpriced, type ListPage, type ListShape, listModels } from './model-list.ts';

/** Characters of all lists that are kept. */
const mostKept = 32 * 1024 * 1024;

export class WrittenModels {
  /** Of one snapshot, by what else a list depends on. */
  #lists: { readonly view: Snapshot; readonly texts: Map<string, string> } | undefined;
  #length = 0;

  /** The list, or the page of it that is wanted, as JSON. */
  list(view: Snapshot, caller: Caller, wanted: { shape: ListShape; page: ListPage }): string {
    const write = () => JSON.stringify(listModels(view, caller, wanted));
    const isOwn = caller.allowedModels !== undefined || caller.aliases !== undefined;
    if (wanted.shape !== 'openai' || isOwn) return write();
    const texts = this.#textsOf(view);
    const place = JSON.stringify([acceptsUnpriced(view, caller), ...groupsOf(view, caller)]);
    const known = texts.get(place);
    if (known !== undefined) return known;
    const text = write();
    if (this.#length + text.length <= mostKept) {
      texts.set(place, text);
      this.#length += text.length;
    }
    return text;
  }

  #textsOf(view: Snapshot): Map<string, string> {
    if (this.#lists?.view === view) return this.#lists.texts;
    const texts = new Map<string, string>();
    this.#lists = { view, texts };
    this.#length = 0;
    return texts;
  }
}
