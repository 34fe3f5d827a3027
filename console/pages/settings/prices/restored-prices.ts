/** Prices that were edited in the tables before the session was lost. Loaded when there are some. */
import i18next from 'i18next';
import * as z from 'zod/mini';
import { toast } from '../../../components/toast.ts';
import type { OptionRows } from '../option-draft.ts';
import type { SettingsBoard } from '../settings-board.ts';
import { editPrices } from './kept-prices.ts';
import { entriesOf, isSameEntry, type PriceEntry, priceFigures } from './price-entry.ts';

const Entry = z.record(z.string(), z.number());
const Edited = z.object({ name: z.string(), edited: Entry, before: Entry });
const Wrong = z.object({ name: z.string(), figure: z.enum(priceFigures), text: z.string() });
const Kept = z.array(z.union([Edited, Wrong]));

/** Brings edits back, but for those whose figures are others by now: applied, they would undo what somebody else did. */
export async function takePricesAgain(board: SettingsBoard, kept: unknown, rows: OptionRows): Promise<void> {
  const { success, data } = z.safeParse(Kept, kept);
  if (!success) return;
  const stored = entriesOf((key) => rows.get(key)?.value ?? '');
  const made = data.filter((one) => 'edited' in one);
  const wrong = data.filter((one) => 'text' in one);
  const fitting = made.filter(({ name, before }) => isSameEntry(before, stored.get(name) ?? {}));
  board.wrongPrices.set(wrong);
  editPrices(board, new Map(fitting.map(({ name, edited }): [string, PriceEntry] => [name, edited])), stored);
  await i18next.loadNamespaces('settings-prices');
  const t = i18next.getFixedT(null, ['settings-prices', 'frame']);
  const overtaken = made.length - fitting.length;
  if (fitting.length + wrong.length > 0) toast.info(t('frame:state.draftRestored'));
  if (overtaken > 0) toast.error(t('overtaken', { count: overtaken }));
}
