/**
 * The browser's Back and Forward, held while a page has unsaved work. The router hears of them from the window, whose
 * listeners are called in the order in which they came, so ours has to be there before it.
 */
export interface ShownEntry {
  /** Among the entries of the tab; undefined for one that the router did not make. */
  readonly index: number | undefined;
  readonly pathname: string;
}

type Hold = (event: PopStateEvent) => void;

/** The last of them is asked: a dialog may hold what lies over a page that does. */
const holds: Hold[] = [];

/** Called once, before the router is mounted. */
export function watchHistory(): void {
  window.addEventListener('popstate', (event) => holds.at(-1)?.(event));
}

/** The entry that the address bar shows; the router writes its place into its state. */
export function currentEntry(): ShownEntry {
  return { index: indexOf(window.history.state), pathname: window.location.pathname };
}

function indexOf(state: unknown): number | undefined {
  const index = state instanceof Object && 'idx' in state ? state.idx : undefined;
  return typeof index === 'number' ? index : undefined;
}

/**
 * The browser has gone by the time it tells: it is led back unseen, and goes again once `ask` resolves to true.
 * @param shown the entry that the page on screen belongs to
 * @returns lets go
 */
export function holdHistory(shown: () => ShownEntry, ask: () => Promise<boolean>): () => void {
  let isReturning = false;
  let isAsked = false;
  let isFree = false;
  const leave = async (steps: number) => {
    if (isAsked) return;
    isAsked = true;
    isFree = await ask();
    isAsked = false;
    if (isFree) window.history.go(steps);
  };
  const own: Hold = (event) => {
    if (isFree) return;
    if (isReturning) {
      isReturning = false;
      event.stopImmediatePropagation();
      return;
    }
    const { index, pathname } = shown();
    const next = indexOf(event.state);
    // A tab or a filter of the same page takes nothing away.
    if (index === undefined || next === undefined || next === index || window.location.pathname === pathname) return;
    event.stopImmediatePropagation();
    isReturning = true;
    window.history.go(index - next);
    void leave(next - index);
  };
  holds.push(own);
  return () => {
    holds.splice(holds.indexOf(own), 1);
  };
}
