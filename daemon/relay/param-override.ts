/**
 * A channel's parameter override on an upstream body (relay.md 12.5): the last word on what is sent. Works on copies;
 * what no operation touches stays the same value, so that the native lane can splice only the difference.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from './json.ts';
import { valueAt, withValueAt } from './json-path.ts';
import { OverrideGrowth } from './param-override-growth.ts';
import {
  type OverrideAction,
  type OverrideCondition,
  type OverrideOperation,
  type OverrideRefusal,
  readOverride,
} from './param-override-rules.ts';

/** Facts that conditions may read beside the body: `original_model`, `upstream_model`, `retry_index`, ... */
export type OverrideFacts = Readonly<Record<string, Json>>;

/** What an override made of a request. */
export type OverrideResult =
  | {
      readonly kind: 'body';
      readonly body: JsonObject;
      /** Headers to set, subject to the rules of `header-rules.ts`; null takes one away. */
      readonly headers: readonly (readonly [name: string, value: Json])[];
    }
  | { readonly kind: 'refused'; readonly refusal: OverrideRefusal };

/** One channel's override, read once. */
export class ParamOverride {
  readonly #operations: readonly OverrideOperation[];

  /** Throws `channel:param_override_invalid`. */
  constructor(override: unknown) {
    this.#operations = readOverride(override);
  }

  /** True when there is nothing to do. */
  get isEmpty(): boolean {
    return this.#operations.length === 0;
  }

  /**
   * Applies the operations in order. `body` itself stays as it is. Throws `channel:param_override_invalid` when they make
   * too much of it.
   */
  apply(body: JsonObject, facts: OverrideFacts): OverrideResult {
    let changed = body;
    const growth = new OverrideGrowth();
    const headers: (readonly [string, Json])[] = [];
    for (const { action, conditions, logic } of this.#operations) {
      if (!holds(conditions, logic, (path) => readable(changed, facts, path))) continue;
      if (action.kind === 'return_error') return { kind: 'refused', refusal: action.refusal };
      if (action.kind === 'set_header') headers.push([action.name, action.value]);
      else if (action.kind === 'delete_header') headers.push([action.name, null]);
      else changed = change(changed, action, growth);
    }
    return { kind: 'body', body: changed, headers };
  }
}

/**
 * What a condition reads; a null is there. The body says as which model it goes on; of all other facts a client may write
 * there what it likes, such as a group that it is not in.
 */
function readable(body: JsonObject, facts: OverrideFacts, path: readonly string[]): Json | undefined {
  const [first, second] = path[0] === 'model' ? [body, facts] : [facts, body];
  const found = valueAt(first, path);
  return found === undefined ? valueAt(second, path) : found;
}

function holds(
  conditions: readonly OverrideCondition[],
  logic: 'OR' | 'AND',
  read: (path: readonly string[]) => Json | undefined,
): boolean {
  if (conditions.length === 0) return true;
  const isTrue = (condition: OverrideCondition) => isMet(condition, read(condition.path));
  return logic === 'AND' ? conditions.every(isTrue) : conditions.some(isTrue);
}

function isMet(condition: OverrideCondition, found: Json | undefined): boolean {
  if (condition.mode === 'exists') return (found !== undefined) !== condition.isInverted;
  if (found === undefined) return condition.passesWhenMissing;
  return compare(condition.mode, found, condition.value) !== condition.isInverted;
}

function compare(mode: Exclude<OverrideCondition['mode'], 'exists'>, found: Json, wanted: Json): boolean {
  if (mode === 'full') return isDeepStrictEqual(found, wanted);
  if (mode === 'contains' && Array.isArray(found)) return found.some((entry) => isDeepStrictEqual(entry, wanted));
  if (mode === 'prefix' || mode === 'suffix' || mode === 'contains') {
    if (typeof found !== 'string' || typeof wanted !== 'string') return false;
    if (mode === 'prefix') return found.startsWith(wanted);
    return mode === 'suffix' ? found.endsWith(wanted) : found.includes(wanted);
  }
  if (typeof found !== 'number' || typeof wanted !== 'number') return false;
  switch (mode) {
    case 'gt':
      return found > wanted;
    case 'gte':
      return found >= wanted;
    case 'lt':
      return found < wanted;
    case 'lte':
      return found <= wanted;
  }
}

type BodyAction = Exclude<OverrideAction, { kind: 'return_error' | 'set_header' | 'delete_header' }>;

function change(body: JsonObject, action: BodyAction, growth: OverrideGrowth): JsonObject {
  switch (action.kind) {
    case 'set':
      if (action.keepsOrigin && valueAt(body, action.path) !== undefined) return body;
      return withValueAt(body, action.path, action.value);
    case 'delete':
      return withValueAt(body, action.path, undefined);
    case 'move':
    case 'copy': {
      const value = valueAt(body, action.from);
      if (value === undefined) return body;
      if (action.kind === 'copy') growth.copied(value, action.to.length);
      else growth.moved(value, action.to.length);
      const rest = action.kind === 'move' ? withValueAt(body, action.from, undefined) : body;
      const moved = withValueAt(rest, action.to, value);
      // A place that cannot be reached takes nothing away from the other.
      return valueAt(moved, action.to) === undefined ? body : moved;
    }
    case 'prepend':
    case 'append': {
      const old = valueAt(body, action.path);
      return old === undefined ? body : withValueAt(body, action.path, join(old, action));
    }
    default: {
      const old = valueAt(body, action.path);
      return typeof old === 'string' ? withValueAt(body, action.path, rewrite(old, action, growth)) : body;
    }
  }
}

/** Adds to a text, a list or an object; anything else stays as it is. */
function join(old: Json, action: Extract<BodyAction, { kind: 'prepend' | 'append' }>): Json {
  const { kind, value, keepsOrigin } = action;
  if (typeof old === 'string') {
    if (typeof value !== 'string') return old;
    return kind === 'append' ? old + value : value + old;
  }
  if (Array.isArray(old)) {
    const added = Array.isArray(value) ? value : [value];
    return kind === 'append' ? [...old, ...added] : [...added, ...old];
  }
  if (!isObject(old) || !isObject(value)) return old;
  return keepsOrigin ? { ...value, ...old } : { ...old, ...value };
}

type TextAction = Exclude<BodyAction, { kind: 'set' | 'delete' | 'move' | 'copy' | 'prepend' | 'append' }>;

function rewrite(text: string, action: TextAction, growth: OverrideGrowth): string {
  switch (action.kind) {
    case 'trim_prefix':
      return text.startsWith(action.value) ? text.slice(action.value.length) : text;
    case 'trim_suffix':
      return text.endsWith(action.value) ? text.slice(0, -action.value.length) : text;
    case 'ensure_prefix':
      return text.startsWith(action.value) ? text : action.value + text;
    case 'ensure_suffix':
      return text.endsWith(action.value) ? text : text + action.value;
    case 'trim_space':
      return text.trim();
    case 'to_lower':
      return text.toLowerCase();
    case 'to_upper':
      return text.toUpperCase();
    case 'replace':
      growth.replaced(text, action.from, action.to);
      return text.replaceAll(action.from, () => action.to);
    case 'regex_replace':
      growth.matched(text, action.from, action.to);
      return action.from.matcher(text).replaceAll(action.to);
  }
}
