/** What is to become of all channels of a tag; what is left empty stays as it is. */
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';
import { isObjectText, parseObject } from '../../components/mapping-rows.ts';
import { isInteger, priorityProblem } from './whole-number.ts';

export type TagDraft = {
  new_tag: string;
  models: readonly string[];
  model_mapping: string;
  groups: readonly string[];
  priority: number | string;
  weight: number | string;
};

export interface TagWire {
  /** "" dissolves the tag. */
  new_tag?: string;
  models?: string;
  model_mapping?: string;
  groups?: string;
  priority?: number;
  weight?: number;
}

/** The members to send for what was changed. */
export function tagWire(changed: Partial<TagDraft>): TagWire {
  const wire: TagWire = {};
  if (changed.new_tag !== undefined) wire.new_tag = changed.new_tag.trim();
  if (changed.models && changed.models.length > 0) wire.models = changed.models.join(',');
  if (changed.model_mapping?.trim()) wire.model_mapping = changed.model_mapping.trim();
  if (changed.groups && changed.groups.length > 0) wire.groups = changed.groups.join(',');
  if (isFilled(changed.priority)) wire.priority = Number(changed.priority);
  if (isFilled(changed.weight)) wire.weight = Number(changed.weight);
  return wire;
}

function isFilled(value: number | string | undefined): boolean {
  return value !== undefined && String(value).trim() !== '';
}

export type TagProblem = 'mapping' | 'priority' | 'priorityLow' | 'weight';

export function tagFaults(draft: TagDraft): { readonly field: keyof TagDraft; readonly problem: TagProblem }[] {
  const faults: { field: keyof TagDraft; problem: TagProblem }[] = [];
  if (!isObjectText(draft.model_mapping)) faults.push({ field: 'model_mapping', problem: 'mapping' });
  const priority = priorityProblem(draft.priority);
  if (priority !== undefined) faults.push({ field: 'priority', problem: priority });
  if (!isInteger(draft.weight, 0)) faults.push({ field: 'weight', problem: 'weight' });
  return faults;
}

export interface TagEffect {
  readonly field: keyof TagDraft;
  /** Of a list, what goes, each with its sign; absent for nothing. */
  readonly before?: string | number;
  /** Of a list, what comes, likewise. */
  readonly after?: string | number;
}

/** What a draft would make of a channel of its tag; nothing of a field that cannot be sent as it is. */
export function tagEffects(draft: TagDraft, tag: string, channel: ChannelView): TagEffect[] {
  const wire = tagWire(draft);
  const faulty = new Set(tagFaults(draft).map(({ field }) => field));
  const effects = [
    effectOf('new_tag', tag, wire.new_tag),
    listEffectOf('models', channel.models, wire.models),
    effectOf('model_mapping', jsonLine(channel.model_mapping), wire.model_mapping && jsonLine(wire.model_mapping)),
    listEffectOf('groups', channel.group, wire.groups),
    effectOf('priority', channel.priority, wire.priority),
    effectOf('weight', channel.weight, wire.weight),
  ];
  return effects.flatMap((effect) => (effect && !faulty.has(effect.field) ? [effect] : []));
}

function effectOf(
  field: keyof TagDraft,
  before: string | number,
  after: string | number | undefined,
): TagEffect | undefined {
  if (after === undefined || after === before) return undefined;
  return { field, ...(before === '' ? {} : { before }), ...(after === '' ? {} : { after }) };
}

function listEffectOf(field: keyof TagDraft, before: string, after: string | undefined): TagEffect | undefined {
  if (after === undefined) return undefined;
  const [old, now] = [splitCommaList(before), splitCommaList(after)];
  const gone = old.filter((name) => !now.includes(name)).map((name) => `−${name}`);
  const fresh = now.filter((name) => !old.includes(name)).map((name) => `+${name}`);
  return effectOf(field, gone.join(', '), fresh.join(', '));
}

/** However it was laid out. */
function jsonLine(text: string): string {
  return JSON.stringify(parseObject(text)) ?? text.trim();
}
