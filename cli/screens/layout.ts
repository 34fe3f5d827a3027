/** Lines of the screens: columns by width and importance, two panes side by side; counted in cells, so that Chinese aligns. */
import stringWidth from 'string-width';
import { cut, pad } from '../output/table.ts';
import { disarm, paint, type Tone } from '../terminal.ts';

/** What lines are drawn with. */
export interface Glyphs {
  readonly rule: string;
  readonly bar: string;
  readonly dot: string;
  /** From one to another. */
  readonly arrow: string;
  readonly spark: readonly string[];
}

export const lineGlyphs: Glyphs = { rule: '─', bar: '│', dot: '●', arrow: '→', spark: [...'▁▂▃▄▅▆▇█'] };
/** For terminals that know no more than ASCII. */
export const plainGlyphs: Glyphs = { rule: '-', bar: '|', dot: '*', arrow: '>', spark: [...'_.-=*#'] };

/** For lines that are read one after another: nothing is drawn. */
export const noGlyphs: Glyphs = { rule: '', bar: ' ', dot: '', arrow: '>', spark: [] };

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Smaller is of no use. */
export const smallest: Size = { width: 60, height: 16 };
/** From here on the detail stands beside the list. */
export const besideWidth = 100;

/** Text of the server as one harmless line. */
export function oneLine(text: string): string {
  return disarm(text).replace(/[\t\n]+/g, ' ');
}

/** A text in exactly so many cells. */
export function cell(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  return pad(cut(oneLine(text), width), width, align);
}

export interface ListColumn<Row> {
  readonly heading: string;
  readonly width: number;
  readonly align?: 'right';
  /** The lower, the longer it stays when room gets scarce. */
  readonly priority: number;
  /** Takes what the others leave. */
  readonly grows?: true;
  value(row: Row): string | number;
  /** Colour of the value, which says what the word says already. */
  readonly tone?: (row: Row) => Tone | undefined;
}

export interface PlacedColumn<Row> {
  readonly column: ListColumn<Row>;
  readonly width: number;
}

const widthOf = (columns: readonly { readonly width: number }[]) =>
  columns.reduce((sum, { width }) => sum + width + 1, -1);

/** The columns that fit, the least important left out; one of them grows into the rest. */
export function placed<Row>(columns: readonly ListColumn<Row>[], width: number): readonly PlacedColumn<Row>[] {
  let kept = [...columns];
  while (kept.length > 1 && widthOf(kept) > width) {
    const least = Math.max(...kept.map(({ priority }) => priority));
    const worst = kept.findLastIndex(({ priority }) => priority === least);
    kept = kept.filter((_, at) => at !== worst);
  }
  const rest = Math.max(0, width - widthOf(kept));
  const grower = kept.findIndex(({ grows }) => grows === true);
  return kept.map((column, at) => ({ column, width: column.width + (at === grower ? rest : 0) }));
}

export function headingLine<Row>(columns: readonly PlacedColumn<Row>[]): string {
  return columns.map(({ column, width }) => cell(column.heading, width, column.align)).join(' ');
}

/** @param isColoured whether the terminal shows colours */
export function rowLine<Row>(columns: readonly PlacedColumn<Row>[], row: Row, isColoured = false): string {
  return columns
    .map(({ column, width }) => {
      const text = cell(String(column.value(row)), width, column.align);
      const tone = column.tone?.(row);
      return tone === undefined ? text : paint(text, tone, isColoured);
    })
    .join(' ');
}

/** Exactly so many lines of a pane, each of its width; `styled` lines are of that width already. */
export function pane(lines: readonly string[], { width, height }: Size): readonly string[] {
  return Array.from({ length: height }, (_, at) => {
    const line = lines[at] ?? '';
    return stringWidth(line) === width ? line : cell(line, width);
  });
}

/** Two panes with a line between them. */
export function beside(left: readonly string[], right: readonly string[], bar: string): readonly string[] {
  return left.map((line, at) => `${line}${bar}${right[at] ?? ''}`);
}

/** A label and what it says, in a column of labels. */
export function labelled(label: string, text: string, labelWidth = 9): string {
  return ` ${cell(label, labelWidth)} ${oneLine(text)}`;
}

/** Text broken into lines of so many cells, between words where there are any. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of oneLine(text).split(/(?<=[\s,])/)) {
    let rest = word;
    if (stringWidth(line + rest.trimEnd()) > width && line !== '') {
      lines.push(line.trimEnd());
      line = '';
    }
    while (stringWidth(rest.trimEnd()) > width) {
      // One cell more than fits, so that the mark is there to be taken away; a wide character behind it is left whole.
      const part = cut(`${rest}  `, width + 1).slice(0, -1);
      lines.push(part);
      rest = rest.slice(part.length);
    }
    line += rest;
  }
  return line.trim() === '' ? lines : [...lines, line.trimEnd()];
}

/** Figures as a row of small bars, the newest at the right. */
export function sparkline(figures: readonly number[], width: number, glyphs: Glyphs): string {
  const shown = figures.slice(-width);
  const top = Math.max(...shown, 0);
  return shown
    .map((figure) => {
      const level = top === 0 ? 0 : Math.round((figure / top) * (glyphs.spark.length - 1));
      return glyphs.spark[level] ?? '';
    })
    .join('');
}
