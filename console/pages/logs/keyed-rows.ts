/** Own rows have no id of their own (management-api.md 3.14), and the tools of a call have rows with its request id. */
import type { LogView } from '../../../daemon/contract/logs.ts';

/** Each row with a key that stays the same while rows come in above it; a row that came twice is told once. */
export function keyedRows(rows: readonly LogView[]): readonly (LogView & { readonly key: string })[] {
  const seen = new Map<string, number>();
  const told = new Set<string>();
  return rows.flatMap((row) => {
    const same = JSON.stringify([row.request_id, row.id, row.created_at, row.content, row.quota]);
    if (row.request_id !== '' && told.has(same)) return [];
    told.add(same);
    const name = row.request_id === '' ? `${row.created_at}:${row.id}` : `${row.request_id}:${row.content}`;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return [{ ...row, key: count === 0 ? name : `${name}:${count}` }];
  });
}
