/** The options and what was typed over them, for every part of the settings page. */
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { type OptionKey, optionTable } from '../../../daemon/contract/options.ts';
import { jsonMistake } from '../../components/json-position.ts';
import { isRoot, useUser } from '../../session/session.ts';
import { useKeptDrafts } from './kept-drafts.ts';
import { isChanged, isSecret, type OptionRow, type OptionRows, problemOf } from './option-draft.ts';
import { ownProblemOf } from './sections.ts';
import { SettingsBoard } from './settings-board.ts';

export interface Settings {
  readonly rows: OptionRows;
  readonly board: SettingsBoard;
  readonly isRoot: boolean;
}

const SettingsContext = createContext<Settings | undefined>(undefined);

export function SettingsProvider({ rows, children }: { rows: OptionRows; children: ReactNode }) {
  const [board] = useState(() => new SettingsBoard());
  const mayAll = isRoot(useUser());
  board.take(rows);
  useKeptDrafts(board, rows);
  const value = useMemo(() => ({ rows, board, isRoot: mayAll }), [rows, board, mayAll]);
  return <SettingsContext value={value}>{children}</SettingsContext>;
}

export function useSettings(): Settings {
  const settings = useContext(SettingsContext);
  if (!settings) throw new Error('outside of the settings page');
  return settings;
}

/** `useProblem()(key, draft)`: why a draft cannot be saved, in the page's words; undefined when it can. */
export function useProblem(): (key: OptionKey, draft: string | null) => string | undefined {
  const { t, i18n } = useTranslation(['settings-fields', 'components']);
  const language = i18n.language === 'en' ? 'en' : 'zh';
  return useCallback(
    (key, draft) => {
      const reason = problemOf(key, draft, language);
      if (reason === undefined) return undefined;
      const own = ownProblemOf(key, draft);
      if (own !== undefined) return t(`problem.${own}`);
      const isJson = optionTable[key].form === 'json' || optionTable[key].form === 'list';
      const mistake = isJson && draft !== null ? jsonMistake(draft) : undefined;
      return mistake ? t('components:json.mistake', { ...mistake }) : reason;
    },
    [t, language],
  );
}

export interface OptionHandle {
  readonly row: OptionRow;
  /** What the control shows: the draft, else the value in force. */
  readonly text: string;
  readonly draft: string | null | undefined;
  readonly isChanged: boolean;
  readonly isLocked: boolean;
  readonly isSaving: boolean;
  readonly complaint: string | undefined;
  readonly set: (draft: string | null | undefined) => void;
  /** Checks the text, once the field is left. */
  readonly check: () => void;
}

/** One option; undefined for one that the daemon does not know. */
export function useOption(key: OptionKey): OptionHandle | undefined {
  const { rows, board, isRoot: mayAll } = useSettings();
  const problem = useProblem();
  const draft = useSyncExternalStore(board.drafts.watch, () => board.drafts.get()[key]);
  const complaint = useSyncExternalStore(board.complaints.watch, () => board.complaints.get()[key]);
  const isSaving = useSyncExternalStore(board.saving.watch, () => board.saving.get().has(key));
  const row = rows.get(key);
  if (!row) return undefined;
  return {
    row,
    text: draft ?? row.value,
    draft,
    isChanged: isChanged(row, draft),
    isLocked: row.class === 'root' && !mayAll,
    isSaving,
    complaint,
    set: (next) => {
      board.setDraft(key, next);
      // Live once it is shown: the complaint goes or changes while the text is mended.
      if (complaint !== undefined) board.complain(key, next === undefined ? undefined : problem(key, next));
    },
    check: () => {
      const typed = board.drafts.get()[key];
      if (typed === undefined || typed === null || (isSecret(key) && typed === '')) return;
      board.complain(key, problem(key, typed));
    },
  };
}

/** The text of an option as it stands on the screen; "" for one that the daemon does not know. */
export function useOptionText(key: OptionKey): string {
  return useOption(key)?.text ?? '';
}
