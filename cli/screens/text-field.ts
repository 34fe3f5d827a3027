/** A line that somebody writes: pasted and composed text comes in whole, Ctrl-A/E/U/W work as in a shell. */
import stringWidth from 'string-width';
import { cut } from '../output/table.ts';
import { disarm } from '../terminal.ts';
import type { Press } from './press.ts';

export interface TextField {
  readonly text: string;
  /** Where the next character goes, counted in characters as people see them. */
  readonly at: number;
}

/** What a field of one line holds in place of a line break. */
export type LineBreak = ' ' | ',' | '\n';

const characters = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

/** A field with a text, ready to be gone on with. */
export function fieldOf(text = ''): TextField {
  return { text, at: characters(text).length };
}

/**
 * The field after a key; the same one for keys that mean nothing to it.
 *
 * @param lineBreak what stands for a line break of what is pasted, which terminals send as a carriage return
 */
export function edited(field: TextField, { name, text }: Press, lineBreak: LineBreak = ' '): TextField {
  const chars = characters(field.text);
  const before = chars.slice(0, field.at);
  const behind = chars.slice(field.at);
  // An accent joins the letter before it: both are one character then.
  const joined = (left: readonly string[], right: readonly string[]): TextField => ({
    text: [...left, ...right].join(''),
    at: characters(left.join('')).length,
  });
  switch (name) {
    case 'Left':
      return { ...field, at: Math.max(0, field.at - 1) };
    case 'Right':
      return { ...field, at: Math.min(chars.length, field.at + 1) };
    case 'Home':
    case 'C-a':
      return { ...field, at: 0 };
    case 'End':
    case 'C-e':
      return { ...field, at: chars.length };
    case 'C-u':
      return joined([], behind);
    case 'C-w':
      return joined(characters(before.join('').replace(/\S+\s*$/, '')), behind);
    case 'Backspace':
      return joined(before.slice(0, -1), behind);
    default: {
      const written = disarm(text.replaceAll('\r', '\n')).replace(/\t+/g, ' ').replace(/\n+/g, lineBreak);
      return written === '' ? field : joined([...before, ...characters(written)], behind);
    }
  }
}

/** The field as it is drawn, with a block where the next character goes; of a long text what stands around that. */
export function drawn({ text, at }: TextField, width: number): string {
  const chars = characters(text);
  const behind = chars.slice(at);
  // The mark of what is cut off at the end takes a cell, too.
  const room = behind.length === 0 ? width : width - 1;
  let from = at;
  for (let used = 1; from > 0; from -= 1) {
    used += stringWidth(chars[from - 1] ?? '');
    if (used > room) break;
  }
  return cut(`${chars.slice(from, at).join('')}█${behind.join('')}`, width);
}
