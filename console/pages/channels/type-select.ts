/** The types of a channel as the select and the filters list them: in groups, found by label, number and alias. */

import { type ChannelType, channelTypes, findChannelType } from '../../../daemon/contract/channel-types.ts';
import type { Language } from '../../../daemon/contract/error-codes.ts';
import { specialFieldsOf, type TypeGroup, typeGroups } from './special-fields.ts';

/** The name of a type; its number where it is not known. */
export function typeLabel(type: number, language: Language): string {
  return findChannelType(type)?.label[language] ?? String(type);
}

/** The types of each group, in the order of their numbers. */
export function groupedTypes(): { readonly group: TypeGroup; readonly types: readonly ChannelType[] }[] {
  return typeGroups.map((group) => ({
    group,
    types: channelTypes.filter(({ type }) => specialFieldsOf(type).group === group),
  }));
}

/** True where every word of the search is in the label of either language, the number, the name or an alias. */
export function matchesType(type: number, search: string): boolean {
  const known = findChannelType(type);
  const aliases = specialFieldsOf(type).aliases ?? [];
  const words = [String(type), known?.name ?? '', known?.label.en ?? '', known?.label.zh ?? '', ...aliases];
  const text = words.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
