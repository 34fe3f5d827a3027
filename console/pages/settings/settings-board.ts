/** What the settings page holds besides the rows of the daemon: typed text, complaints, and what is being saved. */
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { Store } from '../../session/store.ts';
import { type Drafts, normalised, type OptionRows } from './option-draft.ts';
import type { PriceEdits, PriceEntries, WrongPrice } from './prices/price-entry.ts';
import type { OptionChange } from './save-plan.ts';

type Texts = Readonly<Partial<Record<OptionKey, string>>>;

export class SettingsBoard {
  readonly drafts = new Store<Drafts>({});
  /** What is said under a field: why its text cannot be saved, or why the daemon refused it. */
  readonly complaints = new Store<Texts>({});
  /** Prices edited in the tables and not applied. */
  readonly priceEdits = new Store<PriceEdits>(new Map());
  /** What was typed into cells of those tables and is no number. */
  readonly wrongPrices = new Store<readonly WrongPrice[]>([]);
  /** The figures that each of the edits lies over. */
  priceBases: PriceEntries = new Map();
  /** Both, with what the edits lie over, to be brought back after a lost session; set with the first of either. */
  pricesToKeep: (() => readonly object[]) | undefined;
  #read: OptionRows = new Map();
  #rows: OptionRows = this.#read;
  /** What each draft was typed over: by now somebody else may have saved another value. */
  readonly bases = new Map<OptionKey, string>();
  readonly saving = new Store<ReadonlySet<OptionKey>>(new Set());

  /** As they were read last, with what was saved since. */
  get rows(): OptionRows {
    return this.#rows;
  }

  /** The page may be drawn with the same rows once more behind a save: these are older. */
  take(rows: OptionRows): void {
    if (rows === this.#read) return;
    this.#read = rows;
    this.#rows = rows;
  }

  /** Undefined drops the draft; a complaint about the text before goes with it. */
  setDraft(key: OptionKey, draft: string | null | undefined): void {
    const row = this.#rows.get(key);
    if (draft === undefined) this.bases.delete(key);
    else if (row && !this.bases.has(key)) this.bases.set(key, row.value);
    const { [key]: _, ...rest } = this.drafts.get();
    this.drafts.set(draft === undefined ? rest : { ...rest, [key]: draft });
  }

  complain(key: OptionKey, text: string | undefined): void {
    if (this.complaints.get()[key] === text) return;
    const { [key]: _, ...rest } = this.complaints.get();
    this.complaints.set(text === undefined ? rest : { ...rest, [key]: text });
  }

  forget(keys: readonly OptionKey[]): void {
    for (const key of keys) {
      this.setDraft(key, undefined);
      this.complain(key, undefined);
    }
  }

  forgetPrices(): void {
    this.priceEdits.set(new Map());
    this.wrongPrices.set([]);
  }

  /** Drops the drafts that these changes have put in force; what was typed while they were sent stays. */
  forgetSaved(saved: readonly OptionChange[]): void {
    const drafts = this.drafts.get();
    const isInForce = ({ key, value }: OptionChange) => {
      const draft = drafts[key];
      return draft === undefined || (draft === null ? null : normalised(key, draft)) === value;
    };
    const rows = new Map(this.#rows);
    for (const { key, value } of saved) {
      const row = rows.get(key);
      // A secret is read as nothing, whatever it is.
      const inForce = row?.set === undefined ? (value ?? row?.default ?? '') : row.value;
      this.bases.set(key, inForce);
      if (row) rows.set(key, { ...row, value: inForce });
    }
    this.#rows = rows;
    this.forget(saved.filter(isInForce).map(({ key }) => key));
  }

  startSaving(keys: readonly OptionKey[]): void {
    this.saving.set(new Set([...this.saving.get(), ...keys]));
  }

  endSaving(keys: readonly OptionKey[]): void {
    this.saving.set(new Set([...this.saving.get()].filter((key) => !keys.includes(key))));
  }
}
