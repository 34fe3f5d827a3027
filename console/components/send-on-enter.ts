import type { KeyboardEvent } from 'react';
import { isComposing } from './composition.ts';

/**
 * A handler of keys for fields that are sent by themselves though they stand within the form of a drawer: Enter in one of
 * them sends these, not that form.
 */
export function sendOnEnter(send: () => Promise<void>): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || isComposing(event)) return;
    if (!(event.target instanceof HTMLInputElement) || event.target.readOnly) return;
    event.preventDefault();
    void send();
  };
}
