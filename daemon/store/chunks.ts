/** Long lists in portions that one statement can carry. */

/** Knex writes an insert of several rows as a compound select on SQLite, which takes 500 terms and 32,766 values. */
const ROWS_OF_AN_INSERT = 400;

/** The list in portions of at most 400; an empty list has none. */
export function* insertChunks<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += ROWS_OF_AN_INSERT) yield items.slice(from, from + ROWS_OF_AN_INSERT);
}
