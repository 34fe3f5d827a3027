/** Which of the words that end an answer a vendor takes, and what is said of the others. */

import type { Scope } from '../format.ts';
import type { Json } from '../json.ts';

/** What one vendor takes. */
export interface StopRule {
  readonly most: number;
  /** Undefined: of any length. */
  readonly fits?: (word: string) => boolean;
}

/** The first words that the vendor takes; longer ones than it knows would have the whole request refused. */
export function takenStops(words: readonly string[], { most, fits = () => true }: StopRule): string[] {
  return words.filter(fits).slice(0, most);
}

/** Notes the words that are left out: by their places where they stood behind those that are taken. */
export function noteStops(
  field: string,
  { asked, taken }: { readonly asked: readonly Json[]; readonly taken: readonly Json[] },
  scope: Pick<Scope, 'lose'>,
): void {
  if (taken.length >= asked.length) return;
  const isBeginning = taken.length > 0 && taken.every((word, at) => word === asked[at]);
  scope.lose(isBeginning ? `${field}[${taken.length}..]` : field);
}
