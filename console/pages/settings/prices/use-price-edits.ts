/** Prices as they are edited in the tables: kept until they are applied, all of them by one call. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { prices as priceEndpoints } from '../../../../daemon/contract/prices.ts';
import { callsFor } from '../../../api/client.ts';
import { showFailure } from '../../../api/failures.ts';
import { toast } from '../../../components/toast.ts';
import { loadLate } from '../../../session/late-code.ts';
import { useStore } from '../../../session/store.ts';
import { rowsByKey } from '../option-draft.ts';
import { optionCalls, optionsQuery } from '../save-options.ts';
import { useSettings } from '../settings-context.tsx';
import { editPrices, forgetApplied } from './kept-prices.ts';
import {
  entriesOf,
  isSameEntry,
  optionOf,
  overtakenFigures,
  type PriceEntries,
  type PriceEntry,
  type SentPrices,
  sentOf,
  stillWrong,
  type WrongPrice,
} from './price-entry.ts';

const prices = callsFor(priceEndpoints);

export interface PriceEditing {
  readonly stored: PriceEntries;
  /** The shipped figures. */
  readonly shipped: PriceEntries;
  /** Stored figures with the edits over them. */
  readonly entries: PriceEntries;
  /** Models whose figures were edited, also where one is no number. */
  readonly editCount: number;
  readonly wrong: readonly WrongPrice[];
  /** Undefined takes the text out of the cell. */
  readonly setWrong: (cell: Omit<WrongPrice, 'text'>, text: string | undefined) => void;
  readonly isEdited: (name: string) => boolean;
  readonly set: (changes: readonly (readonly [name: string, entry: PriceEntry])[]) => void;
  /** The edits as they would be applied. */
  readonly draft: () => SentPrices;
  readonly discard: () => void;
  readonly apply: () => Promise<void>;
  readonly isApplying: boolean;
}

export function usePriceEdits(): PriceEditing {
  const { t } = useTranslation(['settings-prices', 'frame']);
  const { rows, board } = useSettings();
  const edits = useStore(board.priceEdits);
  const wrong = useStore(board.wrongPrices);
  const queryClient = useQueryClient();
  const [isApplying, setIsApplying] = useState(false);
  const stored = useMemo(() => entriesOf((key) => rows.get(key)?.value ?? ''), [rows]);
  const shipped = useMemo(() => entriesOf((key) => rows.get(key)?.default ?? ''), [rows]);
  const entries = useMemo(() => {
    const merged = new Map([...stored, ...edits]);
    return new Map([...merged].sort(([one], [other]) => (one < other ? -1 : 1)));
  }, [stored, edits]);

  const set: PriceEditing['set'] = (changes) => {
    const next = new Map(board.priceEdits.get());
    for (const [name, entry] of changes) {
      if (isSameEntry(entry, stored.get(name) ?? {})) next.delete(name);
      else next.set(name, entry);
    }
    board.wrongPrices.set(stillWrong(board.wrongPrices.get(), new Map(changes), entries));
    editPrices(board, next, stored);
  };
  const setWrong: PriceEditing['setWrong'] = ({ name, figure }, text) => {
    const others = board.wrongPrices.get().filter((cell) => cell.name !== name || cell.figure !== figure);
    board.wrongPrices.set(text === undefined ? others : [...others, { name, figure, text }]);
    // From now on there is something to keep.
    editPrices(board, board.priceEdits.get(), stored);
  };
  const draft = () => sentOf(board.priceEdits.get(), board.priceBases);
  const discard = () => board.forgetPrices();

  const apply = async () => {
    const drafts = board.drafts.get();
    if (Object.values(optionOf).some((key) => drafts[key] !== undefined)) {
      toast.error(t('apply.jsonFirst'));
      return;
    }
    if (board.wrongPrices.get().length > 0) {
      toast.error(t('frame:error.input'));
      return;
    }
    if (Object.keys(draft()).length === 0) {
      toast.info(t('frame:error.unchanged'));
      return;
    }
    setIsApplying(true);
    try {
      const list = await queryClient.fetchQuery({ ...optionsQuery, queryFn: () => optionCalls.list(), staleTime: 0 });
      const newest = rowsByKey(list);
      const now = entriesOf((key) => newest.get(key)?.value ?? '');
      const overtaken = overtakenFigures(board.priceEdits.get(), board.priceBases, now);
      if (overtaken.length > 0) {
        const { mayReplace } = await loadLate(() => import('./overtaken-prices.tsx'));
        if (!(await mayReplace(board, overtaken, newest))) return;
      }
      const edited = board.priceEdits.get();
      const models = draft();
      if (Object.keys(models).length === 0) return;
      await prices.set({ models, change_kind: true });
      await queryClient.invalidateQueries(optionsQuery);
      forgetApplied(board, edited);
      toast.success(t('frame:notice.saved'));
    } catch (error) {
      showFailure(error);
    } finally {
      setIsApplying(false);
    }
  };

  return {
    stored,
    shipped,
    entries,
    editCount: new Set([...edits.keys(), ...wrong.map(({ name }) => name)]).size,
    wrong,
    setWrong,
    isEdited: (name) => edits.has(name),
    set,
    draft,
    discard,
    apply,
    isApplying,
  };
}
