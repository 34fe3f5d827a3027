/** Which options a list of the kit draws: it draws all that it is given, also while it is closed. */
import type { ComboboxItem, ComboboxParsedItem, OptionsFilter } from '@mantine/core';
import i18next from 'i18next';

/** With thousands each key pressed on the page takes a second. */
const mostDrawn = 100;

/** Those with the text, up to as many as one looks through; one that cannot be chosen says how many more there are. */
export const boundedOptions: OptionsFilter = ({ options, search, limit }) => {
  const wanted = search.trim().toLowerCase();
  let room = Math.min(limit, mostDrawn);
  let left = 0;
  const taken = (items: readonly ComboboxItem[]) => {
    const found = items.filter(({ label }) => label.toLowerCase().includes(wanted));
    const drawn = found.slice(0, room);
    room -= drawn.length;
    left += found.length - drawn.length;
    return drawn;
  };
  const drawn = options.flatMap((option): ComboboxParsedItem[] => {
    if (!('group' in option)) return taken([option]);
    const items = taken(option.items);
    return items.length === 0 ? [] : [{ ...option, items }];
  });
  if (left === 0) return drawn;
  return [...drawn, { value: '\0more', label: i18next.t('frame:state.moreOptions', { n: left }), disabled: true }];
};
