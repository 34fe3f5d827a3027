/** Log rows as a file: one line a row, and a last line with the totals, whose absence shows that the file was cut. */
import { stringify } from 'csv-stringify/sync';
import type { FileAnswer } from '../../contract/endpoint.ts';
import type { LogView } from '../../contract/logs.ts';
import { guardFormula } from '../../contract/spreadsheet-text.ts';
import type { LogRecord } from '../../store/logs.ts';
import { inPieces, rowFile } from './row-file.ts';

/** Whom a file is for. */
export type LogFileReader = 'operator' | 'user';

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

/** Columns by reader; what calls cost the operator is no user's business. */
const columnsOf: Readonly<Record<LogFileReader, readonly (keyof LogView)[]>> = {
  operator: [...columns, 'cost'],
  user: columns,
};

/** Sums over the rows of a file. */
interface Totals {
  rows: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** For operators. */
  cost?: number;
}

interface LogFileForm {
  readonly format: 'csv' | 'ndjson';
  readonly reader: LogFileReader;
  readonly present: (row: LogRecord) => LogView;
}

/** The rows as a download, streamed page by page. */
export function logFile(pages: AsyncIterable<readonly LogRecord[]>, form: LogFileForm): FileAnswer {
  const { format } = form;
  return rowFile('log', format, format === 'csv' ? csvOf(pages, form) : ndjsonOf(pages, form));
}

async function* csvOf(
  pages: AsyncIterable<readonly LogRecord[]>,
  { present, reader }: LogFileForm,
): AsyncGenerator<string> {
  const totals = noTotals(reader);
  const shown = columnsOf[reader];
  yield `${shown.join(',')}\n`;
  for await (const piece of inPieces(pages)) {
    const rows = piece.map(present);
    for (const row of rows) count(totals, row);
    yield stringify(rows.map((row) => shown.map((column) => cellOf(row[column]))));
  }
  const { rows, ...sums } = totals;
  const last: Readonly<Record<string, number | string>> = { ...sums, id: 'total', content: `${rows} rows` };
  yield stringify([shown.map((column) => last[column] ?? '')]);
}

async function* ndjsonOf(
  pages: AsyncIterable<readonly LogRecord[]>,
  { present, reader }: LogFileForm,
): AsyncGenerator<string> {
  const totals = noTotals(reader);
  for await (const piece of inPieces(pages)) {
    const rows = piece.map(present);
    for (const row of rows) count(totals, row);
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
  yield `${JSON.stringify({ total: totals })}\n`;
}

function noTotals(reader: LogFileReader): Totals {
  const none = { rows: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };
  return reader === 'operator' ? { ...none, cost: 0 } : none;
}

/** Quota is summed over consumption alone, as on the log page: other rows say what came in. */
function count(totals: Totals, row: LogView): void {
  totals.rows += 1;
  if (row.type !== 2) return;
  totals.quota += row.quota;
  totals.prompt_tokens += row.prompt_tokens;
  totals.completion_tokens += row.completion_tokens;
  if (totals.cost !== undefined) totals.cost += row.cost ?? 0;
}

function cellOf(value: LogView[keyof LogView]): string | number {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return typeof value === 'number' ? value : String(value);
  return guardFormula(value);
}
