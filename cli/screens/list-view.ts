/** A list of a screen as somebody moves through it: the rows, and whether one of them is looked at closely. */
import type { Desk } from './desk.ts';
import type { Size } from './layout.ts';
import { type DetailedList, listWithDetail } from './list-lines.ts';
import { movesOf } from './list-moves.ts';
import { ListState } from './list-state.ts';

export interface ListViewDeps<Row> {
  readonly keyOf: (row: Row) => string | number;
  /** Told when another page is to be asked for. */
  readonly turned: () => void;
  readonly moved?: () => void;
  /** Told when somebody goes back, and no row is open. */
  readonly left: () => void;
}

export class ListView<Row> {
  readonly list: ListState<Row>;
  isOpen = false;
  /** What the keys do that every list has. */
  readonly actions;
  #height = 10;

  constructor({ keyOf, turned, moved, left }: ListViewDeps<Row>) {
    this.list = new ListState<Row>(keyOf);
    this.actions = {
      ...movesOf(this.list, { height: () => this.#height, turned, ...(moved === undefined ? {} : { moved }) }),
      open: () => {
        this.isOpen = this.list.current !== undefined;
      },
      back: () => {
        if (this.isOpen) this.isOpen = false;
        else left();
      },
    };
  }

  /** So many lines are there for the list; pages are as long. */
  fit(height: number): void {
    // Its heading, and where one is in it.
    this.#height = Math.max(1, height - 2);
  }

  lines(
    desk: Desk,
    { size, ...wishes }: Omit<DetailedList<Row>, 'isOpen'> & { readonly size: Size },
  ): readonly string[] {
    this.fit(size.height);
    return listWithDetail(desk, this.list, { ...wishes, size, isOpen: this.isOpen });
  }
}
