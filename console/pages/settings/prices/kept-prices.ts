/** Prices as they are edited in the tables, each with what it was made over: kept over a lost session, and while others are applied. */
import type { SettingsBoard } from '../settings-board.ts';
import { appliedEntry, type PriceEdits, type PriceEntries, type PriceEntry } from './price-entry.ts';

/** @param stored what the edits lie over, but for those that were made before: they keep theirs */
export function editPrices(board: SettingsBoard, edits: PriceEdits, stored: PriceEntries): void {
  const [bases, edited] = [board.priceBases, board.priceEdits.get()];
  const baseOf = (name: string) => (edited.has(name) ? bases.get(name) : undefined) ?? stored.get(name) ?? {};
  board.priceBases = new Map([...edits.keys()].map((name) => [name, baseOf(name)]));
  board.priceEdits.set(edits);
  board.pricesToKeep = () => [
    ...[...board.priceEdits.get()].map(([name, entry]) => ({
      name,
      edited: entry,
      before: board.priceBases.get(name) ?? {},
    })),
    ...board.wrongPrices.get(),
  ];
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
