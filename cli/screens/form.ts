/** Something that takes every key while it is open: a form, a wizard, the palette. */
import type { Size } from './layout.ts';
import type { Press } from './press.ts';

/** What is asked next, where one thing is asked at a time. */
export interface Prompt {
  readonly text: string;
  /** What stands there. */
  readonly value: string;
  readonly isSecret: boolean;
}

export interface Form {
  /** Something that is not saved would be lost. */
  readonly isDirty: boolean;
  press(press: Press): void;
  /** Words of the bottom line. */
  keys(): readonly string[];
  /** Lines of at most the size. */
  lines(size: Size): readonly string[];
  prompt(): Prompt;
}
