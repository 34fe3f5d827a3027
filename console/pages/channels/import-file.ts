/** What a file of channels says: rows of JSON or NDJSON, or CSV, which the daemon reads. */
import * as z from 'zod/mini';
import { ImportRow } from '../../../daemon/contract/channel-transfer.ts';

export type ImportSource = { readonly channels: ImportRow[] } | { readonly csv: string };

const Rows = z.array(ImportRow);
const Wrapped = z.object({ channels: Rows });

/** Undefined for a text that is none of them. */
export function importSourceOf(text: string): ImportSource | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!/^[[{]/.test(trimmed)) return trimmed.split('\n', 1)[0]?.includes(',') ? { csv: trimmed } : undefined;
  const value = parse(trimmed) ?? lines(trimmed);
  for (const candidate of [value, [value]]) {
    const rows = z.safeParse(Rows, candidate);
    if (rows.success && !isWrapped(value)) return { channels: rows.data };
  }
  const wrapped = z.safeParse(Wrapped, value);
  return wrapped.success ? wrapped.data : undefined;
}

function isWrapped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'channels' in value;
}

function lines(text: string): unknown {
  const rows = text.split('\n').filter((line) => line.trim() !== '');
  const values = rows.map(parse);
  return values.includes(undefined) ? undefined : values;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
