/** A list as lines: its heading, the rows in view, and where one stands. */
import { styleText } from 'node:util';
import { type Bilingual, both } from '../language.ts';
import { pad } from '../output/table.ts';
import type { Desk } from './desk.ts';
import {
  beside,
  besideWidth,
  cell,
  headingLine,
  type ListColumn,
  oneLine,
  pane,
  placed,
  rowLine,
  type Size,
} from './layout.ts';
import { type ListState, pageRows } from './list-state.ts';

const leadWidth = 4;

/** Heading, rows, and how far down the list one is. */
export function listLines<Row>(
  desk: Desk,
  list: ListState<Row>,
  { columns, size: { width, height } }: { columns: readonly ListColumn<Row>[]; size: Size },
): readonly string[] {
  if (desk.isPlain) return labelledRows(desk, list, columns);
  const fitting = placed(columns, width - leadWidth);
  const hasPages = list.total > list.rows.length;
  const room = Math.max(1, height - (hasPages ? 2 : 1));
  const rows = list.inView(room).map(({ row, isCurrent, isMarked }) => {
    const lead = `${isCurrent ? '>' : ' '}${isMarked ? '[x]' : '   '}`;
    // Cut and padded cell by cell: what is painted is not to be read again.
    const line = pad(`${lead}${rowLine(fitting, row, desk.context.terminal.colour.stdout)}`, width, 'left');
    return isCurrent ? styleText('inverse', line, { validateStream: false }) : line;
  });
  const heading = cell(`${' '.repeat(leadWidth)}${headingLine(fitting)}`, width);
  if (list.rows.length === 0) return [heading, ` ${desk.say(emptyWord(list))}`];
  const from = (list.page - 1) * pageRows + 1;
  const to = from + list.rows.length - 1;
  const place = hasPages
    ? [desk.say(both(` rows ${from}-${to} of ${list.total}`, ` 第 ${from}-${to} 行，共 ${list.total} 行`))]
    : [];
  const filled = Array.from({ length: room - rows.length }, () => '');
  return [heading, ...rows, ...(hasPages ? [...filled, ...place] : [])];
}

/** What stands in place of rows: nothing has come yet, or there is nothing. */
function emptyWord<Row>({ isAsked }: ListState<Row>): Bilingual {
  return isAsked ? both('asking…', '查询中…') : both('nothing to show', '没有内容');
}

/** A line for each row of the page, every value behind its label. */
function labelledRows<Row>(
  { say }: Desk,
  list: ListState<Row>,
  columns: readonly ListColumn<Row>[],
): readonly string[] {
  if (list.rows.length === 0) return [say(emptyWord(list))];
  return list.inView(list.rows.length).map(({ row, isCurrent, isMarked }) => {
    const values = columns
      .map(({ heading, value }) => ({ heading, text: oneLine(String(value(row))).trim() }))
      .filter(({ text }) => text !== '')
      .map(({ heading, text }) => `${heading} ${text}`);
    return `${isCurrent ? '> ' : ''}${isMarked ? '[x] ' : ''}${values.join(', ')}`;
  });
}

export interface DetailedList<Row> {
  readonly columns: readonly ListColumn<Row>[];
  readonly size: Size;
  /** The row is looked at closely. */
  readonly isOpen: boolean;
  readonly detail: (row: Row, width: number) => readonly string[];
}

/** A list with what is known of the row one stands on: beside it where there is room, in its place once opened. */
export function listWithDetail<Row>(
  desk: Desk,
  list: ListState<Row>,
  { columns, size: { width, height }, isOpen, detail }: DetailedList<Row>,
): readonly string[] {
  const { current } = list;
  if (width >= besideWidth) {
    const left = { width: Math.floor(width * 0.62), height };
    const right = { width: width - left.width - 1, height };
    const lines = current === undefined ? [] : detail(current, right.width);
    return beside(pane(listLines(desk, list, { columns, size: left }), left), pane(lines, right), desk.glyphs.bar);
  }
  return isOpen && current !== undefined
    ? detail(current, width)
    : listLines(desk, list, { columns, size: { width, height } });
}
