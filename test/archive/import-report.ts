/** What `import` says: its table, and the report that it writes. */
import { readFileSync } from 'node:fs';
import type { Ended } from '../support/command-line.ts';

/** Kind, then found, new, skipped, failed and sum. */
export function countsOf({ stdout }: Ended): string[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t').join(' '));
}

interface Report {
  readonly written: boolean;
  readonly rows: readonly { kind: string; id: number | string; outcome: string; reason: string; field?: string }[];
  readonly ignored_columns: Readonly<Record<string, readonly string[]>>;
}

/** Every row that was not taken as it was, on a line. */
export function rowsOf(path: string): string[] {
  const report: Report = JSON.parse(readFileSync(path, 'utf8'));
  return report.rows.map(({ kind, id, outcome, reason, field }) => [kind, id, outcome, reason, field].join(' ').trim());
}
