/** How the dialog calls what a refusal of the server names: by the numbers and labels that it shows, not by a path. */
import type { TFunction } from 'i18next';
import { modes, type OverrideRow, refusalNames, shownPlace } from './override-rows.ts';

/** The label of a member of a condition, as a key of the texts. */
const conditionLabels = {
  path: 'conditionPath',
  mode: 'comparison',
  value: 'valueJson',
  invert: 'invert',
  pass_missing_key: 'passMissing',
} as const;

/** The text of a refusal as the dialog would have it. @param field the member that it names */
export function inLabels(text: string, field: string, rows: readonly OverrideRow[], t: TFunction<'override'>): string {
  const shown = shownPlace(field);
  if (shown === undefined) return text;
  const { operation, condition, member } = shown;
  const row = rows[operation - 1];
  const words = [
    t('operation', { place: operation }),
    condition === undefined ? '' : t('condition', { place: condition }),
    (condition === undefined ? labelOf(row, member, t) : conditionLabel(row, member, t)) ?? member,
  ];
  return text.replace(field, () => words.filter((word) => word !== '').join(' · '));
}

function conditionLabel(row: OverrideRow | undefined, member: string, t: TFunction<'override'>): string | undefined {
  const label = Object.entries(conditionLabels).find(([name]) => name === member)?.[1];
  return row?.kind !== 'operation' || label === undefined ? undefined : t(label);
}

/** Undefined for what has no field of its own, and for an operation that is shown as JSON. */
function labelOf(row: OverrideRow | undefined, member: string, t: TFunction<'override'>): string | undefined {
  if (row?.kind !== 'operation') return undefined;
  const { path, ends, value }: { path?: string; ends?: string; value?: string } = modes[row.mode];
  const refused = refusalNames.find((name) => member === `value.${name}`);
  if (refused !== undefined) return t(`refusal.${refused}`);
  switch (member) {
    case 'mode':
      return t('mode');
    case 'path':
      return t(path === 'name' ? 'header' : 'path');
    case 'from':
      if (ends === 'paths') return t('fromPath');
      return t(row.mode === 'regex_replace' ? 'find.pattern' : 'find.text');
    case 'to':
      return t(ends === 'paths' ? 'toPath' : 'replacement');
    case 'value':
      return t(value === 'json' ? 'valueJson' : 'value');
    default:
      return undefined;
  }
}
