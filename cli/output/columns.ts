/** How a resource becomes rows of text: columns for people and tables, fields for machines. */

/** One column of a table, tsv or csv. */
export interface Column<T> {
  /** Upper-case heading, e.g. `NAME`; also the name for `--columns`, in lower case. */
  heading: string;
  /** A number stays a number in csv; `undefined` and `null` print as nothing. */
  value(row: T): string | number | boolean | null | undefined;
  align?: 'left' | 'right';
  /**
   * Amounts, whose heading says so when a machine is told them in dollars; times, which a table says the zone of; words
   * of a closed set. What is no amount and no time in them, Chinese tables say in the words of `words.ts`. Dollars are
   * prices, which no `--money` makes units of: their numbers bear the sign in tables alone.
   */
  unit?: 'money' | 'dollars' | 'time' | 'word' | undefined;
  /** Heading of a Chinese table, where that of `headings.ts` means something else. */
  chinese?: string;
  /** A cell of a Chinese table, where `words.ts` means something else. */
  chineseCell?(text: string): string;
  /** Lower survives longer when the terminal is narrow; default 5. */
  priority?: number;
  /** One object, shown for people, goes without the line where it says nothing, unless it was asked for by name. */
  goesWhenEmpty?: boolean;
}

/** What a command prints. */
export interface View<T> {
  columns: readonly Column<T>[];
  /** JSON fields in order; default: all the row has. */
  fields?: readonly string[];
  /** What `-q` prints. */
  id(row: T): string | number;
  /** Members that hold JSON as text and come out as JSON unless `--raw`; by row where rows differ. */
  jsonMembers?: readonly string[] | ((row: T) => readonly string[]);
  /** Members never printed. */
  hidden?: readonly string[];
  /** Leaves times and amounts of JSON and YAML as they came, whatever `--time` and `--money` say. */
  verbatim?: boolean;
}

/** Text of a cell before any escaping. */
export function cellText(value: string | number | boolean | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}
