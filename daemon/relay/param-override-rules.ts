/**
 * Reads a channel's parameter override once, so that a broken one is found before any request is changed by it.
 */
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { TollgateError } from '../errors.ts';
import { MAX_DEPTH } from './body-scan.ts';
import { asFlag, asNumber, asObject, asText, asWord } from './formats/fields.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { parsePath } from './json-path.ts';

const conditionModes = ['full', 'prefix', 'suffix', 'contains', 'gt', 'gte', 'lt', 'lte', 'exists'] as const;

/** What must hold for an operation to run. */
export interface OverrideCondition {
  readonly path: readonly string[];
  readonly mode: (typeof conditionModes)[number];
  readonly value: Json;
  readonly isInverted: boolean;
  readonly passesWhenMissing: boolean;
}

/** A refusal that the operator wrote. */
export interface OverrideRefusal {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly message: string;
}

const textModes = ['trim_prefix', 'trim_suffix', 'ensure_prefix', 'ensure_suffix'] as const;
const bareTextModes = ['trim_space', 'to_lower', 'to_upper'] as const;
const operationModes: readonly OverrideAction['kind'][] = [
  'set',
  'delete',
  'move',
  'copy',
  'prepend',
  'append',
  ...textModes,
  ...bareTextModes,
  'replace',
  'regex_replace',
  'return_error',
  'set_header',
  'delete_header',
];

/** What one operation does. */
export type OverrideAction =
  | { readonly kind: 'set'; readonly path: readonly string[]; readonly value: Json; readonly keepsOrigin: boolean }
  | { readonly kind: 'delete'; readonly path: readonly string[] }
  | { readonly kind: 'move' | 'copy'; readonly from: readonly string[]; readonly to: readonly string[] }
  | {
      readonly kind: 'prepend' | 'append';
      readonly path: readonly string[];
      readonly value: Json;
      readonly keepsOrigin: boolean;
    }
  | { readonly kind: (typeof textModes)[number]; readonly path: readonly string[]; readonly value: string }
  | { readonly kind: (typeof bareTextModes)[number]; readonly path: readonly string[] }
  | { readonly kind: 'replace'; readonly path: readonly string[]; readonly from: string; readonly to: string }
  | { readonly kind: 'regex_replace'; readonly path: readonly string[]; readonly from: RE2JS; readonly to: string }
  | { readonly kind: 'return_error'; readonly refusal: OverrideRefusal }
  | { readonly kind: 'set_header'; readonly name: string; readonly value: Json }
  | { readonly kind: 'delete_header'; readonly name: string };

export interface OverrideOperation {
  readonly action: OverrideAction;
  readonly conditions: readonly OverrideCondition[];
  readonly logic: 'OR' | 'AND';
}

/**
 * The error for an override that cannot be used.
 * @param place members that lead to what is wrong, such as `operations.0.path`
 * @param reason English, of the catalogue of `contract/option-reasons.ts`
 */
function invalidOverride(place: string, reason: string): TollgateError {
  return new TollgateError('channel:param_override_invalid', { reason }, { field: place });
}

/** Operations of either form of override. Throws `channel:param_override_invalid`. */
export function readOverride(override: unknown): OverrideOperation[] {
  if (override === undefined || override === null) return [];
  if (!isObject(override)) throw invalidOverride('', 'must be an object');
  if (Array.isArray(override.operations)) {
    return override.operations.map((entry, index) => readOperation(entry, `operations.${index}`));
  }
  return Object.entries(override).map(([key, value]) => ({
    action: { kind: 'set', path: [safeName(key)], value, keepsOrigin: false },
    conditions: [],
    logic: 'OR',
  }));
}

function safeName(key: string): string {
  if (parsePath(key.replaceAll('.', '\\.')) === undefined) throw invalidOverride(key, 'is no name of a member');
  return key;
}

function readOperation(entry: Json, at: string): OverrideOperation {
  if (!isObject(entry)) throw invalidOverride(at, 'must be an object');
  const listed = entry.conditions ?? [];
  // A single condition is often written without its list.
  const conditions = Array.isArray(listed)
    ? listed.map((condition, index) => readCondition(condition, `${at}.conditions.${index}`))
    : [readCondition(listed, `${at}.conditions`)];
  return { action: readAction(entry, at), conditions, logic: entry.logic === 'AND' ? 'AND' : 'OR' };
}

function readCondition(entry: Json, at: string): OverrideCondition {
  const fields = asObject(entry);
  if (fields === undefined) throw invalidOverride(at, 'must be an object');
  const mode = conditionModes.find((word) => word === (fields.mode ?? 'full'));
  if (mode === undefined) throw invalidOverride(`${at}.mode`, `must be one of ${conditionModes.join(', ')}`);
  return {
    path: readPath(fields.path, `${at}.path`),
    mode,
    value: fields.value ?? null,
    isInverted: asFlag(fields.invert) ?? false,
    passesWhenMissing: asFlag(fields.pass_missing_key) ?? false,
  };
}

function readPath(value: Json | undefined, at: string): readonly string[] {
  const path = typeof value === 'string' ? parsePath(value) : undefined;
  // Bodies of clients nest no deeper.
  if (path === undefined || path.length > MAX_DEPTH)
    throw invalidOverride(at, 'must be a path such as messages.0.content');
  return path;
}

function readAction(entry: JsonObject, at: string): OverrideAction {
  const mode = asWord(entry.mode) ?? '';
  const path = () => readPath(entry.path, `${at}.path`);
  const text = (member: 'path' | 'value' | 'from') => readText(entry[member], `${at}.${member}`);
  const keepsOrigin = asFlag(entry.keep_origin) ?? false;
  for (const kind of textModes) if (kind === mode) return { kind, path: path(), value: text('value') };
  for (const kind of bareTextModes) if (kind === mode) return { kind, path: path() };
  switch (mode) {
    case 'set':
    case 'prepend':
    case 'append':
      if (entry.value === undefined) throw invalidOverride(`${at}.value`, 'is missing');
      return { kind: mode, path: path(), value: entry.value, keepsOrigin };
    case 'delete':
      return { kind: mode, path: path() };
    case 'move':
    case 'copy':
      return { kind: mode, from: readPath(entry.from, `${at}.from`), to: readPath(entry.to, `${at}.to`) };
    case 'replace':
      return { kind: mode, path: path(), from: text('from'), to: asText(entry.to) ?? '' };
    case 'regex_replace':
      return { kind: mode, path: path(), from: readPattern(text('from'), `${at}.from`), to: asText(entry.to) ?? '' };
    case 'return_error':
      return { kind: mode, refusal: readRefusal(asObject(entry.value), `${at}.value`) };
    case 'set_header':
      return { kind: mode, name: text('path'), value: entry.value ?? null };
    case 'delete_header':
      return { kind: mode, name: text('path') };
    default:
      throw invalidOverride(`${at}.mode`, `must be one of ${operationModes.join(', ')}`);
  }
}

function readText(value: Json | undefined, at: string): string {
  if (typeof value !== 'string' || value === '') throw invalidOverride(at, 'must be text that is not empty');
  return value;
}

function readPattern(pattern: string, at: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    if (!(cause instanceof RE2JSSyntaxException)) throw cause;
    throw invalidOverride(at, 'is not a regular expression of RE2 (no look-around, no back references)');
  }
}

function readRefusal(fields: JsonObject | undefined, at: string): OverrideRefusal {
  const message = asWord(fields?.message);
  if (message === undefined) throw invalidOverride(`${at}.message`, 'must be text that is not empty');
  const status = asNumber(fields?.status_code) ?? 400;
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw invalidOverride(`${at}.status_code`, 'must be a whole number from 400 to 599');
  }
  const code = typeof fields?.code === 'number' ? String(fields.code) : asWord(fields?.code);
  return { status, message, code: code ?? 'invalid_request', type: asWord(fields?.type) ?? 'tollgate_error' };
}
