/**
 * Reads a channel's parameter override once, so that a broken one is found before any request is changed by it.
 */
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { TollgateError } from '../errors.ts';
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

/** The error for an override that cannot be used, with the reason for the log. */
export function invalidOverride(reason: string, cause?: unknown): TollgateError {
  return new TollgateError('channel:param_override_invalid', {}, { cause: cause ?? new Error(reason) });
}

/** Operations of either form of override. Throws `channel:param_override_invalid`. */
export function readOverride(override: unknown): OverrideOperation[] {
  if (override === undefined || override === null) return [];
  if (!isObject(override)) throw invalidOverride('not an object');
  if (Array.isArray(override.operations)) return override.operations.map(readOperation);
  return Object.entries(override).map(([key, value]) => ({
    action: { kind: 'set', path: [safeName(key)], value, keepsOrigin: false },
    conditions: [],
    logic: 'OR',
  }));
}

function safeName(key: string): string {
  if (parsePath(key.replaceAll('.', '\\.')) === undefined) throw invalidOverride(`field ${key}`);
  return key;
}

function readOperation(entry: Json): OverrideOperation {
  if (!isObject(entry)) throw invalidOverride('an operation is not an object');
  const listed = entry.conditions ?? [];
  // A single condition is often written without its list.
  const conditions = (Array.isArray(listed) ? listed : [listed]).map(readCondition);
  return { action: readAction(entry), conditions, logic: entry.logic === 'AND' ? 'AND' : 'OR' };
}

function readCondition(entry: Json): OverrideCondition {
  const fields = asObject(entry);
  const mode = conditionModes.find((word) => word === (fields?.mode ?? 'full'));
  if (fields === undefined || mode === undefined) throw invalidOverride('a condition');
  return {
    path: readPath(fields.path, 'condition'),
    mode,
    value: fields.value ?? null,
    isInverted: asFlag(fields.invert) ?? false,
    passesWhenMissing: asFlag(fields.pass_missing_key) ?? false,
  };
}

function readPath(value: Json | undefined, where: string): readonly string[] {
  const path = typeof value === 'string' ? parsePath(value) : undefined;
  if (path === undefined) throw invalidOverride(`path of ${where}`);
  return path;
}

function readAction(entry: JsonObject): OverrideAction {
  const mode = asWord(entry.mode) ?? '';
  const path = () => readPath(entry.path, mode);
  const keepsOrigin = asFlag(entry.keep_origin) ?? false;
  for (const kind of textModes) if (kind === mode) return { kind, path: path(), value: readText(entry.value, mode) };
  for (const kind of bareTextModes) if (kind === mode) return { kind, path: path() };
  switch (mode) {
    case 'set':
    case 'prepend':
    case 'append':
      if (entry.value === undefined) throw invalidOverride(`value of ${mode}`);
      return { kind: mode, path: path(), value: entry.value, keepsOrigin };
    case 'delete':
      return { kind: mode, path: path() };
    case 'move':
    case 'copy':
      return { kind: mode, from: readPath(entry.from, mode), to: readPath(entry.to, mode) };
    case 'replace':
      return { kind: mode, path: path(), from: readText(entry.from, mode), to: asText(entry.to) ?? '' };
    case 'regex_replace':
      return { kind: mode, path: path(), from: readPattern(entry.from), to: asText(entry.to) ?? '' };
    case 'return_error':
      return { kind: mode, refusal: readRefusal(asObject(entry.value)) };
    case 'set_header':
      return { kind: mode, name: readText(entry.path, mode), value: entry.value ?? null };
    case 'delete_header':
      return { kind: mode, name: readText(entry.path, mode) };
    default:
      throw invalidOverride(`mode ${mode}`);
  }
}

function readText(value: Json | undefined, mode: string): string {
  if (typeof value !== 'string' || value === '') throw invalidOverride(`text of ${mode}`);
  return value;
}

function readPattern(value: Json | undefined): RE2JS {
  try {
    return RE2JS.compile(readText(value, 'regex_replace'));
  } catch (cause) {
    throw cause instanceof RE2JSSyntaxException ? invalidOverride('pattern', cause) : cause;
  }
}

function readRefusal(fields: JsonObject | undefined): OverrideRefusal {
  const message = asWord(fields?.message);
  if (message === undefined) throw invalidOverride('message of return_error');
  const status = asNumber(fields?.status_code) ?? 400;
  if (!Number.isInteger(status) || status < 400 || status > 599) throw invalidOverride('status of return_error');
  const code = typeof fields?.code === 'number' ? String(fields.code) : asWord(fields?.code);
  return { status, message, code: code ?? 'invalid_request', type: asWord(fields?.type) ?? 'tollgate_error' };
}
