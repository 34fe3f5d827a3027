/** Groups as a table: the ratios and the descriptions of those that users may choose, side by side. */

export interface GroupRow {
  readonly name: string;
  /** Text of the ratio. */
  readonly ratio: string;
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
    ratio: Object.hasOwn(ratioOf, name) ? String(ratioOf[name]) : '',
    description: Object.hasOwn(descriptionOf, name) ? String(descriptionOf[name]) : undefined,
  }));
}

/** What is no number stays text, so that the check of the option refuses it; a group without ratio is left out. */
export function ratiosText(rows: readonly GroupRow[]): string {
  const entries = rows.filter(({ ratio }) => ratio.trim() !== '').map(({ name, ratio }) => [name, numberOrText(ratio)]);
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

export function usableText(rows: readonly GroupRow[]): string {
  const entries = rows.flatMap(({ name, description }) => (description === undefined ? [] : [[name, description]]));
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/** Also what is being typed, such as `1.`, which is a number already. */
function numberOrText(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text.trim() ? number : text.trim();
}
