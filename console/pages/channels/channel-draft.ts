/** A channel as the editor holds it: from the row to the fields, and from changed fields to what is sent. */

import { findChannelType } from '../../../daemon/contract/channel-types.ts';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';
import { type KeyRules, wireKeys } from './key-list.ts';
import { specialFieldsOf } from './special-fields.ts';

/** Number fields hold what was typed until it is sent. */
export type Typed = number | string;

/** A type and not an interface: forms take records. */
export type ChannelDraft = {
  type: number;
  name: string;
  key: string;
  base_url: string;
  other: string;
  models: readonly string[];
  model_prefix: string;
  groups: readonly string[];
  model_mapping: string;
  openai_organization: string;
  max_input_tokens: Typed;
  test_model: string;
  priority: Typed;
  weight: Typed;
  auto_ban: boolean;
  tag: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
};

/** What a new channel starts with. */
export const newDraft: ChannelDraft = {
  type: 1,
  name: '',
  key: '',
  base_url: '',
  other: '',
  models: [],
  model_prefix: '',
  groups: ['default'],
  model_mapping: '',
  openai_organization: '',
  max_input_tokens: '0',
  test_model: '',
  priority: '0',
  weight: '0',
  auto_ban: true,
  tag: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
};

/** The fields of a saved channel; its key stays where it is. */
export function draftOf(channel: Omit<ChannelView, 'key'>): ChannelDraft {
  return {
    type: channel.type,
    name: channel.name,
    key: '',
    base_url: channel.base_url,
    other: channel.other,
    models: splitCommaList(channel.models),
    model_prefix: channel.model_prefix,
    groups: splitCommaList(channel.group),
    model_mapping: channel.model_mapping,
    openai_organization: channel.openai_organization ?? '',
    max_input_tokens: String(channel.max_input_tokens),
    test_model: channel.test_model ?? '',
    priority: String(channel.priority),
    weight: String(channel.weight),
    auto_ban: channel.auto_ban !== 0,
    tag: channel.tag ?? '',
    status_code_mapping: channel.status_code_mapping,
    setting: channel.setting,
    param_override: channel.param_override,
  };
}

/** Members of a channel as the daemon takes them. */
export interface ChannelWire {
  type?: number;
  name?: string;
  key?: string;
  base_url?: string;
  other?: string;
  models?: string;
  model_prefix?: string;
  group?: string;
  model_mapping?: string;
  openai_organization?: string;
  max_input_tokens?: number;
  test_model?: string;
  priority?: number;
  weight?: number;
  auto_ban?: number;
  tag?: string;
  status_code_mapping?: string;
  setting?: string;
  param_override?: string;
}

const texts = [
  'model_mapping',
  'openai_organization',
  'test_model',
  'status_code_mapping',
  'setting',
  'param_override',
] as const;

/** What is sent for fields of a draft whose type is `type`. */
export function wireOf(fields: Partial<ChannelDraft>, type: number): ChannelWire {
  const wire: ChannelWire = {};
  if (fields.type !== undefined) wire.type = fields.type;
  if (fields.name !== undefined) wire.name = fields.name.trim();
  const key = wireKeys(fields.key ?? '', keyRulesOf(type));
  if (key !== '') wire.key = key;
  if (fields.base_url !== undefined) wire.base_url = plainAddress(fields.base_url);
  if (fields.other !== undefined) wire.other = otherOf(fields.other, type);
  if (fields.models !== undefined) wire.models = fields.models.join(',');
  if (fields.model_prefix !== undefined) wire.model_prefix = fields.model_prefix.trim();
  if (fields.groups !== undefined) wire.group = fields.groups.join(',');
  for (const name of texts) {
    const text = fields[name];
    if (text !== undefined) wire[name] = text.trim();
  }
  if (fields.max_input_tokens !== undefined) wire.max_input_tokens = Number(fields.max_input_tokens || 0);
  if (fields.priority !== undefined) wire.priority = Number(fields.priority || 0);
  if (fields.weight !== undefined) wire.weight = Number(fields.weight || 0);
  if (fields.auto_ban !== undefined) wire.auto_ban = fields.auto_ban ? 1 : 0;
  if (fields.tag !== undefined) wire.tag = fields.tag.trim();
  return wire;
}

/** How keys of a type are written. */
export function keyRulesOf(type: number): KeyRules {
  return { isJson: findChannelType(type)?.keyForm === 'json', parts: specialFieldsOf(type).keyParts };
}

/** An address without the slash at its end: of two the daemon takes one, and of a query it takes none. */
function plainAddress(text: string): string {
  const address = text.trim();
  return address.includes('?') ? address : address.replace(/([^/])\/$/, '$1');
}

function otherOf(text: string, type: number): string {
  const value = text.trim();
  return value === '' ? (findChannelType(type)?.defaultOther ?? '') : value;
}

/** True for an address to which the daemon adds `/v1` once more, unless the type takes whole addresses. */
export function endsInVersion({ type, base_url }: Pick<ChannelDraft, 'type' | 'base_url'>): boolean {
  return specialFieldsOf(type).addressLabel !== 'fullUrl' && /\/v1\/*$/.test(base_url.trim());
}
