/** Rows for machines: tab-separated and comma-separated lines, and JSON with the published field names. */
import { stringify as csvLine } from 'csv-stringify/sync';
import { type Column, cellText, type View } from './columns.ts';

const tsvEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** One tab-separated line without its line feed. */
export function tsvLine(values: readonly (string | number | boolean | null | undefined)[]): string {
  return values.map((value) => cellText(value).replace(/[\\\t\n\r]/g, (char) => tsvEscapes[char] ?? char)).join('\t');
}

export interface CsvChoices {
  /** Leaves text that a spreadsheet would run as a formula as it is. */
  formulas: 'guarded' | 'raw';
}

/** One comma-separated line (RFC 4180) with its line end. */
export function csvRow(values: readonly (string | number | boolean | null | undefined)[], choices: CsvChoices): string {
  const guarded = values.map((value) =>
    choices.formulas === 'guarded' && typeof value === 'string' && /^[=+\-@\t\r]/.test(value)
      ? `'${value}`
      : cellText(value),
  );
  return csvLine([guarded], { record_delimiter: 'windows' });
}

/** Values of one row, in column order. */
export function rowValues<T>(row: T, columns: readonly Column<T>[]): (string | number | boolean | null | undefined)[] {
  return columns.map((column) => column.value(row));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return text === '' ? null : text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The row as JSON prints it: hidden members out, JSON texts opened, the chosen fields in order. */
export function jsonRow<T>(
  row: T,
  view: Pick<View<T>, 'jsonMembers' | 'hidden'>,
  choices: { fields?: readonly string[] | undefined; raw: boolean },
): unknown {
  if (!isRecord(row)) return row;
  const hidden = new Set([...(view.hidden ?? []), 'password', 'access_token']);
  const texts = typeof view.jsonMembers === 'function' ? view.jsonMembers(row) : view.jsonMembers;
  const opened = new Set(choices.raw ? [] : texts);
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (!hidden.has(name)) all[name] = opened.has(name) ? parsed(value) : value;
  }
  if (choices.fields === undefined) return all;
  const chosen: Record<string, unknown> = {};
  for (const path of choices.fields) {
    let value: unknown = all;
    for (const part of path.split('.')) value = isRecord(value) ? value[part] : undefined;
    chosen[path] = value ?? null;
  }
  return chosen;
}
