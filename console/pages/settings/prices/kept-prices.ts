/** Prices that were edited in the tables, over a lost session and while others are applied: each with what it was made over. */
import i18next from 'i18next';
import * as z from 'zod/mini';
import { toast } from '../../../components/toast.ts';
import type { OptionRows } from '../option-draft.ts';
import type { SettingsBoard } from '../settings-board.ts';
import {
  appliedEntry,
  entriesOf,
  isSameEntry,
  type PriceEdits,
  type PriceEntries,
  type PriceEntry,
} from './price-entry.ts';

const Entry = z.record(z.string(), z.number());
const Kept = z.array(z.object({ name: z.string(), edited: Entry, before: Entry }));

/** @param stored what the edits lie over, but for those that were made before: they keep theirs */
export function editPrices(board: SettingsBoard, edits: PriceEdits, stored: PriceEntries): void {
  const [bases, edited] = [board.priceBases, board.priceEdits.get()];
  const baseOf = (name: string) => (edited.has(name) ? bases.get(name) : undefined) ?? stored.get(name) ?? {};
  board.priceBases = new Map([...edits.keys()].map((name) => [name, baseOf(name)]));
  board.priceEdits.set(edits);
  board.pricesToKeep = () =>
    [...board.priceEdits.get()].map(([name, entry]) => ({
      name,
      edited: entry,
      before: board.priceBases.get(name) ?? {},
    }));
}

/** Drops what was applied; what was typed meanwhile stays, over the figures that hold by now. */
export function forgetApplied(board: SettingsBoard, applied: PriceEdits): void {
  const later = [...board.priceEdits.get()].filter(([name, entry]) => applied.get(name) !== entry);
  const bases = later.map(([name]): [string, PriceEntry] => {
    const sent = applied.get(name);
    return [name, (sent ? appliedEntry(sent) : board.priceBases.get(name)) ?? {}];
  });
  board.priceBases = new Map(bases);
  board.priceEdits.set(new Map(later));
}

/** Brings edits back, but for those whose figures are others by now: applied, they would undo what somebody else did. */
export async function takePricesAgain(board: SettingsBoard, kept: unknown, rows: OptionRows): Promise<void> {
  const { success, data } = z.safeParse(Kept, kept);
  if (!success) return;
  const stored = entriesOf((key) => rows.get(key)?.value ?? '');
  const fitting = data.filter(({ name, before }) => isSameEntry(before, stored.get(name) ?? {}));
  editPrices(board, new Map(fitting.map(({ name, edited }): [string, PriceEntry] => [name, edited])), stored);
  await i18next.loadNamespaces('settings-prices');
  const t = i18next.getFixedT(null, ['settings-prices', 'frame']);
  const overtaken = data.length - fitting.length;
  if (fitting.length > 0) toast.info(t('frame:state.draftRestored'));
  if (overtaken > 0) toast.error(t('overtaken', { count: overtaken }));
}
