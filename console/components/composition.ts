import type { KeyboardEvent } from 'react';

/** Whether a key belongs to a composition (Chinese, Japanese): Enter then hands its letters to the field, and sends nothing. */
export function isComposing(event: KeyboardEvent): boolean {
  // Safari ends the composition before it tells of the key, but keeps the code that stands for it.
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
