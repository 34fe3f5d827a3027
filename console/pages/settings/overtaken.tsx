/** Asks before what somebody else saved meanwhile is saved over (console.md 1.3). Loaded when that has happened. */
import i18next from 'i18next';
import type { ReactNode } from 'react';
import type { ListedOption } from '../../../daemon/contract/options.ts';
import { confirm } from '../../components/confirm.tsx';
import type { OptionRow } from './option-draft.ts';
import type { OptionChange } from './save-plan.ts';
import type { SettingsBoard } from './settings-board.ts';
import { ChangedOption } from './unsaved-dialog.tsx';

export interface Overtaking {
  /** The options that were changed, as they are now. */
  readonly rows: readonly Pick<ListedOption, 'updated_by'>[];
  readonly text: ReactNode;
  /** Drops what was typed over what others saved; the rest is then saved. */
  readonly takeTheirs: () => void;
}

export function askToOverwrite({ rows, text, takeTheirs }: Overtaking): Promise<boolean> {
  const t = i18next.getFixedT(null, 'settings');
  const names = [...new Set(rows.map(({ updated_by }) => updated_by || '-'))].join(', ');
  return confirm({
    kind: 'danger',
    title: t('overtaken.title', { names }),
    text,
    verb: t('overtaken.verb'),
    otherwise: { verb: t('overtaken.takeTheirs'), act: takeTheirs },
  });
}

export interface OvertakenChange {
  readonly change: OptionChange;
  /** As it is now. */
  readonly row: OptionRow;
}

/** True when saving may go on, with what is still drafted. */
export async function mayOverwrite(board: SettingsBoard, overtaken: readonly OvertakenChange[]): Promise<boolean> {
  const rows = overtaken.map(({ row }) => row);
  const isSure = await askToOverwrite({
    rows,
    text: overtaken.map(({ change, row }) => <ChangedOption key={change.key} change={change} before={row.value} />),
    takeTheirs: () => board.forget(rows.map(({ key }) => key)),
  });
  // Told once: what is saved next is meant to replace it.
  if (!isSure) for (const { key, value } of rows) board.bases.set(key, value);
  return isSure;
}
