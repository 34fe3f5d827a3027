/** A list as lines: its heading, the rows in view, and where one stands. */
import { styleText } from 'node:util';
import { both } from '../language.ts';
import type { Desk } from './desk.ts';
import { cell, headingLine, type ListColumn, placed, rowLine, type Size } from './layout.ts';
import { type ListState, pageRows } from './list-state.ts';

const leadWidth = 4;

/** Heading, rows, and how far down the list one is. */
export function listLines<Row>(
  desk: Desk,
  list: ListState<Row>,
  { columns, size: { width, height } }: { columns: readonly ListColumn<Row>[]; size: Size },
): readonly string[] {
  const fitting = placed(columns, width - leadWidth);
  const hasPages = list.total > list.rows.length;
  const room = Math.max(1, height - (hasPages ? 2 : 1));
  const rows = list.inView(room).map(({ row, isCurrent, isMarked }) => {
    const lead = `${isCurrent ? '>' : ' '}${isMarked ? '[x]' : '   '}`;
    const line = cell(`${lead}${rowLine(fitting, row)}`, width);
    return isCurrent ? styleText('inverse', line, { validateStream: false }) : line;
  });
  const heading = cell(`${' '.repeat(leadWidth)}${headingLine(fitting)}`, width);
  if (list.rows.length === 0) return [heading, ` ${desk.say(both('nothing to show', '没有内容'))}`];
  const from = (list.page - 1) * pageRows + 1;
  const to = from + list.rows.length - 1;
  const place = hasPages
    ? [desk.say(both(` rows ${from}-${to} of ${list.total}`, ` 第 ${from}-${to} 行，共 ${list.total} 行`))]
    : [];
  const filled = Array.from({ length: room - rows.length }, () => '');
  return [heading, ...rows, ...(hasPages ? [...filled, ...place] : [])];
}
