/** Groups as a table: the ratios and the descriptions of those that users may choose, side by side. */

export interface GroupRow {
  readonly name: string;
  /** Text of the ratio, "" while it is typed anew; undefined: the group has none. */
  readonly ratio: string | undefined;
  /** Undefined: users may not choose it. */
  readonly description: string | undefined;
}

function mapOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where one of the texts is no map. */
export function groupRowsOf(ratios: string, usable: string): readonly GroupRow[] | undefined {
  const ratioOf = mapOf(ratios);
  const descriptionOf = mapOf(usable);
  if (!ratioOf || !descriptionOf) return undefined;
  const names = [...new Set([...Object.keys(ratioOf), ...Object.keys(descriptionOf)])];
  return names.map((name) => ({
    name,
    ratio: Object.hasOwn(ratioOf, name) ? String(ratioOf[name]) : undefined,
    description: Object.hasOwn(descriptionOf, name) ? String(descriptionOf[name]) : undefined,
  }));
}

/** What is no number stays text, so that the check of the option refuses it; a group without ratio is left out. */
export function ratiosText(rows: readonly GroupRow[]): string {
  const entries = rows.flatMap(({ name, ratio }) => (ratio === undefined ? [] : [[name, numberOrText(ratio)]]));
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

export function usableText(rows: readonly GroupRow[]): string {
  const entries = rows.flatMap(({ name, description }) => (description === undefined ? [] : [[name, description]]));
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/** The text of a ratio that was typed to its end: `1.50` is 1.5. What is no number stays as it is. */
export function settledRatio(text: string): string {
  const number = Number(text);
  return text.trim() === '' || !Number.isFinite(number) ? text : String(number);
}

/** What is being typed stays text, such as `1.`, which is a number already. */
function numberOrText(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text.trim() ? number : text.trim();
}
