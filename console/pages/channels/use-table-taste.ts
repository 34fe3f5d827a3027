/** The switches of the table: sorting by id and gathering by tag are in the address and remembered, as is selecting. */
import { useEffect, useState } from 'react';
import * as z from 'zod/mini';
import type { ListState } from '../../api/use-list.ts';
import { readJson, writeJson } from '../../session/storage.ts';
import type { filterDefaults } from './use-channels.ts';

const storageKey = 'columns:channel-switches';

const Taste = z.object({
  id_sort: z.catch(z.boolean(), false),
  tag_mode: z.catch(z.boolean(), false),
  isBatch: z.catch(z.boolean(), true),
});
type Taste = z.infer<typeof Taste>;

function stored(): Taste {
  const parsed = z.safeParse(Taste, readJson(storageKey));
  return parsed.success ? parsed.data : { id_sort: false, tag_mode: false, isBatch: true };
}

export function useTableTaste(list: Pick<ListState<keyof typeof filterDefaults>, 'values' | 'setFilters'>) {
  const [taste, setTaste] = useState(stored);
  const { setFilters } = list;
  const isPlainAddress = Object.values(list.values).every((value) => value === '');
  // What was chosen last counts for whoever comes without a wish of his own; a pasted address shows what it says.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is opened
  useEffect(() => {
    if (isPlainAddress && (taste.id_sort || taste.tag_mode)) {
      setFilters({ id_sort: taste.id_sort ? 'true' : '', tag_mode: taste.tag_mode ? 'true' : '' });
    }
  }, []);
  const remember = (next: Taste) => {
    writeJson(storageKey, next);
    setTaste(next);
  };
  return {
    isBatch: taste.isBatch,
    setBatch: (isBatch: boolean) => remember({ ...taste, isBatch }),
    setSwitch: (key: 'id_sort' | 'tag_mode', isOn: boolean) => {
      setFilters({ [key]: isOn ? 'true' : '' });
      remember({ ...taste, [key]: isOn });
    },
  };
}
