/** What was typed into the settings against what is in force: whether it differs, whether it may be sent, and as what. */
import type { Language } from '../../../daemon/contract/error-codes.ts';
import { chineseReason } from '../../../daemon/contract/option-reasons.ts';
import {
  formatOption,
  isOptionKey,
  type ListedOption,
  type OptionKey,
  optionTable,
  parseOption,
} from '../../../daemon/contract/options.ts';
import type { OptionChange } from './save-plan.ts';

/** A listed option whose key this console knows. */
export type OptionRow = Omit<ListedOption, 'key'> & { readonly key: OptionKey };

export type OptionRows = ReadonlyMap<OptionKey, OptionRow>;

/** Typed text by key; null is a secret that is to be cleared. */
export type Drafts = Readonly<Partial<Record<OptionKey, string | null>>>;

/** The rows by key; options of a newer daemon are left out. */
export function rowsByKey(list: readonly ListedOption[]): OptionRows {
  return new Map(
    list.flatMap((row): [OptionKey, OptionRow][] =>
      isOptionKey(row.key) ? [[row.key, { ...row, key: row.key }]] : [],
    ),
  );
}

export function isSecret(key: OptionKey): boolean {
  return optionTable[key].secret;
}

/** The text as the daemon would publish it (trailing slashes gone, JSON laid out); the text itself if it is no value. */
export function normalised(key: OptionKey, text: string): string {
  const parsed = parseOption(key, text);
  return parsed.ok ? formatOption(key, parsed.value) : text;
}

/** True when sending the draft would change something. */
export function isChanged(row: OptionRow, draft: string | null | undefined): boolean {
  if (draft === undefined) return false;
  if (isSecret(row.key)) return draft === null ? row.set === true : draft !== '';
  if (draft === null || draft === row.value) return false;
  return normalised(row.key, draft) !== normalised(row.key, row.value);
}

/** Why a draft cannot be saved, as the contract says it; undefined when it can. */
export function reasonAgainst(key: OptionKey, draft: string | null): string | undefined {
  if (draft === null) return undefined;
  const parsed = parseOption(key, draft);
  return parsed.ok ? undefined : parsed.reason;
}

/** Why a draft cannot be saved; undefined when it can. */
export function problemOf(key: OptionKey, draft: string | null, language: Language): string | undefined {
  const reason = reasonAgainst(key, draft);
  return reason !== undefined && language === 'zh' ? chineseReason(reason) : reason;
}

/** The drafts among these keys that differ from what is in force, as they are to be sent. */
export function changesAmong(keys: readonly OptionKey[], rows: OptionRows, drafts: Drafts): OptionChange[] {
  return keys.flatMap((key): OptionChange[] => {
    const row = rows.get(key);
    const draft = drafts[key];
    if (!row || draft === undefined || !isChanged(row, draft)) return [];
    return [{ key, value: draft === null ? null : normalised(key, draft) }];
  });
}
