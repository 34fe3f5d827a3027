/** Asks before prices that somebody else set meanwhile are replaced. Loaded when that has happened. */
import i18next from 'i18next';
import { DiffView } from '../../../components/diff-view.tsx';
import type { OptionRows } from '../option-draft.ts';
import { askToOverwrite } from '../overtaken.tsx';
import { type OvertakenFigure, optionOf } from './price-entry.ts';

export function mayReplace(overtaken: readonly OvertakenFigure[], rows: OptionRows): Promise<boolean> {
  const t = i18next.getFixedT(null, 'settings-prices');
  const changed = overtaken.flatMap(({ figure }) => rows.get(optionOf[figure]) ?? []);
  const shown = overtaken.map(({ name, figure, theirs, mine }) => ({
    name: `${name} · ${t(`column.${figure}`)}`,
    ...(theirs === undefined ? {} : { before: theirs }),
    ...(mine === undefined ? {} : { after: mine }),
  }));
  return askToOverwrite(changed, <DiffView kind="rows" label={t('tab.visual')} rows={shown} />);
}
