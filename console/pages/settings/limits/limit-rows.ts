/** Limits between the stored maps and the rows of a table. */

/** Row of `ModelRequestRateLimitGroup`; the figures are text, so that what is being typed stays. */
export interface GroupLimit {
  readonly group: string;
  readonly all: string;
  readonly successes: string;
}

export const limitKinds = ['token', 'user', 'group', 'model'] as const;
export type LimitKind = (typeof limitKinds)[number];

/** Row of `RateLimits`. */
export interface RateLimitRow {
  readonly kind: LimitKind;
  readonly name: string;
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrency: string;
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function parsed(text: string): Members | undefined {
  try {
    return membersOf(JSON.parse(text.trim() === '' ? '{}' : text));
  } catch {
    return undefined;
  }
}

/** Groups that the map of ratios names, and `auto` where the list of groups that it tries is not empty. */
export function groupsIn(ratios: string, autoGroups: string): readonly string[] {
  const names = Object.keys(parsed(ratios) ?? {});
  return isFilledList(autoGroups) ? [...names, 'auto'] : names;
}

function isFilledList(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length > 0;
  } catch {
    return false;
  }
}

const shown = (value: unknown): string => (value === undefined ? '' : String(value));

/** Whole numbers as numbers; anything else as the text it is, which the check of the option refuses. */
function stored(text: string): number | string {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : text.trim();
}

/** Undefined where the text is no such map. */
export function groupLimitsOf(text: string): readonly GroupLimit[] | undefined {
  const map = parsed(text);
  if (!map) return undefined;
  const rows: GroupLimit[] = [];
  for (const [group, value] of Object.entries(map)) {
    if (!Array.isArray(value)) return undefined;
    const [all, successes]: readonly unknown[] = value;
    rows.push({ group, all: shown(all), successes: shown(successes) });
  }
  return rows;
}

export function groupLimitsText(rows: readonly GroupLimit[]): string {
  return JSON.stringify(
    Object.fromEntries(rows.map(({ group, all, successes }) => [group, [stored(all), stored(successes)]])),
    null,
    2,
  );
}

/** Undefined where the text is no such map. */
export function rateLimitsOf(text: string): readonly RateLimitRow[] | undefined {
  const map = parsed(text);
  if (!map) return undefined;
  const rows: RateLimitRow[] = [];
  for (const kind of limitKinds) {
    if (map[kind] === undefined) continue;
    const names = membersOf(map[kind]);
    if (!names) return undefined;
    for (const [name, value] of Object.entries(names)) {
      const limit = membersOf(value);
      if (!limit) return undefined;
      const { rpm, tpm, concurrency } = limit;
      rows.push({ kind, name, rpm: shown(rpm), tpm: shown(tpm), concurrency: shown(concurrency) });
    }
  }
  return rows;
}

export function rateLimitsText(rows: readonly RateLimitRow[]): string {
  const map: Record<string, Record<string, Record<string, number | string>>> = {};
  for (const { kind, name, rpm, tpm, concurrency } of rows) {
    const figures = Object.entries({ rpm, tpm, concurrency }).filter(([, text]) => text.trim() !== '');
    map[kind] = { ...map[kind], [name]: Object.fromEntries(figures.map(([key, text]) => [key, stored(text)])) };
  }
  return JSON.stringify(map, null, 2);
}
