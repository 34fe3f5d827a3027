/** The filter of the log in the words of `log list`. */
import type { FilterWords } from './filter-words.ts';

export const logFilterNames = [
  'user',
  'model',
  'type',
  'token',
  'channel',
  'group',
  'request',
  'since',
  'errors',
] as const;

/** The flags of `log list` that mean the same. */
export function filterFlags({ named }: FilterWords<(typeof logFilterNames)[number]>) {
  const { errors, ...flags } = named;
  return errors === undefined || errors === 'no' ? flags : { ...flags, errors: true };
}
