/** Rows as CSV text (RFC 4180), safe to open in a spreadsheet. */
import { guardFormula } from '../../daemon/contract/spreadsheet-text.ts';

/** A text that a spreadsheet would run as a formula is marked as text; numbers are left alone. */
function field(value: string | number): string {
  const text = typeof value === 'string' ? guardFormula(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}
