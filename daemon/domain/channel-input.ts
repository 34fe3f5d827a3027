/** What a caller wrote about a channel, checked and brought into the form of the row (management-api.md 3.10). */
import { type ChannelType, findChannelType } from '../contract/channel-types.ts';
import { splitCommaList } from '../contract/comma-list.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelRecord } from '../store/channels.ts';
import { checkKeys, checkOther } from './channel-configuration.ts';

/** Members as they come in; undefined and null are absent, except `tag: null`, which clears. */
export interface ChannelInput {
  readonly type?: number | string | null | undefined;
  readonly key?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly models?: string | null | undefined;
  readonly group?: string | null | undefined;
  readonly groups?: readonly string[] | null | undefined;
  readonly openai_organization?: string | null | undefined;
  readonly test_model?: string | null | undefined;
  readonly status?: number | string | null | undefined;
  readonly weight?: number | string | null | undefined;
  readonly priority?: number | string | null | undefined;
  readonly base_url?: string | null | undefined;
  readonly other?: string | null | undefined;
  readonly model_mapping?: string | null | undefined;
  readonly status_code_mapping?: string | null | undefined;
  readonly max_input_tokens?: number | string | null | undefined;
  readonly auto_ban?: number | string | null | undefined;
  readonly tag?: string | null | undefined;
  readonly setting?: string | null | undefined;
  readonly param_override?: string | null | undefined;
  readonly model_prefix?: string | null | undefined;
}

/** The columns that a caller may write. */
export type ChannelFields = Pick<
  ChannelRecord,
  | 'type'
  | 'name'
  | 'models'
  | 'group'
  | 'openaiOrganization'
  | 'testModel'
  | 'status'
  | 'weight'
  | 'priority'
  | 'baseUrl'
  | 'other'
  | 'modelMapping'
  | 'statusCodeMapping'
  | 'maxInputTokens'
  | 'autoBan'
  | 'tag'
  | 'setting'
  | 'paramOverride'
  | 'modelPrefix'
>;

/** Columns to write; what is absent stays. */
export type ChannelPatch = { -readonly [F in keyof ChannelFields]?: ChannelFields[F] };

const longestName = 255;
const longestModel = 255;
const longestGroup = 64;
const longestPrefix = 64;
const longestTag = 64;
const lowestPriority = -999;
/** Most that an integer column of PostgreSQL holds. */
const largestInteger = 2_147_483_647;

/** What a row holds where its creator says nothing. */
export const emptyChannel = {
  status: 1,
  weight: 0,
  priority: 0,
  baseUrl: '',
  other: '',
  group: 'default',
  autoBan: 1,
  modelMapping: '',
  statusCodeMapping: '',
  maxInputTokens: 0,
  tag: null,
  setting: '',
  paramOverride: '',
  modelPrefix: '',
} as const satisfies ChannelPatch;

/**
 * Reads the members that are present; what texts of JSON say is judged by `checkConfiguration`. Throws the `channel_*`
 * code of the first that cannot be.
 */
export function readChannelInput(input: ChannelInput): ChannelPatch {
  const patch: ChannelPatch = {};
  const name = input.name?.trim();
  if (name) patch.name = bounded('name', name, longestName);
  if (isFilled(input.type) && Number(input.type) !== 0) patch.type = knownType(input.type).type;
  const models = splitCommaList(input.models ?? '').join(',');
  if (models !== '') patch.models = models;
  const groups = groupList(input);
  if (groups && groups.length > 0) patch.group = groups.join(',');
  readClearable(input, patch);
  readNumbers(input, patch);
  if (input.tag !== undefined) patch.tag = input.tag?.trim() ? bounded('tag', input.tag.trim(), longestTag) : null;
  return patch;
}

/** The groups named by either member; undefined when neither is present. */
export function groupList(input: Pick<ChannelInput, 'group' | 'groups'>): string[] | undefined {
  const text = input.groups ? input.groups.join(',') : input.group;
  if (text === null || text === undefined) return undefined;
  const groups = splitCommaList(text);
  for (const group of groups) bounded('group', group, longestGroup);
  return groups;
}

/** The entry of a channel type. Throws `channel_type_unknown`. */
export function knownType(type: number | string | null | undefined): ChannelType {
  const entry = findChannelType(Number(type));
  if (!entry) throw new TollgateError('channel_type_unknown', {}, { field: 'type' });
  return entry;
}

type WholeFields = Pick<ChannelFields, 'type' | 'other' | 'models' | 'modelPrefix'> &
  Partial<Pick<ChannelFields, 'baseUrl'>>;

/**
 * Checks what only the whole row can tell, as far as it differs from `current`: region, version, length of the prefixed
 * names; and the keys. Returns the fields with the defaults of the type filled in.
 * @param keys all that the channel will have, or those that come to it; none where they are not known
 */
export function completeChannel<F extends WholeFields>(
  fields: F,
  current?: WholeFields,
  keys: readonly string[] = [],
): F {
  const type = knownType(fields.type);
  const prefix = fields.modelPrefix ?? '';
  const isNew = (member: keyof WholeFields) => fields[member] !== current?.[member];
  const isLong = (model: string) => (prefix + model).length > longestModel;
  if ((isNew('models') || isNew('modelPrefix')) && splitCommaList(fields.models).some(isLong)) {
    throw new TollgateError('channel_model_too_long', {}, { field: 'models' });
  }
  const question = { other: fields.other, baseUrl: fields.baseUrl ?? '', keys };
  // Blanks around what was stored long ago are no change of it.
  const isSame = !isNew('type') && fields.other.trim() === current?.other.trim();
  if (isSame) checkKeys(type, question);
  else checkOther(type, question);
  if (fields.other === '' && type.defaultOther !== undefined) return { ...fields, other: type.defaultOther };
  return fields;
}

/** An address as it is kept: one slash at its end goes, but nothing of a query, in which keys may stand. */
export function baseAddress(text: string): string {
  const address = text.trim();
  return address.includes('?') ? address : address.replace(/\/$/, '');
}

function readClearable(input: ChannelInput, patch: ChannelPatch): void {
  if (isPresent(input.openai_organization)) {
    patch.openaiOrganization = bounded('openai_organization', input.openai_organization.trim(), longestName);
  }
  if (isPresent(input.test_model)) patch.testModel = bounded('test_model', input.test_model.trim(), longestModel);
  if (isPresent(input.base_url)) patch.baseUrl = bounded('base_url', baseAddress(input.base_url), 2048);
  if (isPresent(input.other)) patch.other = input.other.trim();
  if (isPresent(input.model_mapping)) patch.modelMapping = textOrEmpty(input.model_mapping);
  if (isPresent(input.status_code_mapping)) patch.statusCodeMapping = textOrEmpty(input.status_code_mapping);
  if (isPresent(input.setting)) patch.setting = textOrEmpty(input.setting);
  if (isPresent(input.param_override)) patch.paramOverride = textOrEmpty(input.param_override);
  if (isPresent(input.model_prefix)) {
    patch.modelPrefix = bounded('model_prefix', input.model_prefix.trim(), longestPrefix);
  }
}

function readNumbers(input: ChannelInput, patch: ChannelPatch): void {
  if (isFilled(input.priority)) {
    patch.priority = integer(input.priority, {
      code: 'channel_priority_invalid',
      field: 'priority',
      min: lowestPriority,
    });
  }
  if (isFilled(input.weight))
    patch.weight = integer(input.weight, {
      code: 'channel_weight_invalid',
      field: 'weight',
      min: 0,
      max: largestInteger,
    });
  if (isFilled(input.auto_ban)) patch.autoBan = Number(input.auto_ban) === 0 ? 0 : 1;
  if (isFilled(input.max_input_tokens)) {
    const rule = { code: 'invalid_params', field: 'max_input_tokens', min: 0, max: largestInteger } as const;
    patch.maxInputTokens = integer(input.max_input_tokens, rule);
  }
  if (isFilled(input.status)) {
    const status = integer(input.status, { code: 'channel_status_invalid', field: 'status', min: 0 });
    if (status !== 1 && status !== 2) throw new TollgateError('channel_status_invalid', {}, { field: 'status' });
    patch.status = status;
  }
}

type IntegerRule = {
  readonly code: 'channel_priority_invalid' | 'channel_weight_invalid' | 'channel_status_invalid' | 'invalid_params';
  readonly field: string;
  readonly min: number;
  readonly max?: number;
};

function integer(value: number | string, rule: IntegerRule): number {
  const number = typeof value === 'string' ? Number(value.trim()) : value;
  const isWithin = number >= rule.min && number <= (rule.max ?? Number.MAX_SAFE_INTEGER);
  if (!Number.isSafeInteger(number) || !isWithin) throw new TollgateError(rule.code, {}, { field: rule.field });
  return number;
}

/** Present and, as a text, not empty; `0` counts as filled. */
function isFilled<T extends string | number>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null && value !== '';
}

function textOrEmpty(text: string): string {
  return text.trim() === '' ? '' : text;
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function bounded(field: string, text: string, longest: number): string {
  if (text.length > longest || /\p{Cc}/u.test(text)) throw new TollgateError('invalid_input', { field }, { field });
  return text;
}
