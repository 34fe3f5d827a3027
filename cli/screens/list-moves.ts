/** What the keys of every list do. */
import type { ListState } from './list-state.ts';

export interface MoveDeps {
  /** Rows in view. */
  readonly height: () => number;
  /** Told when another page is to be asked for. */
  readonly turned: () => void;
  readonly moved?: () => void;
}

/** Moves through a list, by the actions of the table of keys. */
export function movesOf<Row>(list: ListState<Row>, { height, turned, moved }: MoveDeps) {
  const after = (isTurned: boolean) => {
    if (isTurned) turned();
    moved?.();
  };
  return {
    up: () => after(list.move(-1)),
    down: () => after(list.move(1)),
    'page-up': () => after(list.move(-height())),
    'page-down': () => after(list.move(height())),
    first: () => after(list.goTo('first')),
    last: () => after(list.goTo('last')),
  };
}
