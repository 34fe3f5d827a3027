/** Log rows as a file: one line a row, and a last line with the totals, whose absence shows that the file was cut. */
import { stringify } from 'csv-stringify/sync';
import type { FileAnswer } from '../../contract/endpoint.ts';
import type { LogView } from '../../contract/logs.ts';
import type { LogRecord } from '../../store/logs.ts';
import { textCell } from './text-cell.ts';

export type LogFileFormat = 'csv' | 'ndjson';

const contentTypes: Readonly<Record<LogFileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

const columns = [
  'id',
  'created_at',
  'type',
  'username',
  'token_name',
  'model_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'channel',
  'channel_name',
  'group',
  'request_id',
  'failed',
  'ip',
  'content',
  'other',
] as const satisfies readonly (keyof LogView)[];

/** Sums over the rows of a file. */
interface Totals {
  rows: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** The rows as a download, streamed page by page. */
export function logFile(
  pages: AsyncIterable<readonly LogRecord[]>,
  form: { readonly format: LogFileFormat; readonly present: (row: LogRecord) => LogView },
): FileAnswer {
  const { format } = form;
  return {
    contentType: contentTypes[format],
    fileName: `log.${format}`,
    body: format === 'csv' ? csvOf(pages, form.present) : ndjsonOf(pages, form.present),
  };
}

async function* csvOf(
  pages: AsyncIterable<readonly LogRecord[]>,
  present: (row: LogRecord) => LogView,
): AsyncGenerator<string> {
  const totals = noTotals();
  yield `${columns.join(',')}\n`;
  for await (const page of pages) {
    const rows = page.map(present);
    for (const row of rows) count(totals, row);
    if (rows.length > 0) yield stringify(rows.map((row) => columns.map((column) => cellOf(row[column]))));
  }
  const { rows, ...sums } = totals;
  const last: Readonly<Record<string, number | string>> = { ...sums, id: 'total', content: `${rows} rows` };
  yield stringify([columns.map((column) => last[column] ?? '')]);
}

async function* ndjsonOf(
  pages: AsyncIterable<readonly LogRecord[]>,
  present: (row: LogRecord) => LogView,
): AsyncGenerator<string> {
  const totals = noTotals();
  for await (const page of pages) {
    const rows = page.map(present);
    for (const row of rows) count(totals, row);
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
  yield `${JSON.stringify({ total: totals })}\n`;
}

function noTotals(): Totals {
  return { rows: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };
}

/** Quota is summed over consumption alone, as on the log page: other rows say what came in. */
function count(totals: Totals, row: LogView): void {
  totals.rows += 1;
  if (row.type !== 2) return;
  totals.quota += row.quota;
  totals.prompt_tokens += row.prompt_tokens;
  totals.completion_tokens += row.completion_tokens;
}

function cellOf(value: LogView[keyof LogView]): string | number {
  if (value === null) return '';
  if (typeof value !== 'string') return typeof value === 'number' ? value : String(value);
  return textCell(value);
}
