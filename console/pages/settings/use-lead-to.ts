/**
 * `useLeadTo()(key)`: puts the user in front of an option that needs a look, wherever its field is: the bar of unsaved
 * changes saves all tabs, and on phones sections are folded up.
 */
import { useCallback } from 'react';
import { useNavigate } from 'react-router-dom';
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { placeOf } from './sections.ts';

export function useLeadTo(): (key: OptionKey) => void {
  const navigate = useNavigate();
  return useCallback(
    (key) => {
      const field = document.getElementById(`option-${key}`);
      const section = placeOf(key)?.section;
      if (field) field.querySelector<HTMLElement>('input:not([type=hidden]), textarea')?.focus();
      else if (section) navigate(`?tab=${section.tab}&section=${section.id}&option=${encodeURIComponent(key)}`);
    },
    [navigate],
  );
}
