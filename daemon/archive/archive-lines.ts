/**
 * What stands in a backup: lines of JSON. The head; then for each table its name and columns, a line a row, and how many
 * rows that were with the sums of its amounts; at last everything once more, with the digest of all lines before.
 */
import { createHash, type Hash } from 'node:crypto';
import { backupReasons, missingRows, unknownForm } from '../contract/backup-reasons.ts';
import { TollgateError } from '../errors.ts';
import type { ColumnShape, TableRow, TableTotals } from '../store/whole-tables.ts';
import { type CopyHead, type CopySource, type TableCopy, Tally } from './table-copy.ts';

/** First member of the first line; a later form gets another number. */
const FORM = 1;
/** Rows that are handed on together when they are read. */
const PORTION_ROWS = 500;
const PORTION_CHARACTERS = 1_000_000;

/** What a whole backup holds. */
export interface ArchiveContent {
  readonly head: CopyHead;
  readonly tables: Readonly<Record<string, TableTotals>>;
}

/** The lines of a backup, several at once; tells what it holds as soon as all are written. */
export async function* archiveLines(
  source: CopySource,
  told: { onRows(count: number): void; onContent(content: ArchiveContent): void },
): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const seen = (lines: string): string => {
    digest.update(lines);
    return lines;
  };
  const tables: Record<string, TableTotals> = {};
  yield seen(lineOf({ tollgate_backup: FORM, ...source.head }));
  for await (const { name, columns, lastNumber, portions } of source.tables()) {
    yield seen(lineOf({ table: name, columns, last_number: lastNumber }));
    const names = columns.map((column) => column.name);
    const tally = new Tally(columns);
    for await (const rows of portions()) {
      tally.add(rows);
      told.onRows(rows.length);
      yield seen(rows.map((row) => lineOf(names.map((column) => row[column]))).join(''));
    }
    tables[name] = tally.totals;
    yield seen(lineOf(tally.totals));
  }
  yield lineOf({ end: tables, sha256: digest.digest('hex') });
  told.onContent({ head: source.head, tables });
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Reads the lines of a backup as the source of a copy. Everything throws `backup_damaged` for what is none. */
export class ArchiveReader {
  readonly #lines: AsyncIterator<Buffer>;
  readonly #digest: Hash = createHash('sha256');
  readonly #found: Record<string, TableTotals> = {};
  #head: CopyHead | undefined;

  /** @param bytes what was written, in pieces of any size */
  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#lines = linesOf(bytes);
  }

  /** The head first; tables and rows as they are asked for. */
  async open(): Promise<CopySource> {
    const head = readHead(await this.#next());
    this.#head = head;
    return { head, tables: () => this.#tables() };
  }

  /** What was found, once the last table was read. */
  get content(): ArchiveContent {
    if (this.#head === undefined) throw new Error('a backup was not opened');
    return { head: this.#head, tables: this.#found };
  }

  async *#tables(): ReturnType<CopySource['tables']> {
    for (;;) {
      const before = this.#digest.copy().digest('hex');
      const line = await this.#next();
      if ('end' in line) return this.#expectEnd(line, before);
      const { name, columns, lastNumber } = readTable(line);
      yield { name, columns, lastNumber, portions: () => this.#portions(name, columns) };
    }
  }

  async *#portions(table: string, columns: readonly ColumnShape[]): AsyncGenerator<readonly TableRow[]> {
    const tally = new Tally(columns);
    let rows: TableRow[] = [];
    let characters = 0;
    for (;;) {
      const line = await this.#line();
      const isRow = line[0] === OPENING_BRACKET;
      if (isRow) {
        rows.push(readRow(line, columns));
        characters += line.length;
      }
      if (rows.length > 0 && (!isRow || rows.length >= PORTION_ROWS || characters >= PORTION_CHARACTERS)) {
        tally.add(rows);
        yield rows;
        rows = [];
        characters = 0;
      }
      if (isRow) continue;
      const { totals } = tally;
      if (JSON.stringify(parse(line)) !== JSON.stringify(totals)) throw damaged(missingRows(table));
      this.#found[table] = totals;
      return;
    }
  }

  /** The last line tells what came before it, and nothing follows. */
  async #expectEnd(line: Readonly<Record<string, unknown>>, before: string): Promise<void> {
    if (line.sha256 !== before) throw damaged(backupReasons.changed);
    if (JSON.stringify(line.end) !== JSON.stringify(this.#found)) throw damaged(backupReasons.table);
    if ((await this.#lines.next()).done !== true) throw damaged(backupReasons.behind);
  }

  async #next(): Promise<Readonly<Record<string, unknown>>> {
    const value = parse(await this.#line());
    if (!isRecord(value)) throw damaged(backupReasons.place);
    return value;
  }

  async #line(): Promise<Buffer> {
    const { done, value } = await this.#lines.next();
    if (done) throw damaged(backupReasons.cut);
    this.#digest.update(value);
    return value;
  }
}

const OPENING_BRACKET = 0x5b;
const LINE_FEED = 0x0a;
/** More than a text may have: no row is as long, and what has no end in a few packed bytes would fill the memory. */
const LONGEST_LINE = 2 ** 29;

/** Lines with their ends; what follows the last one is no line. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let at = buffer.indexOf(LINE_FEED); at >= 0; at = buffer.indexOf(LINE_FEED, from)) {
      const rest = buffer.subarray(from, at + 1);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      length = 0;
      from = at + 1;
    }
    if (from < buffer.length) begun.push(buffer.subarray(from));
    length += buffer.length - from;
    if (length > LONGEST_LINE) throw damaged(backupReasons.unread);
  }
  if (begun.length > 0) throw damaged(backupReasons.cut);
}

function readHead(line: Readonly<Record<string, unknown>>): CopyHead {
  const { tollgate_backup: form, createdAt, program, engine, migrations, excluded, rootSecret } = line;
  if (form !== FORM) throw damaged(form === undefined ? backupReasons.stranger : unknownForm(form));
  const isWhole =
    typeof createdAt === 'number' &&
    typeof program === 'string' &&
    (engine === 'sqlite' || engine === 'postgres') &&
    isTexts(migrations) &&
    isTexts(excluded) &&
    (rootSecret === undefined || typeof rootSecret === 'string');
  if (!isWhole) throw damaged(backupReasons.head);
  const parts = excluded.filter((part) => part === 'logs' || part === 'bodies');
  return { createdAt, program, engine, migrations, excluded: parts, rootSecret };
}

const columnKinds = ['integer', 'number', 'decimal', 'flag', 'time', 'text'] as const;

function readTable(line: Readonly<Record<string, unknown>>): Omit<TableCopy, 'portions'> {
  const { table, columns, last_number: lastNumber } = line;
  if (typeof table !== 'string' || !Array.isArray(columns)) throw damaged(backupReasons.place);
  if (lastNumber !== undefined && typeof lastNumber !== 'number') throw damaged(backupReasons.place);
  return {
    name: table,
    lastNumber,
    columns: columns.map((column: unknown) => {
      const { name, kind: found } = isRecord(column) ? column : {};
      const kind = columnKinds.find((known) => known === found);
      if (typeof name !== 'string' || kind === undefined) throw damaged(backupReasons.place);
      return { name, kind };
    }),
  };
}

function readRow(line: Buffer, columns: readonly ColumnShape[]): TableRow {
  const cells = parse(line);
  if (!Array.isArray(cells) || cells.length !== columns.length) throw damaged(backupReasons.place);
  return Object.fromEntries(columns.map(({ name }, index) => [name, cells[index]]));
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    throw damaged(backupReasons.unread);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** The file is no backup, or not as it was written. @param reason one of `backup-reasons.ts`, which has it in Chinese */
export function damaged(reason: string): TollgateError {
  return new TollgateError('backup_damaged', { reason });
}
