/** The keys of a channel as rows: what is known about each, never the key itself (requirements.md REQ-28). */
import * as z from 'zod/mini';
import { TestAnswer, testWishes } from './channel-checks.ts';
import { endpoint } from './endpoint.ts';
import { rowId, wholeNumber } from './loose.ts';

export const ChannelKeyView = z.object({
  id: z.int(),
  /** Names the key wherever it goes: the first 16 hex digits of its SHA-256. */
  key_hash: z.string(),
  /** Place among the keys of the channel, from 0. */
  position: z.int(),
  /** The last four characters; "" for short keys and for JSON. */
  tail: z.string(),
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: z.int(),
  /** Why it was disabled. */
  reason: z.string(),
  /** Unix seconds; 0 = never changed. */
  status_time: z.int(),
  last_error: z.string(),
  /** Unix seconds; 0 = never. */
  last_used: z.int(),
  /** Unix seconds; 0 = the key is not cooling. */
  cool_until: z.int(),
  /** Requests a minute that are sent with the key; 0 = as many as come. */
  cap: z.int(),
  /** Tokens a minute, and calls at once; 0 = as many as come. */
  tpm: z.int(),
  concurrency: z.int(),
});
export type ChannelKeyView = z.infer<typeof ChannelKeyView>;

/** The most that a key can be limited to; 0 is no limit. */
export const largestKeyLimits = { cap: 100_000, tpm: 1_000_000_000, concurrency: 100_000 } as const;

export const keyHash = z.string().check(z.regex(/^[0-9a-f]{16}$/));
const ofChannel = { id: rowId };
const ofKey = { id: rowId, key_hash: keyHash };

export const channelKeys = {
  keys: endpoint({
    method: 'GET',
    path: '/api/channel/:id/keys',
    access: 'admin',
    scope: 'channel:read',
    shape: 'data',
    description: {
      en: 'The keys of a channel with their state; of each key only the tail.',
      zh: '渠道的密钥与状态；每个密钥只显示末尾几位。',
    },
    input: z.object(ofChannel),
    output: z.array(ChannelKeyView),
    errors: ['channel_not_found'],
  }),
  addKeys: endpoint({
    method: 'POST',
    path: '/api/channel/:id/keys',
    access: 'admin',
    scope: 'channel:write',
    shape: 'data',
    idempotency: 'key',
    bodyLimitBytes: 4 * 1024 * 1024,
    description: {
      en: 'Adds keys, separated by commas or line breaks, behind those there are; known ones stay as they are. A channel takes at most 10,000.',
      zh: '在已有密钥之后添加密钥，以逗号或换行分隔；已存在的密钥保持不变。一个渠道最多 10,000 个。',
    },
    input: z.object({ ...ofChannel, key: z.string() }),
    output: z.object({ added: z.int(), known: z.int(), keys: z.array(ChannelKeyView) }),
    errors: ['channel_not_found', 'channel_key_required', 'channel_keys_too_many', 'channel_rule_invalid'],
    example: { input: { key: 'sk-third\nsk-fourth' } },
  }),
  setKey: endpoint({
    method: 'PUT',
    path: '/api/channel/:id/keys/:key_hash',
    access: 'admin',
    scope: 'channel:write',
    shape: 'data',
    description: {
      en: 'Takes one key into use (1) or out of it (2), or changes its limits; what is absent stays.',
      zh: '启用（1）或禁用（2）一个密钥，或修改其上限；缺省的字段保持不变。',
    },
    input: z.object({
      ...ofKey,
      status: z.optional(z.nullable(wholeNumber)),
      cap: z.optional(z.nullable(wholeNumber)),
      tpm: z.optional(z.nullable(wholeNumber)),
      concurrency: z.optional(z.nullable(wholeNumber)),
    }),
    output: ChannelKeyView,
    errors: ['channel_not_found', 'channel_key_cap_invalid', 'channel_key_not_found', 'channel_status_invalid'],
    example: { input: { status: 1, cap: 60 } },
  }),
  removeKey: endpoint({
    method: 'DELETE',
    path: '/api/channel/:id/keys/:key_hash',
    access: 'admin',
    scope: 'channel:write',
    shape: 'data',
    description: { en: 'Removes one key; a channel keeps at least one.', zh: '删除一个密钥；渠道至少保留一个。' },
    input: z.object(ofKey),
    errors: ['channel_not_found', 'channel_key_not_found', 'channel_key_last'],
  }),
  removeKeys: endpoint({
    method: 'POST',
    path: '/api/channel/:id/keys/batch',
    access: 'admin',
    scope: 'channel:write',
    shape: 'data',
    description: {
      en: 'Removes keys, all or none; answers how many. A channel keeps at least one.',
      zh: '批量删除密钥，要么全部成功要么全部不变；返回删除的数量。渠道至少保留一个。',
    },
    input: z.object({ ...ofChannel, key_hashes: z.array(keyHash).check(z.maxLength(10_000)) }),
    output: z.int(),
    errors: ['channel_not_found', 'channel_key_not_found', 'channel_key_last', 'channel_key_required'],
  }),
  testKey: endpoint({
    method: 'POST',
    path: '/api/channel/:id/keys/test',
    access: 'admin',
    scope: 'channel:write',
    shape: 'beside',
    description: {
      en: 'Tests one key of a channel the way live traffic uses it; `time` in seconds is there after a failure too.',
      zh: '按实际请求的方式测试渠道的一个密钥；失败时同样返回以秒为单位的 `time`。',
    },
    input: z.object({ ...ofKey, ...testWishes }),
    output: TestAnswer,
    verdict: 'time',
    errors: ['channel_not_found', 'channel_key_not_found', 'channel_test_failed', 'channel_test_unsupported'],
  }),
};
