/** Parts of long lists: by offset, as the published lists count, or by key, which stays fast however far one reads. */
import type { Knex } from 'knex';

/** `offset` rows are skipped, at most `limit` returned. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

export interface Page<Item> {
  readonly items: Item[];
  /** Rows of all pages together. */
  readonly total: number;
}

/** Rows with a smaller id than `beforeId`, newest first; undefined starts at the newest. */
export interface Keyset {
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** How many rows the query finds for each text of the column. */
export async function countRowsBy(query: Knex.QueryBuilder, column: string): Promise<Map<string, number>> {
  const rows: { text: string; total: number | string }[] = await query
    .groupBy(column)
    .select({ text: column })
    .count({ total: '*' });
  return new Map(rows.map(({ text, total }) => [text, Number(total)]));
}

/** How many rows the query finds. */
export async function countRows(query: Knex.QueryBuilder): Promise<number> {
  const row: { total: number | string } | undefined = await query.clone().count({ total: '*' }).first();
  return Number(row?.total ?? 0);
}
