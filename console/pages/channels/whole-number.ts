/** A whole number from `lowest` to `highest`; what is left empty counts as 0. */
export function isInteger(value: number | string, lowest: number, highest = Number.MAX_SAFE_INTEGER): boolean {
  const text = String(value).trim();
  if (text === '') return true;
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= lowest && number <= highest;
}

/** Of a channel; the daemon takes none below it. */
export const lowestPriority = -999;

/** What is wrong with a priority, by the name of its text; undefined when nothing is. */
export function priorityProblem(value: number | string): 'priority' | 'priorityLow' | undefined {
  if (isInteger(value, lowestPriority)) return undefined;
  return isInteger(value, Number.MIN_SAFE_INTEGER) ? 'priorityLow' : 'priority';
}
