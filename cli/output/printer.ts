/**
 * Turns results into the form asked for (cli.md 1.2): table on a terminal, tsv in a pipe, csv, json, yaml, ndjson,
 * ids only with `-q`, into a file with `--out`. Lists are written as they come; only `json`, `yaml` and `table` are held.
 */
import { stringify as toYaml } from 'yaml';
import { usageError } from '../errors.ts';
import { both } from '../language.ts';
import type { Output } from '../streams.ts';
import { disarm, disarmJson, type Terminal } from '../terminal.ts';
import { checkOrder, chosenColumns, chosenFields, columnNames, columnsOfFields, type Printed } from './choices.ts';
import { type Column, cellText, type View } from './columns.ts';
import { csvRow, jsonRow, type MemberForms, rowValues, tsvLine } from './machine.ts';
import { type Order, ordered } from './order.ts';
import { growingTable, type Headings, renderLabels, renderTable, type TableScreen } from './table.ts';

export type OutputFormat = 'table' | 'tsv' | 'csv' | 'json' | 'yaml' | 'ndjson';

export const outputFormats: readonly OutputFormat[] = ['table', 'tsv', 'csv', 'json', 'yaml', 'ndjson'];

/** More rows than this are refused by the forms that must be held in memory. */
const heldRows = 100_000;

export interface PrintWishes {
  output?: OutputFormat | undefined;
  /** `''` for all fields, else a comma list. */
  json?: string | undefined;
  jq?: string | undefined;
  columns?: string | undefined;
  /** Of a whole list; undefined as it comes. */
  order?: Order | undefined;
  quiet?: boolean | undefined;
  out?: string | undefined;
  force?: boolean | undefined;
  header?: boolean | undefined;
  bom?: boolean | undefined;
  rawCsv?: boolean | undefined;
  raw?: boolean | undefined;
  money?: 'usd' | 'units' | undefined;
  /** False for `--no-pager`. */
  pager?: boolean | undefined;
}

export interface PrinterDeps {
  output: Output;
  terminal: Terminal;
  wishes: PrintWishes;
  /** How times and amounts are printed in JSON and YAML; asked where a result is printed so. */
  forms(): Promise<MemberForms>;
  /** Awaited before the first cell is filled. */
  prepareCells(cells: { readonly times: boolean }): Promise<void>;
  headings: Headings;
  /** Shows what is to be read on a terminal to somebody who can turn pages, where it is taller than the screen. */
  page(text: string): Promise<'shown' | 'to be printed'>;
}

type Sink = (text: string) => Promise<void>;

export class Printer {
  readonly #deps: PrinterDeps;

  constructor(deps: PrinterDeps) {
    this.#deps = deps;
  }

  /** The form in force: the flag, the ending of `--out`, JSON for `--json` and `--jq`, else by the stream. */
  get format(): OutputFormat {
    const { wishes, terminal } = this.#deps;
    if (wishes.output !== undefined) return wishes.output;
    if (wishes.json !== undefined || wishes.jq !== undefined) return 'json';
    const ending = wishes.out?.match(/\.(tsv|csv|json|yaml|ndjson)$/)?.[1];
    const named = outputFormats.find((format) => format === ending);
    if (named !== undefined) return named;
    return terminal.stdout && wishes.out === undefined ? 'table' : 'tsv';
  }

  /** True when errors too must be JSON. */
  get machine(): boolean {
    return this.format === 'json' || this.format === 'ndjson';
  }

  /** Prints many rows; an empty list prints `[]` or nothing. */
  async list<T>(listed: AsyncIterable<T> | Iterable<T>, view: View<T>): Promise<void> {
    await this.#into(async (write) => {
      const { quiet, order } = this.#deps.wishes;
      const rows = order === undefined ? listed : ordered(await held(listed, '--sort'), order);
      if (quiet) {
        for await (const row of rows) await write(this.#safe(`${view.id(row)}\n`));
        return;
      }
      const format = this.format;
      if (format === 'ndjson') {
        const json = await this.jsonOf(view);
        for await (const row of rows) await this.#emitJson(write, json(row), 'line');
      } else if (format === 'tsv' || format === 'csv') {
        await this.#lines(write, rows, await this.#readyColumns(view), format);
      } else {
        const whole = await held(rows, '--output', `-o ${format}`);
        if (format === 'table') await this.#table(write, whole, await this.#readyColumns(view));
        else await this.#document(write, whole.map(await this.jsonOf(view)), format);
      }
    });
  }

  /** Prints rows as they come, portion by portion, without an end to wait for; JSON goes line by line. */
  async follow<T>(portions: AsyncIterable<readonly T[]>, view: View<T>): Promise<void> {
    if (this.format === 'yaml') {
      throw usageError(both('-o yaml holds the whole list', '-o yaml 需要完整列表'), {
        field: '--output',
        hint: both('use -o ndjson', '请使用 -o ndjson'),
      });
    }
    if (this.format !== 'table' || this.#deps.wishes.quiet) {
      const wishes: PrintWishes =
        this.format === 'json' ? { ...this.#deps.wishes, output: 'ndjson' } : this.#deps.wishes;
      const lines = new Printer({ ...this.#deps, wishes }).list(singly(portions), view);
      // Rows that came before the reader had enough are a whole result.
      return lines.finally(() => this.#deps.output.done());
    }
    await this.#into(async (write) => {
      const columns = await this.#readyColumns(view);
      const linesOf = growingTable(columns, this.#screen());
      for await (const rows of portions) for (const line of linesOf(rows)) await write(`${line}\n`);
    });
  }

  /** Prints one object: `name value` lines on a terminal, one row or one object otherwise. */
  async one<T>(row: T, view: View<T>): Promise<void> {
    await this.#into(async (write) => {
      if (this.#deps.wishes.quiet) return write(this.#safe(`${view.id(row)}\n`));
      const format = this.format;
      if (format === 'table') {
        const isAsked = this.#deps.wishes.columns !== undefined;
        const columns = (await this.#readyColumns(view)).filter(
          (column) => isAsked || column.goesWhenEmpty !== true || cellText(column.value(row)) !== '',
        );
        const lines = renderLabels(row, columns, this.#deps.headings);
        return this.#show(write, `${lines.join('\n')}\n`);
      }
      if (format === 'tsv' || format === 'csv')
        return this.#lines(write, [row], await this.#readyColumns(view), format);
      const json = (await this.jsonOf(view))(row);
      if (format === 'ndjson') return this.#emitJson(write, json, 'line');
      return this.#document(write, json, format);
    });
  }

  /** Prints a text as it comes. */
  async stream(pieces: AsyncIterable<string>): Promise<void> {
    await this.#into(async (write) => {
      for await (const piece of pieces) await write(this.#safe(piece));
    });
  }

  /** Prints a text as it is: a key, a code, a file. */
  async text(text: string): Promise<void> {
    await this.#into((write) => write(this.#safe(text)));
  }

  /**
   * Holds what was asked for by name against what the command prints, and answers `--columns help` and `--json=help`.
   * Throws exit 3 for names that are none, and for what is no expression of jq.
   */
  async check(printed: Printed): Promise<'to be printed' | 'answered'> {
    const { columns, json, jq, order, output } = this.#deps.wishes;
    const isJson = output === undefined || output === 'json' || output === 'ndjson';
    if (!isJson && (jq !== undefined || (json !== undefined && output !== 'yaml'))) {
      const flag = jq === undefined ? '--json' : '--jq';
      throw usageError(both(`${flag} does not go with -o ${output}`, `${flag} 不能与 -o ${output} 同用`), {
        field: flag,
      });
    }
    const asked = columns === 'help' ? columnNames(printed) : json === 'help' ? printed.fields : undefined;
    if (asked !== undefined && asked.length > 0) {
      await this.text(`${asked.join('\n')}\n`);
      return 'answered';
    }
    chosenColumns(printed.columns, columns);
    if (columns !== undefined && ['json', 'ndjson', 'yaml'].includes(this.format)) throw columnsOfFields(this.format);
    chosenFields(printed.fields, json);
    checkOrder(printed.fields, order);
    if (jq !== undefined) await (await import('./jq.ts')).checkJq(jq);
    return 'to be printed';
  }

  /** The columns to print, once their cells can be filled. */
  async #readyColumns<T>(view: View<T>): Promise<readonly Column<T>[]> {
    const columns = chosenColumns(view.columns, this.#deps.wishes.columns);
    await this.#deps.prepareCells({ times: columns.some(({ unit }) => unit === 'time') });
    return columns;
  }

  /** Makes rows into what JSON and YAML print of them. */
  async jsonOf<T>(view: View<T>): Promise<(row: T) => unknown> {
    const fields = chosenFields(view.fields, this.#deps.wishes.json);
    const forms = view.verbatim ? { time: undefined, usd: undefined } : await this.#deps.forms();
    return (row) => jsonRow(row, view, { fields, raw: this.#deps.wishes.raw === true, forms });
  }

  async #table<T>(write: Sink, rows: readonly T[], columns: readonly Column<T>[]): Promise<void> {
    const lines = renderTable(rows, columns, this.#screen());
    if (lines.length > 0) await this.#show(write, `${lines.join('\n')}\n`);
  }

  /** Writes a whole text that is read rather than processed. */
  async #show(write: Sink, text: string): Promise<void> {
    const { terminal, wishes, page } = this.#deps;
    const isRead = terminal.stdout && wishes.out === undefined && wishes.pager !== false;
    if (!isRead || (await page(text)) === 'to be printed') await write(text);
  }

  #screen(): TableScreen {
    const { terminal, headings } = this.#deps;
    return { width: terminal.stdout ? terminal.columns : undefined, colour: terminal.colour.stdout, headings };
  }

  async #lines<T>(
    write: Sink,
    rows: AsyncIterable<T> | Iterable<T>,
    columns: readonly Column<T>[],
    format: 'tsv' | 'csv',
  ): Promise<void> {
    const { wishes } = this.#deps;
    const choices = { formulas: wishes.rawCsv ? ('raw' as const) : ('guarded' as const) };
    const line = (values: Parameters<typeof tsvLine>[0]) =>
      format === 'csv' ? csvRow(values, choices) : `${tsvLine(values)}\n`;
    if (wishes.bom && format === 'csv') await write('\ufeff');
    if (wishes.header ?? format === 'csv') await write(line(columns.map((column) => this.#heading(column))));
    for await (const row of rows) await write(this.#safe(line(rowValues(row, columns))));
  }

  /** The heading for machines, which says that amounts are dollars where they are. */
  #heading<T>({ heading, unit }: Column<T>): string {
    const isMoney = unit === 'money' || unit === 'dollars';
    return `${heading.toLowerCase()}${isMoney && this.#deps.wishes.money === 'usd' ? '_usd' : ''}`;
  }

  async #document(write: Sink, value: unknown, format: 'json' | 'yaml'): Promise<void> {
    if (format === 'yaml') return this.#show(write, this.#safe(toYaml(value)));
    return this.#emitJson(write, value, this.#deps.terminal.stdout ? 'pretty' : 'line');
  }

  async #emitJson(write: Sink, value: unknown, shape: 'pretty' | 'line'): Promise<void> {
    const { jq } = this.#deps.wishes;
    if (jq === undefined)
      return write(`${disarmJson(JSON.stringify(value, null, shape === 'pretty' ? 2 : undefined))}\n`);
    const { runJq } = await import('./jq.ts');
    return write(this.#safe(await runJq(value, jq)));
  }

  /** A text that a terminal shows and does not obey; files and pipes get it as it is. */
  #safe(text: string): string {
    const { terminal, wishes } = this.#deps;
    return terminal.stdout && wishes.out === undefined ? disarm(text) : text;
  }

  /** Writes one result; what breaks off on the way is none. */
  async #into(work: (write: Sink) => Promise<void>): Promise<void> {
    const { output } = this.#deps;
    const write: Sink = (text) => output.write(text);
    await write('');
    await work(write);
    output.done();
  }
}

async function* singly<T>(portions: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const rows of portions) yield* rows;
}

/** All rows of a list that must be in memory. Throws exit 3 where they are too many. */
async function held<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  field: '--output' | '--sort',
  form: string = field,
): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) {
    all.push(row);
    if (all.length > heldRows) {
      const hint =
        field === '--output'
          ? both('use -o ndjson', '请使用 -o ndjson')
          : both('choose fewer rows, or leave --sort out', '请缩小范围，或去掉 --sort');
      throw usageError(both(`more than ${heldRows} rows for ${form}`, `${form} 最多支持 ${heldRows} 行`), {
        field,
        hint,
      });
    }
  }
  return all;
}
