/** Asks before prices that somebody else set meanwhile are replaced. Loaded when that has happened. */
import i18next from 'i18next';
import { DiffView } from '../../../components/diff-view.tsx';
import type { OptionRows } from '../option-draft.ts';
import { askToOverwrite } from '../overtaken.tsx';
import type { SettingsBoard } from '../settings-board.ts';
import { type OvertakenFigure, optionOf } from './price-entry.ts';

/** True when the edits may be applied that there still are: a model whose price gave way has none. */
export function mayReplace(
  board: SettingsBoard,
  overtaken: readonly OvertakenFigure[],
  rows: OptionRows,
): Promise<boolean> {
  const t = i18next.getFixedT(null, 'settings-prices');
  const changed = overtaken.flatMap(({ figure }) => rows.get(optionOf[figure]) ?? []);
  const shown = overtaken.map(({ name, figure, theirs, mine }) => ({
    name: `${name} · ${t(`column.${figure}`)}`,
    ...(theirs === undefined ? {} : { before: theirs }),
    ...(mine === undefined ? {} : { after: mine }),
  }));
  const names = new Set(overtaken.map(({ name }) => name));
  return askToOverwrite({
    rows: changed,
    text: <DiffView kind="rows" label={t('tab.visual')} rows={shown} />,
    takeTheirs: () => board.priceEdits.set(new Map([...board.priceEdits.get()].filter(([name]) => !names.has(name)))),
  });
}
