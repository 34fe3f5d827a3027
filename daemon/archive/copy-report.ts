/** What is told of a copy when it is done. */
import type { TableTotals } from '../store/whole-tables.ts';
import type { CopyHead } from './table-copy.ts';

export interface CopyReport {
  /** RFC 3339: the data are as they stood then. */
  created_at: string;
  /** Version of the program that made the copy. */
  version: string;
  /** That the data came from. */
  engine: 'sqlite' | 'postgres';
  /** Rows by table. */
  tables: Record<string, number>;
  /** Sums of amounts by `table.column`, exact: they may be too large for a number. */
  sums: Record<string, string>;
}

/** A copy in a file. */
export interface FileReport extends CopyReport {
  bytes: number;
  /** Of the file. */
  sha256: string;
  secrets: 'encrypted' | 'none';
  excluded: readonly string[];
}

export function reportOf(head: CopyHead, tables: Readonly<Record<string, TableTotals>>): CopyReport {
  const entries = Object.entries(tables);
  return {
    created_at: new Date(head.createdAt * 1000).toISOString(),
    version: head.program,
    engine: head.engine,
    tables: Object.fromEntries(entries.map(([name, { rows }]) => [name, rows])),
    sums: Object.fromEntries(
      entries.flatMap(([name, { sums }]) => Object.entries(sums).map(([column, sum]) => [`${name}.${column}`, sum])),
    ),
  };
}
