/**
 * What is wrong with the rules that a channel has for its calls, told before a call meets them (relay.md 12.2, 12.4 to
 * 12.6). Stricter than the readers of stored rules: most of what those pass over in silence is told, too.
 */
import { TollgateError } from '../errors.ts';
import { asObject } from './formats/fields.ts';
import { safetyCategories } from './formats/gemini-generate/safety.ts';
import { headerNameProblem, headerTextProblem, headerValueProblem, isHeaderName } from './header-rules.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { followMapping } from './model-names.ts';
import { type OverrideCondition, readOverride } from './param-override-rules.ts';
import type { OtherQuestion } from './provider.ts';
import { providerOf } from './providers/index.ts';

export type { OtherQuestion };
export { headerNameProblem, headerTextProblem, safetyCategories };

export interface RuleProblem {
  /** Members that lead to what is wrong, such as `operations.0.path`; "" for the whole. */
  readonly place: string;
  /** English, of the catalogue of `contract/option-reasons.ts`. */
  readonly reason: string;
}

type Members = Readonly<Record<string, unknown>>;

/** What is wrong with a channel's `other`, by the reader of its type. */
export function otherProblem(type: number, question: OtherQuestion): RuleProblem | undefined {
  const reason = providerOf(type)?.otherProblem?.(question);
  return reason === undefined ? undefined : { place: '', reason };
}

/** What is wrong with a channel's `model_mapping`. */
export function mappingProblem(mapping: Members): RuleProblem | undefined {
  const named: Record<string, string> = Object.create(null);
  for (const [place, target] of Object.entries(mapping)) {
    if (typeof target !== 'string' || target.trim() === '') return { place, reason: 'must be the name of a model' };
    named[place] = target;
  }
  const place = Object.keys(named).find((model) => followMapping(model, named) === undefined);
  return place === undefined ? undefined : { place, reason: 'leads back to itself, or on through more than 10 names' };
}

/** What is wrong with a channel's `status_code_mapping`. Statuses that there are not have no effect (relay.md 12.4). */
export function statusMappingProblem(mapping: Members): RuleProblem | undefined {
  const reason = 'must lead from a status to another, as whole numbers';
  const place = Object.entries(mapping).find(([from, to]) => !isWhole(from) || !isWhole(to))?.[0];
  if (place !== undefined) return { place, reason };
  // Clients would take the error for the answer.
  const success = Object.entries(mapping).find(([, to]) => isSuccess(Number(to)))?.[0];
  return success === undefined ? undefined : { place: success, reason: 'must not lead to a status of success' };
}

/** A status under which no error is told. */
function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A whole number, or its text. */
function isWhole(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && /^\d+$/.test(String(value).trim());
}

/** What is wrong with a channel's `param_override`. */
export function overrideProblem(override: Members): RuleProblem | undefined {
  try {
    const operations = readOverride(override);
    if (override.operations === undefined) return undefined;
    if (!Array.isArray(override.operations)) return { place: 'operations', reason: 'must be a list' };
    const other = Object.keys(override).find((member) => member !== 'operations');
    if (other !== undefined) return { place: other, reason: 'has no effect beside operations' };
    const written = override.operations.filter(isObject);
    for (const [index, { conditions }] of operations.entries()) {
      const found = operationProblem(written[index] ?? {}) ?? conditionProblem(conditions);
      if (found !== undefined) return { ...found, place: `operations.${index}.${found.place}` };
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    return { place: error.field ?? '', reason: String(error.params.reason) };
  }
}

function operationProblem({
  mode,
  path,
  value,
  to,
  logic,
  keep_origin,
  conditions,
}: JsonObject): RuleProblem | undefined {
  if (logic !== undefined && logic !== 'OR' && logic !== 'AND') {
    return { place: 'logic', reason: 'must be one of OR, AND' };
  }
  const ofFlag = flagProblem({ keep_origin }) ?? conditionFlagProblem(conditions);
  if (ofFlag !== undefined) return ofFlag;
  // What is found would be taken away.
  if ((mode === 'replace' || mode === 'regex_replace') && typeof (to ?? '') !== 'string') {
    return { place: 'to', reason: 'must be text' };
  }
  if (mode !== 'set_header' && mode !== 'delete_header') return undefined;
  const ofName = headerNameProblem(String(path));
  if (ofName !== undefined) return { place: 'path', reason: ofName };
  const ofValue = mode === 'set_header' ? headerValueProblem(value ?? null) : undefined;
  return ofValue === undefined ? undefined : { place: 'value', reason: ofValue };
}

/** A switch that is no true or false would count as off. */
function flagProblem(flags: Readonly<Record<string, Json | undefined>>): RuleProblem | undefined {
  const place = Object.keys(flags).find((name) => typeof (flags[name] ?? false) !== 'boolean');
  return place === undefined ? undefined : { place, reason: 'must be true or false' };
}

function conditionFlagProblem(conditions: Json | undefined): RuleProblem | undefined {
  const isListed = Array.isArray(conditions);
  for (const [index, entry] of (isListed ? conditions : [conditions]).entries()) {
    const { invert, pass_missing_key } = asObject(entry) ?? {};
    const found = flagProblem({ invert, pass_missing_key });
    if (found !== undefined) return { ...found, place: `conditions.${isListed ? `${index}.` : ''}${found.place}` };
  }
  return undefined;
}

/** A condition that nothing can meet. */
function conditionProblem(conditions: readonly OverrideCondition[]): RuleProblem | undefined {
  for (const [index, { mode, value }] of conditions.entries()) {
    const place = `conditions.${index}.value`;
    if ((mode === 'prefix' || mode === 'suffix') && typeof value !== 'string') {
      return { place, reason: 'must be text' };
    }
    if (['gt', 'gte', 'lt', 'lte'].includes(mode) && typeof value !== 'number') {
      return { place, reason: 'must be a number' };
    }
  }
  return undefined;
}

/** What is wrong with the members of a channel's `setting` that are about headers (relay.md 12.6). */
export function headerSettingProblem(setting: Members): RuleProblem | undefined {
  const { header_override: override, pass_headers: passed, user_agent: agent } = setting;
  for (const [name, value] of Object.entries(isObject(override) ? override : {})) {
    const reason = headerNameProblem(name) ?? headerValueProblem(value);
    if (reason !== undefined) return { place: `header_override.${name}`, reason };
  }
  for (const [index, name] of (Array.isArray(passed) ? passed : []).entries()) {
    // Of those that are never passed on, a wish has no effect.
    if (!isHeaderName(String(name))) return { place: `pass_headers.${index}`, reason: 'is no name of a header' };
  }
  const ofAgent = typeof agent === 'string' ? headerTextProblem(agent) : undefined;
  return ofAgent === undefined ? undefined : { place: 'user_agent', reason: ofAgent };
}
