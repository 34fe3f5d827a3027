/** Where somebody is in a list: the row, what is in view, what is marked; kept by the rows' keys when the list changes. */

type RowKey = string | number;

/** Rows asked for at once. */
export const pageRows = 100;

export class ListState<Row> {
  readonly #keyOf: (row: Row) => RowKey;
  #rows: readonly Row[] = [];
  #at = 0;
  #top = 0;
  #wanted: RowKey | undefined;
  #isAsked = true;
  /** How often another page or list was asked for. */
  #asked = 0;
  /** Rows of the whole list on the server. */
  total = 0;
  /** Counted from 1. */
  page = 1;
  /** Rows that are there. */
  readonly marked = new Set<RowKey>();

  constructor(keyOf: (row: Row) => RowKey) {
    this.#keyOf = keyOf;
  }

  /** The rows have not come yet: that there are none is not known. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  get current(): Row | undefined {
    return this.#rows[this.#at];
  }

  /** What an action is about: the marked rows, else the one it stands on. */
  get chosen(): readonly Row[] {
    const marked = this.#rows.filter((row) => this.marked.has(this.#keyOf(row)));
    if (marked.length > 0) return marked;
    return this.current === undefined ? [] : [this.current];
  }

  /** Takes rows that came, and stays on the row it was on where that is still there. */
  show(rows: readonly Row[], total = rows.length): void {
    const before = this.#wanted ?? (this.current === undefined ? undefined : this.#keyOf(this.current));
    this.#wanted = undefined;
    const found = rows.findIndex((row) => this.#keyOf(row) === before);
    this.#isAsked = false;
    this.#rows = rows;
    const keys = new Set(rows.map(this.#keyOf));
    for (const key of this.marked) if (!keys.has(key)) this.marked.delete(key);
    this.total = total;
    this.#at = Math.max(0, Math.min(found < 0 ? this.#at : found, rows.length - 1));
  }

  /** Takes the rows of what is asked for now; an answer that comes after another page or list was asked for is dropped. */
  taking(): (rows: readonly Row[], total?: number) => void {
    const asked = this.#asked;
    return (rows, total) => {
      if (asked === this.#asked) this.show(rows, total);
    };
  }

  /** Stands on this row once the list is shown again. */
  want(key: RowKey): void {
    this.#wanted = key;
  }

  /** Puts a changed row into the place of the one before. */
  replace(row: Row): void {
    const key = this.#keyOf(row);
    this.#rows = this.#rows.map((known) => (this.#keyOf(known) === key ? row : known));
  }

  /** Goes back to the beginning of another list. */
  restart(): void {
    this.#asked += 1;
    this.#at = 0;
    this.#top = 0;
    this.page = 1;
    this.marked.clear();
  }

  /** Moves by rows; true where that leads to another page, which is then to be asked for. */
  move(by: number): boolean {
    // Of a page that has not come nobody has seen a row: a key that is held down would go past it.
    if (this.#isTurning) return false;
    const to = this.#at + by;
    if (to >= this.#rows.length && !this.#isWhole && this.page * pageRows < this.total) return this.#turn(1, 0);
    if (to < 0 && this.page > 1) return this.#turn(-1, pageRows - 1);
    this.#at = Math.max(0, Math.min(to, this.#rows.length - 1));
    return false;
  }

  /** Goes to the first or last row of the whole list; true where that is on another page. */
  goTo(end: 'first' | 'last'): boolean {
    const page = end === 'first' ? 1 : Math.max(1, Math.ceil(this.total / pageRows));
    const at = end === 'first' ? 0 : pageRows - 1;
    if (page === this.page || this.#isWhole) {
      this.#at = end === 'first' ? 0 : this.#isTurning ? at : Math.max(0, this.#rows.length - 1);
      return false;
    }
    return this.#turn(page - this.page, at);
  }

  /** Nothing of the list is on another page. */
  get #isWhole(): boolean {
    return this.page === 1 && this.#rows.length >= this.total;
  }

  /** Another page was asked for, and has not come. */
  get #isTurning(): boolean {
    return this.#isAsked && this.#rows.length === 0;
  }

  #turn(pages: number, at: number): boolean {
    this.#asked += 1;
    this.page += pages;
    this.#at = at;
    this.#top = 0;
    // What is marked is what an action is about: of rows that are gone from view that cannot be so.
    this.marked.clear();
    // The rows of the page before are no longer what is asked for.
    this.#rows = [];
    this.#isAsked = true;
    return true;
  }

  /** Marks the row, or takes its mark away, and goes on to the next one of the page. */
  mark(): void {
    if (this.current === undefined) return;
    const key = this.#keyOf(this.current);
    if (!this.marked.delete(key)) this.marked.add(key);
    this.#at = Math.min(this.#at + 1, this.#rows.length - 1);
  }

  /** Marks every row, or none where all are. */
  markAll(): void {
    const keys = this.#rows.map(this.#keyOf);
    const isAll = keys.every((key) => this.marked.has(key));
    this.marked.clear();
    if (!isAll) for (const key of keys) this.marked.add(key);
  }

  /** The rows in view, and whether one is stood on or marked. */
  inView(height: number): readonly { readonly row: Row; readonly isCurrent: boolean; readonly isMarked: boolean }[] {
    this.#top = Math.max(0, Math.min(this.#top, this.#rows.length - height));
    if (this.#at < this.#top) this.#top = this.#at;
    if (this.#at >= this.#top + height) this.#top = this.#at - height + 1;
    return this.#rows.slice(this.#top, this.#top + height).map((row, index) => ({
      row,
      isCurrent: this.#top + index === this.#at,
      isMarked: this.marked.has(this.#keyOf(row)),
    }));
  }
}
