/** One press of a key, as the table of keys names it. */
import type { Key } from 'ink';

export interface Press {
  /** `Enter`, `Up`, `C-a`, or the character itself; "" for several characters at once. */
  readonly name: string;
  /** What it would write: a character, or a whole text that was pasted or composed. */
  readonly text: string;
}

const named = [
  ['upArrow', 'Up'],
  ['downArrow', 'Down'],
  ['leftArrow', 'Left'],
  ['rightArrow', 'Right'],
  ['pageUp', 'PgUp'],
  ['pageDown', 'PgDn'],
  ['home', 'Home'],
  ['end', 'End'],
  ['return', 'Enter'],
  ['escape', 'Esc'],
  ['backspace', 'Backspace'],
  // Most terminals send this for the key above Enter.
  ['delete', 'Backspace'],
] as const satisfies readonly (readonly [keyof Key, string])[];

/** What Ink tells of a key. */
export function pressOf(input: string, key: Key): Press {
  const found = named.find(([member]) => key[member]);
  if (found) return { name: found[1], text: '' };
  if (key.tab) return { name: key.shift ? 'S-Tab' : 'Tab', text: '' };
  if (key.ctrl) return { name: `C-${input}`, text: '' };
  if (key.meta) return { name: '', text: '' };
  if (input === ' ') return { name: 'Space', text: ' ' };
  return { name: [...input].length === 1 ? input : '', text: input };
}

/** Keys that were typed faster than they were read; a text of several characters is as many keys where nobody writes. */
export function singlePresses({ name, text }: Press): readonly Press[] {
  if (name !== '' || text === '') return [{ name, text }];
  return [...text].map((char) => ({ name: char === ' ' ? 'Space' : char, text: char }));
}
