/** Which columns a table shows, in which order and how close: taste, so it stays in this browser. */
import * as z from 'zod/mini';
import { readJson, writeJson } from '../session/storage.ts';
import { Store } from '../session/store.ts';

const ColumnChoice = z.object({
  /** Columns in order; ones that came later stand where the list puts them. */
  order: z.array(z.string()),
  hidden: z.array(z.string()),
  /** Optional columns that were chosen. */
  shown: z.array(z.string()),
  isCompact: z.boolean(),
});
export type ColumnChoice = z.infer<typeof ColumnChoice>;

export const defaultChoice: ColumnChoice = { order: [], hidden: [], shown: [], isCompact: false };

interface NamedColumn {
  readonly key: string;
  readonly isOptional?: boolean;
  readonly pin?: 'start' | 'end';
}

const stores = new Map<string, Store<ColumnChoice>>();

/** One store for each list, so that two tables of a page agree. */
export function choiceStore(storageKey: string): Store<ColumnChoice> {
  const known = stores.get(storageKey);
  if (known) return known;
  const parsed = z.safeParse(ColumnChoice, readJson(storageKey));
  const store = new Store(parsed.success ? parsed.data : defaultChoice);
  stores.set(storageKey, store);
  return store;
}

export function saveChoice(storageKey: string, choice: ColumnChoice): void {
  writeJson(storageKey, choice === defaultChoice ? undefined : choice);
  choiceStore(storageKey).set(choice);
}

export function isShown(choice: ColumnChoice, { key, isOptional = false }: NamedColumn): boolean {
  return isOptional ? choice.shown.includes(key) : !choice.hidden.includes(key);
}

/** Every column in the order to show it: pinned ones at their ends, new ones where the list puts them. */
export function ordered<Column extends NamedColumn>(columns: readonly Column[], choice: ColumnChoice): Column[] {
  const place = new Map(choice.order.map((key, index) => [key, index]));
  let last = -1;
  const places = columns.map((column, index) => {
    last = place.get(column.key) ?? last;
    return { column, index, place: last };
  });
  const end = { start: 0, middle: 1, end: 2 };
  return places
    .toSorted(
      (a, b) => end[a.column.pin ?? 'middle'] - end[b.column.pin ?? 'middle'] || a.place - b.place || a.index - b.index,
    )
    .map(({ column }) => column);
}
