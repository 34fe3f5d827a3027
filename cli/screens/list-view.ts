/** A list of a screen as somebody moves through it: the rows, and whether one of them is looked at closely. */
import { both } from '../language.ts';
import type { Desk } from './desk.ts';
import { besideWidth, type Size } from './layout.ts';
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
  /** What the keys do that every list has. */
  readonly actions;
  #isOpen = false;
  /** The keys that move are about what is known of the row, which is longer than its room. */
  #isInDetail = false;
  /** The detail is in view, and alone there. */
  #detail: 'hidden' | 'beside' | 'alone' = 'hidden';
  /** Its first line in view, and the last that may be the first. */
  #top = 0;
  #lastTop = 0;
  #height = 10;

  constructor({ keyOf, turned, moved, left }: ListViewDeps<Row>) {
    this.list = new ListState<Row>(keyOf);
    const rowMoved = () => {
      this.#top = 0;
      moved?.();
    };
    const moves = movesOf(this.list, { height: () => this.#height, turned, moved: rowMoved });
    const line = (by: number, move: () => void) => () => (this.#isScrolling ? this.#scroll(by) : move());
    // Where there is no list to be seen, pages are those of the detail.
    const page = (by: () => number, move: () => void) => () =>
      this.#isScrolling || this.#detail === 'alone' ? this.#scroll(by()) : move();
    this.actions = {
      up: line(-1, moves.up),
      down: line(1, moves.down),
      'page-up': page(() => -this.#height, moves['page-up']),
      'page-down': page(() => this.#height, moves['page-down']),
      first: line(Number.NEGATIVE_INFINITY, moves.first),
      last: line(Number.POSITIVE_INFINITY, moves.last),
      pane: () => {
        this.#isInDetail = !this.#isScrolling && this.#detail !== 'hidden';
      },
      open: () => {
        this.#isOpen = this.list.current !== undefined;
      },
      back: () => {
        if (this.#isScrolling) this.#isInDetail = false;
        else if (this.#isOpen) this.close();
        else left();
      },
    };
  }

  /** A row is looked at closely. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get #isScrolling(): boolean {
    return this.#isInDetail && this.#detail !== 'hidden';
  }

  close(): void {
    this.#isOpen = false;
    this.#isInDetail = false;
    this.#top = 0;
  }

  /** So many lines are there for the list; pages are as long. */
  fit(height: number): void {
    // Its heading, and where one is in it.
    this.#height = Math.max(1, height - 2);
    this.#detail = 'hidden';
  }

  lines(
    desk: Desk,
    { size, detail, columns }: Omit<DetailedList<Row>, 'isOpen'> & { readonly size: Size },
  ): readonly string[] {
    this.fit(size.height);
    const shown = (row: Row, width: number) => {
      this.#detail = size.width >= besideWidth ? 'beside' : 'alone';
      const lines = detail(row, width);
      return desk.isPlain ? lines : this.#inView(desk, lines, size.height);
    };
    return listWithDetail(desk, this.list, { columns, size, isOpen: this.#isOpen, detail: shown });
  }

  #scroll(by: number): void {
    this.#top = Math.max(0, Math.min(this.#top + by, this.#lastTop));
  }

  /** The lines that there is room for, and how many stand below them. */
  #inView({ say }: Desk, lines: readonly string[], height: number): readonly string[] {
    this.#lastTop = Math.max(0, lines.length - height);
    this.#scroll(0);
    const [first = '', ...rest] = lines.slice(this.#top, this.#top + height);
    const below = lines.length - this.#top - height;
    // A line may have come while the one with the number hides another.
    const more =
      below > 0 ? [` ${say(both(`${below + 1} more lines: Tab scrolls`, `还有 ${below + 1} 行：按 Tab 后滚动`))}`] : [];
    const marked = this.#isScrolling ? `>${first.slice(1)}` : first;
    return [marked, ...rest.slice(0, rest.length - more.length), ...more];
  }
}
