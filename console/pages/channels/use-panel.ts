/** The panel over the list, in the address: `panel=keys-7`. */
import { useCallback, useMemo } from 'react';
import { useAddress, withMembers } from '../../api/use-address.ts';

const panels = ['test', 'history', 'keys', 'why'] as const;
export type PanelName = (typeof panels)[number];

export interface Panel {
  readonly name: PanelName;
  /** Undefined for a panel about no channel in particular. */
  readonly id: number | undefined;
}

export type OpenPanel = (name: PanelName, id?: number) => void;

const parameter = 'panel';

export function usePanel(): {
  readonly panel: Panel | undefined;
  readonly open: OpenPanel;
  readonly close: () => void;
} {
  const [search, setAddress] = useAddress();
  const text = search.get(parameter) ?? '';
  const panel = useMemo(() => {
    const [word, id] = text.split('-');
    const name = panels.find((known) => known === word);
    const number = Number(id);
    return name && { name, id: Number.isSafeInteger(number) && number > 0 ? number : undefined };
  }, [text]);
  const open = useCallback<OpenPanel>(
    (name, id) => setAddress((now) => withMembers(now, { [parameter]: id === undefined ? name : `${name}-${id}` })),
    [setAddress],
  );
  const close = useCallback(() => {
    // Another one may have been opened while this one was closing.
    if (new URLSearchParams(window.location.search).get(parameter) !== text) return;
    // In place of the panel's address, so that Back does not open it again.
    setAddress((now) => withMembers(now, { [parameter]: '', explain: '' }), { replace: true });
  }, [setAddress, text]);
  return { panel, open, close };
}
