/** Rows for machines: tab-separated and comma-separated lines, and JSON with the published field names. */
import { stringify as csvLine } from 'csv-stringify/sync';
import { guardFormula } from '../../daemon/contract/spreadsheet-text.ts';
import { type Column, cellText, type View } from './columns.ts';

const tsvEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** One tab-separated line without its line feed. */
export function tsvLine(values: readonly (string | number | boolean | null | undefined)[]): string {
  return values.map((value) => cellText(value).replace(/[\\\t\n\r]/g, (char) => tsvEscapes[char] ?? char)).join('\t');
}

export interface CsvChoices {
  /** Leaves text that a spreadsheet would run as a formula as it is. */
  formulas: 'guarded' | 'raw';
}

/** One comma-separated line (RFC 4180) with its line end. */
export function csvRow(values: readonly (string | number | boolean | null | undefined)[], choices: CsvChoices): string {
  const cells = values.map((value) => {
    const isText = typeof value === 'string' && !/^-?[\d.]+$/.test(value);
    return choices.formulas === 'guarded' && isText ? guardFormula(value) : cellText(value);
  });
  return csvLine([cells], { record_delimiter: 'windows' });
}

/** How times and amounts are printed in JSON and YAML; undefined: as on the wire. */
export interface MemberForms {
  time: ((seconds: number) => string | number) | undefined;
  usd: ((units: number) => string) | undefined;
}

/** Members that the contract gives in unix seconds; 0 and -1 stand for no time. */
const timeMembers = new Set(
  'accessed_time applied_at balance_updated_time complete_time cool_until create_time created_at created_time expired_time expires_at heartbeat_at last_seen_at last_used last_used_at next_time previous_until received_at redeemed_time resets_at started_at status_time test_time updated updated_at used_time valid_from valid_until'.split(
    ' ',
  ),
);

/** Members that the contract gives in seconds of tasks and in milliseconds of drawings. */
const workTimeMembers = new Set(['finish_time', 'start_time', 'submit_time']);
/** Seconds of the year 5138, milliseconds of 1973. */
const leastMilliseconds = 100_000_000_000;

function secondsOf(name: string, value: number): number | undefined {
  if (timeMembers.has(name)) return value;
  if (!workTimeMembers.has(name)) return undefined;
  return value < leastMilliseconds ? value : Math.floor(value / 1000);
}

/** Members that the contract gives in units. */
const amountMembers = new Set(
  'aff_history_quota aff_quota charge charged cost cost_24h least_quota max_quota min_quota most_quota paid_quota quota quota_24h quota_awarded remain_quota revenue_24h test_quota topped_up total_available total_granted total_used used_quota would_be'.split(
    ' ',
  ),
);

/** One member under the name and in the form that were asked for. */
function formed(name: string, value: unknown, { time, usd }: MemberForms): [name: string, value: unknown] {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const seconds = typeof value === 'number' && value > 0 ? secondsOf(last, value) : undefined;
  if (time !== undefined && seconds !== undefined) return [name, time(seconds)];
  if (usd === undefined || !amountMembers.has(last)) return [name, value];
  return [`${name}_usd`, typeof value === 'number' ? usd(value) : value];
}

/** Values of one row, in column order. */
export function rowValues<T>(row: T, columns: readonly Column<T>[]): (string | number | boolean | null | undefined)[] {
  return columns.map((column) => column.value(row));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return text === '' ? null : text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The row as JSON prints it: hidden members out, JSON texts opened, the chosen fields in order. */
export function jsonRow<T>(
  row: T,
  view: Pick<View<T>, 'jsonMembers' | 'hidden' | 'fields'>,
  choices: { fields?: readonly string[] | undefined; raw: boolean; forms: MemberForms },
): unknown {
  if (!isRecord(row)) return row;
  const blank = ['password', 'access_token'].filter((name) => !view.fields?.includes(name));
  const hidden = new Set([...(view.hidden ?? []), ...blank]);
  const texts = typeof view.jsonMembers === 'function' ? view.jsonMembers(row) : view.jsonMembers;
  const opened = new Set(choices.raw ? [] : texts);
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (!hidden.has(name)) all[name] = opened.has(name) ? parsed(value) : value;
  }
  const chosen = choices.fields?.map((path): [string, unknown] => {
    let value: unknown = all;
    for (const part of path.split('.')) value = isRecord(value) ? value[part] : undefined;
    return [path, value ?? null];
  });
  return Object.fromEntries((chosen ?? Object.entries(all)).map(([name, value]) => formed(name, value, choices.forms)));
}
