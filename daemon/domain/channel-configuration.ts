/**
 * The texts of a channel that calls are made by, judged when they are written: JSON of mappings, override and setting,
 * regions, and what goes into headers (relay.md 12).
 */
import { settingProblem } from '../contract/channel-settings.ts';
import { type ChannelType, findChannelType } from '../contract/channel-types.ts';
import { TollgateError } from '../errors.ts';
import {
  headerSettingProblem,
  headerTextProblem,
  mappingProblem,
  type OtherQuestion,
  otherProblem,
  overrideProblem,
  type RuleProblem,
  statusMappingProblem,
} from '../relay/channel-rules.ts';
import type { ChannelPatch, ChannelRecord } from '../store/channels.ts';

type JsonMembers = Readonly<Record<string, unknown>>;

const rules = [
  { column: 'modelMapping', field: 'model_mapping', problemOf: mappingProblem },
  { column: 'statusCodeMapping', field: 'status_code_mapping', problemOf: statusMappingProblem },
  { column: 'paramOverride', field: 'param_override', problemOf: overrideProblem },
] as const;

/** Levels of a JSON column: more than any setting has, and few enough for whatever walks it. */
const deepestJson = 64;

/**
 * Judges what the patch changes of `current`, or all of it for a channel to be made: what was stored before a rule was
 * known stays as it is. Throws `channel_json_invalid`, `channel_rule_invalid`, `channel_setting_invalid`, with the
 * members that lead to what is wrong as its field.
 */
export function checkConfiguration(patch: ChannelPatch, current?: ChannelRecord): void {
  const changed = (column: keyof ChannelPatch & keyof ChannelRecord): string => {
    const text = patch[column];
    return typeof text === 'string' && text !== current?.[column] ? text : '';
  };
  for (const { column, field, problemOf } of rules) {
    const text = changed(column);
    if (text !== '') refuse(field, problemOf(jsonObject(field, text)) ?? roundedProblem(text));
  }
  const setting = changed('setting');
  if (setting !== '') checkSetting(jsonObject('setting', setting));
  const type = findChannelType(patch.type ?? current?.type ?? 0);
  checkHeaderText('openai_organization', changed('openaiOrganization'));
  if (type?.other === 'header') checkHeaderText('other', changed('other'));
}

/** What is wrong with the members of a setting; undefined when nothing is. */
export function settingFault(setting: JsonMembers): { readonly key: string; readonly reason: string } | undefined {
  const ofHeaders = headerSettingProblem(setting);
  return settingProblem(setting) ?? (ofHeaders && { key: ofHeaders.place, reason: ofHeaders.reason });
}

/** What the calls of a type read in `other`. Throws `channel_rule_invalid`, and the codes of `checkRegion`. */
export function checkOther(type: ChannelType, question: OtherQuestion): void {
  if (type.other === 'region') checkRegion(question.other);
  else refuse('other', otherProblem(type.type, question));
}

/**
 * Judges keys beside what stays of their channel, of which they alone can be at fault: what was stored before a rule was
 * known goes on. Throws `channel_rule_invalid`.
 */
export function checkKeys(type: ChannelType, question: OtherQuestion): void {
  if (type.other === 'region' || otherProblem(type.type, { ...question, keys: [] }) !== undefined) return;
  checkOther(type, question);
}

/** A location of a vendor: text that becomes part of the name of a host. */
const location = /^[a-z][a-z0-9-]*$/i;

/**
 * A region is one location, or JSON that names one or several for every model and has `default`. Throws
 * `channel_json_invalid`, `channel_region_required`, `channel_region_default`, `channel_rule_invalid`.
 */
function checkRegion(other: string): void {
  const text = other.trim();
  if (text === '') throw new TollgateError('channel_region_required', {}, { field: 'other' });
  const reason = 'must be a location such as us-east5';
  if (!text.startsWith('{')) {
    refuse('other', location.test(text.split('|')[0]?.trim() ?? '') ? undefined : { place: '', reason });
    return;
  }
  const regions = jsonObject('other', other);
  if (!Object.hasOwn(regions, 'default')) throw new TollgateError('channel_region_default', {}, { field: 'other' });
  const place = Object.keys(regions).find((model) => !isLocation(regions[model]));
  refuse('other', place === undefined ? undefined : { place, reason });
}

/** One location, or several of which one is drawn. */
function isLocation(value: unknown): boolean {
  const places: readonly unknown[] = Array.isArray(value) ? value : [value];
  return places.length > 0 && places.every((place) => typeof place === 'string' && location.test(place));
}

function checkSetting(setting: JsonMembers): void {
  const fault = settingFault(setting);
  if (fault !== undefined) {
    throw new TollgateError('channel_setting_invalid', { ...fault }, { field: `setting.${fault.key}` });
  }
}

function checkHeaderText(field: string, text: string): void {
  const reason = headerTextProblem(text);
  refuse(field, reason === undefined ? undefined : { place: '', reason });
}

function refuse(field: string, problem: RuleProblem | undefined): void {
  if (problem === undefined) return;
  const place = problem.place === '' ? field : `${field}.${problem.place}`;
  throw new TollgateError('channel_rule_invalid', { place, reason: problem.reason }, { field: place });
}

/** The object that a text holds. Throws `channel_json_invalid`, and `channel_rule_invalid` for what is nested too deeply. */
export function jsonObject(field: string, text: string): JsonMembers {
  const value = parse(text);
  if (!isObject(value)) throw new TollgateError('channel_json_invalid', { field }, { field });
  if (isDeeperThan(value, deepestJson))
    refuse(field, { place: '', reason: `is nested deeper than ${deepestJson} levels` });
  return value;
}

/** A whole number that would be sent as another: what reads JSON holds them up to 2^53. */
function roundedProblem(text: string): RuleProblem | undefined {
  for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[-+.\deE]*/g)) {
    const value = Number(word);
    const isKept = Number.isFinite(value) && (!/^-?\d{16,}$/.test(word) || BigInt(word) === BigInt(value));
    if (!word.startsWith('"') && !isKept) return { place: '', reason: `${word} is more than a number holds exactly` };
  }
  return undefined;
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

function isObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
