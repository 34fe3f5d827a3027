/** Tables for people: no borders, numbers right, width by display cells, the last text column cut to the screen. */
import stringWidth from 'string-width';
import type { Language } from '../language.ts';
import { disarm, paint } from '../terminal.ts';
import { type Column, cellText } from './columns.ts';
import { headingText } from './headings.ts';
import { chineseWords } from './words.ts';

export interface TableScreen {
  /** Columns of the terminal; undefined: nothing is cut. */
  width: number | undefined;
  colour: boolean;
  headings: Headings;
}

/** How columns are called for people. */
export interface Headings {
  readonly language: Language;
  /** IANA name; where times are those of a clock on the wall. */
  readonly zone: () => string;
}

const gap = '  ';

/** A text in so many cells at most, with a mark where something is left out. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const next = stringWidth(segment);
    if (used + next > width - 1) break;
    out += segment;
    used += next;
  }
  return `${out}…`;
}

/** A text with spaces up to so many cells. */
export function pad(text: string, width: number, align: 'left' | 'right'): string {
  const missing = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return align === 'right' ? missing + text : text + missing;
}

/** A cell as a terminal shows it. */
function shownCell<T>(column: Column<T>, row: T, language: Language): string {
  const value = column.value(row);
  if (column.unit === 'dollars' && typeof value === 'number') return `$${value}`;
  const text = disarm(cellText(value)).replace(/[\t\n]/g, ' ');
  if (language === 'en') return text;
  if (typeof value === 'boolean') return value ? '是' : '否';
  return column.chineseCell?.(text) ?? (column.unit === undefined ? text : chineseWords(text));
}

/** Told from a distance (`5m ago`) and from RFC 3339, which says its own offset. */
function isClockTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text);
}

/** The lines of one object: name and value. */
export function renderLabels<T>(row: T, columns: readonly Column<T>[], { language, zone }: Headings): string[] {
  const labels = columns.map((column) => {
    const text = headingText(column, language);
    return language === 'en' ? text.toLowerCase() : text;
  });
  const width = Math.max(...labels.map((label) => stringWidth(label)));
  return columns.map((column, index) => {
    const text = shownCell(column, row, language);
    const isClock = column.unit === 'time' && isClockTime(text);
    return `${pad(labels[index] ?? '', width, 'left')}  ${text}${isClock ? ` ${zone()}` : ''}`;
  });
}

/** Leaves out the least important columns until the rest fits. */
function fitting<T>(columns: readonly Column<T>[], widths: readonly number[], screen: number): number[] {
  const kept = columns.map((_, index) => index);
  const total = () => kept.reduce((sum, index) => sum + Math.min(widths[index] ?? 0, 24) + gap.length, -gap.length);
  while (kept.length > 2 && total() > screen) {
    let worst = 0;
    for (const [place, index] of kept.entries()) {
      const current = columns[kept[worst] ?? 0]?.priority ?? 5;
      if ((columns[index]?.priority ?? 5) >= current) worst = place;
    }
    kept.splice(worst, 1);
  }
  return kept;
}

/** The lines of a table, heading first; no rows give no lines. */
export function renderTable<T>(rows: readonly T[], columns: readonly Column<T>[], screen: TableScreen): string[] {
  return growingTable(columns, screen)(rows);
}

/** Lines of a table whose rows come bit by bit: the heading before the first, columns as wide as was needed so far. */
export function growingTable<T>(columns: readonly Column<T>[], screen: TableScreen): (rows: readonly T[]) => string[] {
  const needed = columns.map(() => 0);
  let kept: number[] | undefined;
  return (rows) => {
    if (rows.length === 0) return [];
    const cells = rows.map((row) => columns.map((column) => shownCell(column, row, screen.headings.language)));
    const isFirst = kept === undefined;
    const headings = columns.map((column, index) => {
      const isClock = column.unit === 'time' && cells.some((line) => isClockTime(line[index] ?? ''));
      const text = headingText(column, screen.headings.language);
      return isClock ? `${text} (${screen.headings.zone()})` : text;
    });
    for (const index of columns.keys()) {
      const texts = cells.map((line) => line[index] ?? '');
      if (isFirst) texts.push(headings[index] ?? '');
      needed[index] = Math.max(needed[index] ?? 0, ...texts.map((text) => stringWidth(text)));
    }
    kept ??= screen.width === undefined ? [...columns.keys()] : fitting(columns, needed, screen.width);
    const line = lineOf(columns, kept, shownWidths(columns, kept, { needed, screen }));
    const heading = isFirst ? [paint(line(headings), 'bold', screen.colour)] : [];
    return [...heading, ...cells.map(line)];
  };
}

/** Widths on this screen: the last column of text takes what the others leave. */
function shownWidths<T>(
  columns: readonly Column<T>[],
  kept: readonly number[],
  { needed, screen }: { needed: readonly number[]; screen: TableScreen },
): number[] {
  const widths = [...needed];
  if (screen.width === undefined) return widths;
  const flexible = kept.findLast((index) => columns[index]?.align !== 'right') ?? kept[0] ?? 0;
  const others = kept.filter((index) => index !== flexible);
  const rest = screen.width - others.reduce((sum, index) => sum + (widths[index] ?? 0) + gap.length, 0);
  const wide = widths[flexible] ?? 0;
  widths[flexible] = Math.max(Math.min(wide, 8), Math.min(wide, rest));
  if (rest >= Math.min(wide, 8)) return widths;
  // Not that column alone is too wide: all of text get the same room at most.
  const texts = kept.filter((index) => columns[index]?.align !== 'right' || index === flexible);
  const fixed = kept.filter((index) => !texts.includes(index));
  const taken = fixed.reduce((sum, index) => sum + (needed[index] ?? 0), (kept.length - 1) * gap.length);
  const most = evenWidth(
    texts.map((index) => needed[index] ?? 0),
    screen.width - taken,
  );
  for (const index of texts) widths[index] = Math.min(needed[index] ?? 0, most);
  return widths;
}

/** The width that, as the most of each, makes these fit; a readable one where none does. */
function evenWidth(needed: readonly number[], room: number): number {
  let left = room;
  const ascending = [...needed].sort((a, b) => a - b);
  for (const [place, width] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - place));
    if (width > share) return Math.max(8, share);
    left -= width;
  }
  return ascending.at(-1) ?? 0;
}

function lineOf<T>(
  columns: readonly Column<T>[],
  kept: readonly number[],
  widths: readonly number[],
): (texts: readonly string[]) => string {
  return (texts) =>
    kept
      .map((index, place) => {
        const width = widths[index] ?? 0;
        const text = cut(texts[index] ?? '', width);
        const last = place === kept.length - 1;
        return last && columns[index]?.align !== 'right' ? text : pad(text, width, columns[index]?.align ?? 'left');
      })
      .join(gap);
}
