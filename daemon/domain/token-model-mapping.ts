/** What the owner of a relay key wrote about names of models, brought into the form of its row (C28). */
import { endOfChain, isModelName, type ModelMapping } from '../contract/model-mapping.ts';
import { TollgateError } from '../errors.ts';

const field = 'model_mapping';
const mostEntries = 100;
/** What a refusal repeats of a name. */
const shownLength = 100;

/**
 * The text of the row; "" for no entries. Throws `token_mapping_invalid` for anything but an object of a bounded size,
 * `token_mapping_name_invalid` and `token_mapping_circular` with the entry at fault.
 */
export function tokenModelMapping(value: string | Readonly<Record<string, unknown>>): string {
  const given = typeof value === 'string' ? objectOf(value) : value;
  const entries = given && Object.entries(given);
  if (entries === undefined || entries.length > mostEntries) {
    throw new TollgateError('token_mapping_invalid', { max: mostEntries }, { field });
  }
  const mapping: ModelMapping = Object.fromEntries(entries.map(([alias, model]) => [alias, modelOf(alias, model)]));
  for (const [alias] of entries) {
    if (endOfChain(mapping, alias) === undefined) throw refusal('token_mapping_circular', alias);
  }
  return entries.length === 0 ? '' : JSON.stringify(mapping);
}

function modelOf(alias: string, model: unknown): string {
  if (typeof model === 'string' && isModelName(model) && isModelName(alias)) return model;
  throw refusal('token_mapping_name_invalid', alias);
}

function refusal(code: 'token_mapping_circular' | 'token_mapping_name_invalid', alias: string): TollgateError {
  return new TollgateError(code, { entry: JSON.stringify(alias.slice(0, shownLength)) }, { field });
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
