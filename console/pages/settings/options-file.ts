/** The file that options are carried in: one JSON object of texts by key, secrets left out. */
import { isOptionKey, type OptionKey } from '../../../daemon/contract/options.ts';
import { isChanged, isSecret, normalised, type OptionRows } from './option-draft.ts';

export function exportedOptions(rows: OptionRows): string {
  const entries = [...rows.values()].filter(({ key }) => !isSecret(key)).map(({ key, value }) => [key, value]);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

export interface OptionsFile {
  readonly changes: readonly { readonly key: OptionKey; readonly value: string }[];
  /** Names that are no option here. */
  readonly unknown: readonly string[];
  /** Options whose value cannot be taken, or not by this user. */
  readonly refused: readonly OptionKey[];
}

interface Judge {
  readonly isRefused: (key: OptionKey, value: string) => boolean;
}

/** What a file would change; undefined where it is no such file. An answer of `GET /api/option/` is one too. */
export function readOptionsFile(text: string, rows: OptionRows, { isRefused }: Judge): OptionsFile | undefined {
  const entries = entriesOf(text);
  if (!entries) return undefined;
  const changes: { key: OptionKey; value: string }[] = [];
  const unknown: string[] = [];
  const refused: OptionKey[] = [];
  for (const [key, value] of entries) {
    const row = isOptionKey(key) ? rows.get(key) : undefined;
    if (!row) unknown.push(key);
    else if (isSecret(row.key) && value === '') continue;
    else if (value === undefined || isRefused(row.key, value)) refused.push(row.key);
    else if (isChanged(row, value)) changes.push({ key: row.key, value: normalised(row.key, value) });
  }
  return { changes, unknown, refused };
}

function entriesOf(text: string): [string, string | undefined][] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const listed = Array.isArray(parsed) ? parsed : 'data' in parsed ? parsed.data : undefined;
  if (!Array.isArray(listed)) return Object.entries(parsed).map(([key, value]) => [key, textOf(value)]);
  return listed.flatMap((row: unknown): [string, string | undefined][] =>
    typeof row === 'object' && row !== null && 'key' in row && 'value' in row
      ? [[String(row.key), textOf(row.value)]]
      : [],
  );
}

/** No option is set to nothing: undefined for null. */
function textOf(value: unknown): string | undefined {
  if (value === null) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
