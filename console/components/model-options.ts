/** The rows of the list of models: who is shown under which heading, in which order. Pure. */

export interface ModelOption {
  readonly value: string;
  /** Small print at the end of the row: a price, for instance. */
  readonly note?: string;
}

export type ModelRow =
  | { readonly kind: 'group'; readonly key: string; readonly name: string; readonly count: number }
  | {
      readonly kind: 'option';
      readonly key: string;
      readonly option: ModelOption;
      /** Among the options only. */
      readonly index: number;
    };

/** Headings that are words of the console, not prefixes of names. */
export const chosenGroup = '\0chosen';
export const otherGroup = '\0other';

/** `openai/gpt-4o` belongs to `openai`, `claude-sonnet` to `claude`. */
export function vendorOf(name: string): string {
  const slash = name.indexOf('/');
  if (slash > 0) return name.slice(0, slash).toLowerCase();
  return /^\p{L}+/u.exec(name)?.[0].toLowerCase() ?? '';
}

export function isMatch(name: string, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = name.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** Chosen ones first, then groups by vendor; those who are alone in theirs come last, together. */
export function modelRows(options: readonly ModelOption[], query: string, first: ReadonlySet<string>): ModelRow[] {
  const groups = new Map<string, ModelOption[]>();
  const add = (name: string, option: ModelOption) => {
    const members = groups.get(name);
    if (members) members.push(option);
    else groups.set(name, [option]);
  };
  const sizes = new Map<string, number>();
  for (const { value } of options) sizes.set(vendorOf(value), (sizes.get(vendorOf(value)) ?? 0) + 1);
  for (const option of options) {
    if (!isMatch(option.value, query)) continue;
    const vendor = vendorOf(option.value);
    if (first.has(option.value)) add(chosenGroup, option);
    else add(vendor !== '' && (sizes.get(vendor) ?? 0) > 1 ? vendor : otherGroup, option);
  }
  const rank = (name: string) => (name === chosenGroup ? 0 : name === otherGroup ? 2 : 1);
  const sorted = [...groups].sort(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other));
  const rows: ModelRow[] = [];
  let index = 0;
  for (const [name, members] of sorted) {
    if (sorted.length > 1) rows.push({ kind: 'group', key: `group ${name}`, name, count: members.length });
    for (const option of members) rows.push({ kind: 'option', key: option.value, option, index: index++ });
  }
  return rows;
}

/** Names of a pasted list: commas, blanks, lines, quotation marks of JSON. */
export function namesIn(text: string): string[] {
  const names = text.split(/[\s,，;；、|]+/).map((name) => name.replaceAll(/^["'[\]`]+|["'[\]`]+$/g, ''));
  return [...new Set(names.filter((name) => name !== ''))];
}

/** The part before the first match of a word, the match, and what follows. */
export function highlighted(name: string, query: string): readonly [string, string, string] {
  const [word = ''] = query.toLowerCase().split(/\s+/).filter(Boolean);
  const at = word === '' ? -1 : name.toLowerCase().indexOf(word);
  return at < 0 ? [name, '', ''] : [name.slice(0, at), name.slice(at, at + word.length), name.slice(at + word.length)];
}
