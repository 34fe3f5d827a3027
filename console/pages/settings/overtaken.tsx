/** Asks before what somebody else saved meanwhile is saved over (console.md 1.3). Loaded when that has happened. */
import i18next from 'i18next';
import type { ReactNode } from 'react';
import type { ListedOption } from '../../../daemon/contract/options.ts';
import { confirm } from '../../components/confirm.tsx';
import type { OptionChange } from './save-plan.ts';
import { ChangedOption } from './unsaved-dialog.tsx';

/** @param rows the options that were changed, as they are now */
export function askToOverwrite(rows: readonly Pick<ListedOption, 'updated_by'>[], text: ReactNode): Promise<boolean> {
  const t = i18next.getFixedT(null, 'settings');
  const names = [...new Set(rows.map(({ updated_by }) => updated_by || '-'))].join(', ');
  return confirm({ kind: 'danger', title: t('overtaken.title', { names }), text, verb: t('overtaken.verb') });
}

export interface OvertakenChange {
  readonly change: OptionChange;
  /** As it is now. */
  readonly row: ListedOption;
}

export function mayOverwrite(overtaken: readonly OvertakenChange[]): Promise<boolean> {
  return askToOverwrite(
    overtaken.map(({ row }) => row),
    overtaken.map(({ change, row }) => <ChangedOption key={change.key} change={change} before={row.value} />),
  );
}
