/** What is to become of all channels of a tag; what is left empty stays as it is. */
import { isObjectText } from '../../components/mapping-rows.ts';
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
