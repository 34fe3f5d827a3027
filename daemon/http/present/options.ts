/** Options as administrators see them. */
import { type ListedOption, optionTable } from '../../contract/options.ts';
import type { OptionRow } from '../../domain/options.ts';

export function presentOption({ key, value, set, defaultText, isChanged, lastChange }: OptionRow): ListedOption {
  return {
    key,
    value,
    ...(set === undefined ? {} : { set }),
    default: defaultText,
    changed: isChanged,
    class: optionTable[key].class,
    section: optionTable[key].section,
    updated_at: lastChange?.updatedAt ?? 0,
    updated_by: lastChange?.actorName ?? '',
  };
}
