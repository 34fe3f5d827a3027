/** Which options a list of the kit draws: it draws all that it is given, also while it is closed. */
import type { ComboboxItem, ComboboxParsedItem, OptionsFilter } from '@mantine/core';
import i18next from 'i18next';

/** With thousands each key pressed on the page takes a second. */
const mostDrawn = 100;

/** Those with the text, up to as many as one looks through; one that cannot be chosen says how many more there are. */
export const boundedOptions: OptionsFilter = ({ options, search, limit }) => {
  const wanted = search.trim().toLowerCase();
  /** Below zero by those that are left out. */
  let room = Math.min(limit, mostDrawn);
  const taken = (items: readonly ComboboxItem[]) =>
    items.filter(({ label }) => {
      if (!label.toLowerCase().includes(wanted)) return false;
      room -= 1;
      return room >= 0;
    });
  const drawn = options.flatMap((option): ComboboxParsedItem[] => {
    if (!('group' in option)) return taken([option]);
    const items = taken(option.items);
    return items.length === 0 ? [] : [{ ...option, items }];
  });
  if (room >= 0) return drawn;
  return [...drawn, { value: '\0more', label: i18next.t('frame:state.moreOptions', { n: -room }), disabled: true }];
};
