/** A line that somebody writes: pasted and composed text comes in whole, Ctrl-A/E/U/W work as in a shell. */
import { cut } from '../output/table.ts';
import { disarm } from '../terminal.ts';
import type { Press } from './press.ts';

export interface TextField {
  readonly text: string;
  /** Where the next character goes, counted in characters as people see them. */
  readonly at: number;
}

const characters = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

/** A field with a text, ready to be gone on with. */
export function fieldOf(text = ''): TextField {
  return { text, at: characters(text).length };
}

/** The field after a key; the same one for keys that mean nothing to it. */
export function edited(field: TextField, { name, text }: Press): TextField {
  const chars = characters(field.text);
  const before = chars.slice(0, field.at);
  const behind = chars.slice(field.at);
  const joined = (left: readonly string[], right: readonly string[]): TextField => ({
    text: [...left, ...right].join(''),
    at: left.length,
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
      const written = disarm(text).replace(/[\t\n]+/g, ' ');
      return written === '' ? field : joined([...before, ...characters(written)], behind);
    }
  }
}

/** The field as it is drawn, with a block where the next character goes. */
export function drawn({ text, at }: TextField, width: number): string {
  const chars = characters(text);
  const shown = `${chars.slice(0, at).join('')}█${chars.slice(at).join('')}`;
  // The end of a long line matters more than its beginning.
  const tail = characters(shown).slice(-width).join('');
  return cut(tail, width);
}
