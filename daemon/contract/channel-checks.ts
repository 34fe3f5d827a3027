/** Calls that reach the upstream of a channel: tests, model lists and balances; and what tests have found. */
import * as z from 'zod/mini';
import { channelFields } from './channel-fields.ts';
import { endpoint } from './endpoint.ts';
import { filterText, optionalColumnNumber, optionalWholeNumber, querySwitch, rowId } from './loose.ts';

/** What one test found. */
export const ChannelTestView = z.object({
  id: z.int(),
  model: z.string(),
  /** Unix seconds. */
  created_at: z.int(),
  ok: z.boolean(),
  time_ms: z.int(),
  /** HTTP status of the upstream; 0 when none came. */
  status: z.int(),
  message: z.string(),
  /** Who tested; in scheduled runs root. */
  actor_id: z.int(),
});
export type ChannelTestView = z.infer<typeof ChannelTestView>;

/** The wire format in which a test asks; `auto` takes the one that suits the model. */
export const testEndpoints = ['auto', 'chat', 'responses', 'messages', 'gemini', 'embeddings', 'rerank'] as const;

/** How a test asks; what is absent or unknown means `auto`. */
export const testWishes = {
  /** Absent: the channel's test model, else its first. */
  model: filterText,
  stream: z.catch(z._default(z.enum(['on', 'off', 'auto']), 'auto'), 'auto'),
  endpoint: z.catch(z._default(z.enum(testEndpoints), 'auto'), 'auto'),
  /** Asks a chat model for a tool call whose arguments are known, and fails where it comes back changed. */
  canary: querySwitch,
};

/** What a test answers, also when it failed. */
export const TestAnswer = z.object({
  success: z.boolean(),
  message: z.string(),
  code: z.optional(z.string()),
  /** Seconds. */
  time: z.number(),
  /** Of prompt and answer; 0 after a failure. */
  tokens: z.int(),
});

const id = z.object({ id: rowId });
const { type, key, base_url } = channelFields;

export const channelChecks = {
  test: endpoint({
    method: 'GET',
    path: '/api/channel/test/:id',
    access: 'admin',
    scope: 'channel:write',
    shape: 'beside',
    effect: 'changes',
    description: {
      en: 'Calls the upstream the way live traffic does; `time` in seconds is present after a failure too.',
      zh: '按实际请求的方式调用上游；失败时同样返回以秒为单位的 `time`。',
    },
    input: z.object({ id: rowId, ...testWishes }),
    output: TestAnswer,
    verdict: 'time',
    errors: ['channel_not_found', 'channel_test_failed', 'channel_test_unsupported'],
  }),
  testDraft: endpoint({
    method: 'POST',
    path: '/api/channel/test',
    access: 'admin',
    scope: 'channel:write',
    shape: 'beside',
    bodyLimitBytes: 4 * 1024 * 1024,
    description: {
      en:
        'Tests a channel as it would be saved, and saves nothing; `channel_id` names the channel being edited, whose key ' +
        'is taken where none is sent and the host stays the same.',
      zh: '按将要保存的内容测试渠道，但不保存；`channel_id` 为正在编辑的渠道，未提交密钥且主机不变时使用该渠道的密钥。',
    },
    input: z.object({
      channel_id: z.optional(z.nullable(rowId)),
      channel: z.object(channelFields),
      ...testWishes,
    }),
    output: TestAnswer,
    verdict: 'time',
    errors: [
      'channel_base_url_refused',
      'channel_json_invalid',
      'channel_setting_invalid',
      'channel_key_required',
      'channel_not_found',
      'channel_region_default',
      'channel_region_required',
      'channel_rule_invalid',
      'channel_test_failed',
      'channel_test_unsupported',
      'channel_type_unknown',
    ],
    example: { input: { channel: { type: 43, key: 'sk-draft', models: 'deepseek-chat' }, stream: 'on' } },
  }),
  testAll: endpoint({
    method: 'GET',
    path: '/api/channel/test',
    access: 'admin',
    scope: 'channel:write',
    shape: 'data',
    effect: 'changes',
    description: { en: 'Starts a test of all channels in the background.', zh: '在后台开始测试全部渠道。' },
    errors: ['channel_test_running'],
  }),
  testRun: endpoint({
    method: 'GET',
    path: '/api/channel/test/run',
    access: 'admin',
    scope: 'channel:read',
    shape: 'data',
    description: { en: 'Whether a test of all channels is under way.', zh: '是否正在测试全部渠道。' },
    output: z.object({ running: z.boolean() }),
  }),
  tests: endpoint({
    method: 'GET',
    path: '/api/channel/:id/tests',
    access: 'admin',
    scope: 'channel:read',
    shape: 'data',
    description: {
      en: 'What tests of a channel have found, newest first; the newest 50 of each model are kept.',
      zh: '渠道的测试记录，最新的在前；每个模型保留最近 50 条。',
    },
    input: z.object({ id: rowId, model: filterText, since: optionalColumnNumber, limit: optionalWholeNumber }),
    output: z.array(ChannelTestView),
    errors: ['channel_not_found'],
  }),
  fetchModels: endpoint({
    method: 'GET',
    path: '/api/channel/fetch_models/:id',
    access: 'admin',
    scope: 'channel:read',
    shape: 'data',
    description: { en: "Model ids that the channel's upstream offers.", zh: '渠道的上游所提供的模型。' },
    input: id,
    output: z.array(z.string()),
    errors: ['channel_not_found', 'channel_fetch_failed'],
  }),
  fetchModelsDraft: endpoint({
    method: 'POST',
    path: '/api/channel/fetch_models',
    access: 'admin',
    scope: 'channel:write',
    shape: 'data',
    effect: 'none',
    description: {
      en: 'Model ids that an upstream offers, before a channel is saved.',
      zh: '在保存渠道之前查询上游所提供的模型。',
    },
    input: z.object({ base_url, type, key }),
    output: z.array(z.string()),
    errors: ['channel_type_unknown', 'channel_base_url_refused', 'channel_fetch_failed'],
  }),
  updateBalance: endpoint({
    method: 'GET',
    path: '/api/channel/update_balance/:id',
    access: 'admin',
    scope: 'channel:write',
    shape: 'beside',
    effect: 'changes',
    description: { en: 'Asks the upstream for its balance in USD.', zh: '查询上游余额，单位为美元。' },
    input: id,
    output: z.object({ balance: z.number() }),
    errors: ['channel_not_found', 'channel_balance_failed', 'channel_balance_unsupported'],
  }),
  updateBalances: endpoint({
    method: 'GET',
    path: '/api/channel/update_balance',
    access: 'admin',
    scope: 'channel:write',
    shape: 'data',
    effect: 'changes',
    description: { en: 'Asks all upstreams that have a balance query.', zh: '查询所有支持余额查询的上游。' },
  }),
};
