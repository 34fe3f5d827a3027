/** Channels: configured upstream accounts (management-api.md 3.10, 4.3). */
import * as z from 'zod/mini';
import { channelChecks } from './channel-checks.ts';
import { channelFields, columnNumber as number, columnText as text } from './channel-fields.ts';
import { channelInsight } from './channel-insight.ts';
import { channelKeys, keyHash } from './channel-keys.ts';
import { channelTransfer } from './channel-transfer.ts';
import { endpoint, pagedFromZero } from './endpoint.ts';
import {
  filterText,
  idList,
  looseRowId,
  optionalColumnNumber,
  optionalIdText,
  querySwitch,
  rowId,
  wholeNumber,
} from './loose.ts';

/** A channel; `key` is "" everywhere but in the answer to `get`. */
export const ChannelView = z.object({
  id: z.int(),
  type: z.int(),
  key: z.string(),
  openai_organization: z.nullable(z.string()),
  test_model: z.nullable(z.string()),
  /** 0 unknown, 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: z.int(),
  name: z.string(),
  weight: z.int(),
  created_time: z.int(),
  test_time: z.int(),
  /** Milliseconds of the last test. */
  response_time: z.int(),
  base_url: z.string(),
  other: z.string(),
  /** USD as the upstream reported it. */
  balance: z.number(),
  balance_updated_time: z.int(),
  /** Comma list of bare names. */
  models: z.string(),
  /** Comma list. */
  group: z.string(),
  used_quota: z.int(),
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  max_input_tokens: z.int(),
  priority: z.int(),
  auto_ban: z.int(),
  other_info: z.string(),
  /** Seconds until the channel may be asked again; 0 = now. A pause of one model alone does not count. */
  cooling: z.int(),
  tag: z.nullable(z.string()),
  setting: z.string(),
  param_override: z.string(),
  model_prefix: z.string(),
});
export type ChannelView = z.infer<typeof ChannelView>;

const typeCounts = z.record(z.string(), z.int());
const id = z.object({ id: rowId });
const count = z.int();
const tagName = z.object({ tag: text });

const channelErrors = [
  'channel_base_url_refused',
  'channel_json_invalid',
  'channel_setting_invalid',
  'channel_model_too_long',
  'channel_priority_invalid',
  'channel_region_default',
  'channel_region_required',
  'channel_type_unknown',
  'channel_weight_invalid',
] as const;

/** One entry of the built-in model list. */
export const BuiltInModel = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  permission: z.array(z.record(z.string(), z.unknown())),
  root: z.string(),
  parent: z.null(),
});

export const channels = {
  ...channelChecks,
  ...channelInsight,
  ...channelKeys,
  ...channelTransfer,
  list: endpoint({
    method: 'GET',
    path: '/api/channel/',
    access: 'admin',
    shape: 'list',
    paging: pagedFromZero,
    description: {
      en: 'Lists channels; with `tag_mode` a page counts tags and the answer holds all channels of those tags.',
      zh: '列出渠道；带 `tag_mode` 时按标签分页，并返回这些标签下的全部渠道。',
    },
    input: z.object({
      id_sort: querySwitch,
      tag_mode: querySwitch,
      status: z.catch(z.optional(z.enum(['enabled', 'disabled'])), undefined),
      type: optionalColumnNumber,
      group: filterText,
      tag: filterText,
      /** These alone. */
      ids: optionalIdText,
    }),
    output: ChannelView,
    siblings: z.object({ type_counts: typeCounts }),
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/channel/search',
    access: 'admin',
    shape: 'list',
    rate: 'search',
    description: {
      en: 'Finds channels by id, name, base address or key, by model and by group.',
      zh: '按编号、名称、接口地址、密钥、模型与分组搜索渠道。',
    },
    input: z.object({
      keyword: filterText,
      group: filterText,
      model: filterText,
      id_sort: querySwitch,
      tag_mode: querySwitch,
    }),
    output: ChannelView,
    siblings: z.object({ total: z.int(), type_counts: typeCounts }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/channel/:id',
    access: 'admin',
    shape: 'data',
    description: {
      en: 'One channel with its key, unless revealing keys is switched off; writes an audit row.',
      zh: '查看一个渠道及其密钥（已禁止查看密钥时除外）；写入审计记录。',
    },
    input: id,
    output: ChannelView,
    errors: ['channel_not_found'],
  }),
  revealKey: endpoint({
    method: 'POST',
    path: '/api/channel/:id/key',
    access: 'admin',
    shape: 'data',
    description: {
      en: 'The keys of a channel as one text, or the one that is named; writes an audit row.',
      zh: '以一段文本返回渠道的全部密钥或指定的密钥；写入审计记录。',
    },
    input: z.object({ id: rowId, key_hash: z.optional(z.nullable(keyHash)) }),
    output: z.object({ key: z.string() }),
    errors: ['channel_not_found', 'channel_key_hidden', 'channel_key_not_found'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/channel/',
    access: 'admin',
    shape: 'data',
    idempotency: 'key',
    bodyLimitBytes: 4 * 1024 * 1024,
    description: {
      en: 'Creates a channel, or with mode `batch` one for each key; a flat row or `{mode, channel}`.',
      zh: '创建渠道，`batch` 模式下为每个密钥各创建一个；可提交单层对象或 `{mode, channel}`。',
    },
    input: z.object({
      ...channelFields,
      mode: z.optional(z.nullable(z.enum(['single', 'batch', 'multi_to_single']))),
      channel: z.optional(z.nullable(z.object(channelFields))),
    }),
    output: z.union([ChannelView, z.object({ ids: z.array(z.int()), items: z.array(ChannelView) })]),
    errors: [
      ...channelErrors,
      'channel_group_required',
      'channel_key_required',
      'channel_models_required',
      'channel_name_required',
    ],
  }),
  copy: endpoint({
    method: 'POST',
    path: '/api/channel/copy/:id',
    access: 'admin',
    shape: 'data',
    idempotency: 'key',
    description: {
      en: 'Copies a channel with its key; the copy starts disabled.',
      zh: '复制渠道及其密钥；副本初始为停用状态。',
    },
    input: z.object({ id: rowId, suffix: text, reset_balance: z.optional(z.boolean()) }),
    output: id,
    errors: ['channel_not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/channel/',
    access: 'admin',
    shape: 'data',
    bodyLimitBytes: 4 * 1024 * 1024,
    description: { en: 'Changes the members that are present.', zh: '修改所提交的字段。' },
    input: z.object({
      id: looseRowId,
      ...channelFields,
      key_mode: z.optional(z.nullable(z.enum(['replace', 'append']))),
    }),
    output: ChannelView,
    errors: [...channelErrors, 'channel_key_required', 'channel_not_found', 'channel_status_invalid'],
  }),
  setStatus: endpoint({
    method: 'POST',
    path: '/api/channel/:id/status',
    access: 'admin',
    shape: 'data',
    description: { en: 'Moves a channel into routing (1) or out of it (2).', zh: '启用（1）或停用（2）渠道。' },
    input: z.object({ id: rowId, status: wholeNumber }),
    output: ChannelView,
    errors: ['channel_not_found', 'channel_status_invalid'],
  }),
  setModelStatus: endpoint({
    method: 'POST',
    path: '/api/channel/:id/model',
    access: 'admin',
    shape: 'data',
    description: {
      en: 'Moves one model of a channel out of routing (2) or into it (1), and leaves the others alone.',
      zh: '停用（2）或启用（1）渠道的一个模型，不影响其他模型。',
    },
    input: z.object({ id: rowId, model: z.string().check(z.minLength(1), z.maxLength(255)), status: wholeNumber }),
    output: ChannelView,
    errors: ['channel_model_unknown', 'channel_not_found', 'channel_status_invalid'],
    example: { input: { model: 'gpt-4o', status: 2 } },
  }),
  clearCooling: endpoint({
    method: 'DELETE',
    path: '/api/channel/:id/cooling',
    access: 'admin',
    shape: 'data',
    description: {
      en: 'Ends every pause of a channel and its keys, on all nodes that share them.',
      zh: '结束渠道及其密钥的全部冷却，对共享冷却状态的所有节点生效。',
    },
    input: id,
    errors: ['channel_not_found'],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/api/channel/:id',
    access: 'admin',
    shape: 'data',
    description: { en: 'Deletes a channel.', zh: '删除渠道。' },
    input: id,
    errors: ['channel_not_found'],
  }),
  deleteBatch: endpoint({
    method: 'POST',
    path: '/api/channel/batch',
    access: 'admin',
    shape: 'data',
    description: { en: 'Deletes channels; answers how many there were.', zh: '批量删除渠道；返回删除的数量。' },
    input: z.object({ ids: z.optional(idList) }),
    output: count,
    errors: ['channel_ids_required'],
  }),
  deleteDisabled: endpoint({
    method: 'DELETE',
    path: '/api/channel/disabled',
    access: 'admin',
    shape: 'data',
    description: {
      en: 'Deletes every disabled channel; answers how many there were.',
      zh: '删除全部已停用的渠道；返回删除的数量。',
    },
    output: count,
  }),
  setTags: endpoint({
    method: 'POST',
    path: '/api/channel/batch/tag',
    access: 'admin',
    shape: 'data',
    description: { en: 'Sets the tag of channels, or clears it.', zh: '设置或清除渠道的标签。' },
    input: z.object({ ids: z.optional(idList), tag: text }),
    output: count,
    errors: ['channel_ids_required'],
  }),
  editTag: endpoint({
    method: 'PUT',
    path: '/api/channel/tag',
    access: 'admin',
    shape: 'data',
    description: {
      en: 'Changes all channels that carry a tag now; an empty `new_tag` dissolves it.',
      zh: '修改当前带有该标签的全部渠道；`new_tag` 为空时解散该标签。',
    },
    input: z.object({
      tag: text,
      new_tag: text,
      priority: number,
      weight: number,
      model_mapping: text,
      models: text,
      groups: text,
    }),
    output: count,
    errors: [
      'channel_tag_required',
      'channel_json_invalid',
      'channel_setting_invalid',
      'channel_model_too_long',
      'channel_priority_invalid',
      'channel_weight_invalid',
    ],
  }),
  enableTag: endpoint({
    method: 'POST',
    path: '/api/channel/tag/enabled',
    access: 'admin',
    shape: 'data',
    description: { en: 'Moves all channels of a tag into routing.', zh: '启用某标签下的全部渠道。' },
    input: tagName,
    output: count,
    errors: ['channel_tag_required'],
  }),
  disableTag: endpoint({
    method: 'POST',
    path: '/api/channel/tag/disabled',
    access: 'admin',
    shape: 'data',
    description: { en: 'Moves all channels of a tag out of routing.', zh: '停用某标签下的全部渠道。' },
    input: tagName,
    output: count,
    errors: ['channel_tag_required'],
  }),
  fix: endpoint({
    method: 'POST',
    path: '/api/channel/fix',
    access: 'admin',
    shape: 'data',
    description: {
      en: 'Rebuilds the abilities of every channel; answers the number of channels.',
      zh: '重建全部渠道的能力表；返回渠道数量。',
    },
    output: count,
  }),
  builtInModels: endpoint({
    method: 'GET',
    path: '/api/channel/models',
    access: 'admin',
    shape: 'data',
    description: { en: 'All built-in model names.', zh: '全部内置模型名称。' },
    output: z.array(BuiltInModel),
  }),
  enabledModels: endpoint({
    method: 'GET',
    path: '/api/channel/models_enabled',
    access: 'admin',
    shape: 'data',
    description: { en: 'Models of enabled channels, without prefix.', zh: '已启用渠道的模型，不含前缀。' },
    output: z.array(z.string()),
  }),
};
