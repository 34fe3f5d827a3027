/** What a caller wrote about a channel, checked and brought into the form of the row (management-api.md 3.10). */
import { settingProblem } from '../contract/channel-settings.ts';
import { type ChannelType, findChannelType } from '../contract/channel-types.ts';
import { splitCommaList } from '../contract/comma-list.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelRecord } from '../store/channels.ts';

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
/** Levels of a JSON column: more than any setting has, and few enough for whatever walks it. */
const deepestJson = 64;
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

/** Reads the members that are present. Throws the `channel_*` code of the first that cannot be. */
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
  if (input.tag !== undefined) patch.tag = input.tag?.trim() ? bounded('tag', input.tag.trim(), longestName) : null;
  return patch;
}

/** Scheme, host and port of a base address; the text itself where it is none. */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
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

/**
 * Checks what only the whole row can tell: region, version, length of the prefixed names. Returns the fields with the
 * defaults of the type filled in.
 */
export function completeChannel<F extends Pick<ChannelFields, 'type' | 'other' | 'models' | 'modelPrefix'>>(
  fields: F,
): F {
  const type = knownType(fields.type);
  const prefix = fields.modelPrefix ?? '';
  if (splitCommaList(fields.models).some((model) => (prefix + model).length > longestModel)) {
    throw new TollgateError('channel_model_too_long', {}, { field: 'models' });
  }
  if (type.other === 'region') checkRegion(fields.other);
  if (fields.other === '' && type.defaultOther !== undefined) return { ...fields, other: type.defaultOther };
  return fields;
}

/** A region is a plain name, or JSON that names one for every model and has `default`. */
function checkRegion(other: string): void {
  if (other.trim() === '') throw new TollgateError('channel_region_required', {}, { field: 'other' });
  if (!other.trim().startsWith('{')) return;
  const regions = jsonObject('other', other);
  if (!Object.hasOwn(regions, 'default')) throw new TollgateError('channel_region_default', {}, { field: 'other' });
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
  if (isPresent(input.other)) patch.other = input.other;
  if (isPresent(input.model_mapping)) patch.modelMapping = jsonText('model_mapping', input.model_mapping);
  if (isPresent(input.status_code_mapping)) {
    patch.statusCodeMapping = jsonText('status_code_mapping', input.status_code_mapping);
  }
  if (isPresent(input.setting)) patch.setting = settingText(input.setting);
  if (isPresent(input.param_override)) patch.paramOverride = jsonText('param_override', input.param_override);
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

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function bounded(field: string, text: string, longest: number): string {
  if (text.length > longest || /\p{Cc}/u.test(text)) throw new TollgateError('invalid_input', { field }, { field });
  return text;
}

/** "" or the text of a JSON object. Throws `channel_json_invalid`. */
function jsonText(field: string, text: string): string {
  if (text.trim() === '') return '';
  jsonObject(field, text);
  return text;
}

/** "" or the text of a setting. Throws `channel_json_invalid`, `channel_setting_invalid` with the member. */
function settingText(text: string): string {
  if (text.trim() === '') return '';
  const problem = settingProblem(jsonObject('setting', text));
  if (problem !== undefined) {
    throw new TollgateError('channel_setting_invalid', { ...problem }, { field: `setting.${problem.key}` });
  }
  return text;
}

function jsonObject(field: string, text: string): Readonly<Record<string, unknown>> {
  const value = parse(text);
  if (!isObject(value) || isDeeperThan(value, deepestJson))
    throw new TollgateError('channel_json_invalid', { field }, { field });
  return value;
}

/** Whether objects and lists stand in each other more than so many times; walked without the stack that this spares. */
function isDeeperThan(value: object, levels: number): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((node) =>
      Object.values(node).filter((member: unknown) => typeof member === 'object' && member !== null),
    );
  }
  return false;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
