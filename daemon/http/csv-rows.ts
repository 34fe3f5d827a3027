/** CSV with a heading line as rows of texts by member. */
import { parse } from 'csv-parse/sync';
import { unguardFormula } from '../contract/spreadsheet-text.ts';

/** Undefined for what is no CSV. Cells guarded against spreadsheets, `'=…`, lose their guard. */
export function readCsvRows(text: string): Record<string, string>[] | undefined {
  const lines = readLines(text);
  const [heading, ...rows] = lines ?? [];
  if (heading === undefined || heading.some((name) => name.trim() === '')) return undefined;
  return rows.map((cells) =>
    Object.fromEntries(heading.map((name, index) => [name.trim(), unguardFormula(cells[index] ?? '')])),
  );
}

function readLines(text: string): string[][] | undefined {
  try {
    return parse(text, { bom: true, skipEmptyLines: true });
  } catch {
    // Whatever is wrong with it, it is not CSV; where, its author sees best.
    return undefined;
  }
}
