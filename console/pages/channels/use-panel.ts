/** The panel over the list, in the address: `panel=keys-7`. */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router-dom';

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
  const [search, setSearch] = useSearchParams();
  const text = search.get(parameter) ?? '';
  const panel = useMemo(() => {
    const [word, id] = text.split('-');
    const name = panels.find((known) => known === word);
    const number = Number(id);
    return name && { name, id: Number.isSafeInteger(number) && number > 0 ? number : undefined };
  }, [text]);
  const open = useCallback<OpenPanel>(
    (name, id) =>
      setSearch(
        (now) => {
          const next = new URLSearchParams(now);
          next.set(parameter, id === undefined ? name : `${name}-${id}`);
          return next;
        },
        { preventScrollReset: true },
      ),
    [setSearch],
  );
  const close = useCallback(() => {
    // Another one may have been opened while this one was closing.
    if (new URLSearchParams(window.location.search).get(parameter) !== text) return;
    setSearch(
      (now) => {
        const next = new URLSearchParams(now);
        next.delete(parameter);
        next.delete('explain');
        return next;
      },
      // In place of the panel's address, so that Back does not open it again.
      { preventScrollReset: true, replace: true },
    );
  }, [setSearch, text]);
  return { panel, open, close };
}
