/** What a file of channels says: rows of JSON or NDJSON, or CSV, which the daemon reads. */
import * as z from 'zod/mini';
import { ImportRow } from '../../../daemon/contract/channel-transfer.ts';
import { jsonMistake } from '../../components/json-position.ts';

export type ImportSource = { readonly channels: ImportRow[] } | { readonly csv: string };

/** Why a text is no file of channels; all places count from 1. */
export type ImportFault =
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'json'; readonly line: number; readonly column: number }
  | { readonly kind: 'member'; readonly row: number; readonly member: string };

const Rows = z.array(ImportRow);

export function readImport(text: string): ImportSource | ImportFault {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) {
    return trimmed.split('\n', 1)[0]?.includes(',') ? { csv: trimmed } : { kind: 'unreadable' };
  }
  const value = parse(trimmed);
  return value === undefined ? rowsOfLines(text.replace('\ufeff', '')) : rowsOf(value);
}

function rowsOf(value: unknown): ImportSource | ImportFault {
  const rows = Array.isArray(value) ? value : isWrapped(value) ? value.channels : [value];
  const read = z.safeParse(Rows, rows);
  if (read.success) return { channels: read.data };
  const [row, ...member] = read.error.issues[0]?.path ?? [];
  return typeof row === 'number' && member.length > 0
    ? { kind: 'member', row: row + 1, member: member.map(String).join('.') }
    : { kind: 'unreadable' };
}

function isWrapped(value: unknown): value is { readonly channels: unknown } {
  return typeof value === 'object' && value !== null && 'channels' in value;
}

/** A row in each line, or where the text stops being JSON: in one of its lines if the first of them is whole. */
function rowsOfLines(text: string): ImportSource | ImportFault {
  const values: unknown[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const mistake = jsonMistake(line.trimEnd());
    if (mistake === undefined) values.push(JSON.parse(line));
    else if (values.length > 0) return { kind: 'json', line: index + 1, column: mistake.column };
    else return { kind: 'json', line: 1, column: 1, ...jsonMistake(text.trimEnd()) };
  }
  return rowsOf(values);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
