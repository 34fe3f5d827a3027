/** Files that are sent row by row, as the rows are read. */
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import type { FileAnswer } from '../../contract/endpoint.ts';
import { fileTypes } from '../../contract/file-types.ts';
import { guardFormula } from '../../contract/spreadsheet-text.ts';

const endings = { text: 'txt', csv: 'csv', json: 'json', ndjson: 'ndjson' } as const;

/** The file as a download. @param name without its ending */
export function rowFile(name: string, format: keyof typeof endings, body: AsyncGenerator<string>): FileAnswer {
  return { contentType: `${fileTypes[format]}; charset=utf-8`, fileName: `${name}.${endings[format]}`, body };
}

/** Rows that are made into text without a break. A thousand of them hold a loaded machine for most of 100 ms. */
const pieceRows = 25;

/** The rows of the pages in small pieces; calls and whatever else waits have their turn between two of them. */
export async function* inPieces<Row>(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += pieceRows) {
      yield page.slice(from, from + pieceRows);
      await turnOfLoop();
    }
  }
}

/** What a table shows of its rows: as objects, and cell by cell in the order of the columns. */
interface Table<Row, View> {
  readonly present: (row: Row) => View;
  readonly columns: readonly string[];
  readonly cells: (view: View) => readonly (string | number)[];
}

export function tableBody<Row, View>(
  pages: AsyncIterable<readonly Row[]>,
  format: 'csv' | 'ndjson',
  table: Table<Row, View>,
): AsyncGenerator<string> {
  return format === 'csv' ? csvOf(pages, table) : ndjsonOf(pages, table);
}

async function* csvOf<Row, View>(
  pages: AsyncIterable<readonly Row[]>,
  { present, columns, cells }: Table<Row, View>,
): AsyncGenerator<string> {
  yield `${columns.join(',')}\n`;
  const cell = (value: string | number) => (typeof value === 'number' ? value : guardFormula(value));
  for await (const rows of inPieces(pages)) yield stringify(rows.map((row) => cells(present(row)).map(cell)));
}

async function* ndjsonOf<Row, View>(
  pages: AsyncIterable<readonly Row[]>,
  { present }: Table<Row, View>,
): AsyncGenerator<string> {
  for await (const rows of inPieces(pages)) yield rows.map((row) => `${JSON.stringify(present(row))}\n`).join('');
}
