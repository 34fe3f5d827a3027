/** Gives the user a file that was made on the page. */
import { csvText } from './csv.ts';

export function downloadFile(name: string, content: BlobPart, type: string): void {
  const link = document.createElement('a');
  const address = URL.createObjectURL(new Blob([content], { type }));
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param rows the first one holds the titles */
export function downloadCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  // The mark at the start tells spreadsheets that the text is UTF-8.
  downloadFile(`${name}.csv`, `\uFEFF${csvText(rows)}`, 'text/csv;charset=utf-8');
}
