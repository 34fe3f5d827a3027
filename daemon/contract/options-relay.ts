/** Options about the relay: routing, retry, monitoring, vendors' settings, limits, logs and tasks. */
import * as z from 'zod/mini';
import {
  choice,
  decimal,
  flag,
  integer,
  json,
  lines,
  type OptionSection,
  type StatusRange,
  statusRanges,
} from './options-entry.ts';
import { type RateLimitTable, rateLimitTable } from './rate-limits.ts';

const admin = (section: OptionSection, en: string, zh: string) =>
  ({ class: 'admin', section, label: { en, zh } }) as const;

/** Where a conversation key is read from, in the order in which the places are tried. */
export type AffinityKeySource =
  | { readonly type: 'header'; readonly key: string }
  | { readonly type: 'json'; readonly path: string }
  | { readonly type: 'context'; readonly key: string };

export interface AffinityRule {
  readonly name: string;
  readonly model_regex?: string;
  readonly path_regex?: string;
  readonly key_sources: readonly AffinityKeySource[];
  readonly ttl_seconds?: number;
  readonly include_group?: boolean;
  readonly skip_retry_on_failure?: boolean;
}

/** relay.md 11.9: keeps a conversation on the channel and key that already hold its prompt cache. */
export interface ChannelAffinity {
  readonly enabled: boolean;
  readonly default_ttl_seconds: number;
  readonly max_entries: number;
  readonly switch_on_success: boolean;
  readonly rules: readonly AffinityRule[];
}

const ttlSeconds = z.int().check(z.minimum(1), z.maximum(604_800));
const pattern = z.exactOptional(z.string().check(z.maxLength(1000)));
const named = z.string().check(z.minLength(1), z.maxLength(200));
const affinityRule = z.object({
  name: named,
  model_regex: pattern,
  path_regex: pattern,
  key_sources: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('header'), key: named }),
        z.object({ type: z.literal('json'), path: named }),
        z.object({ type: z.literal('context'), key: named }),
      ]),
    )
    .check(z.minLength(1), z.maxLength(20)),
  ttl_seconds: z.exactOptional(ttlSeconds),
  include_group: z.exactOptional(z.boolean()),
  skip_retry_on_failure: z.exactOptional(z.boolean()),
});
const channelAffinity = z.object({
  enabled: z._default(z.boolean(), true),
  default_ttl_seconds: z._default(ttlSeconds, 3600),
  max_entries: z._default(z.int().check(z.minimum(0), z.maximum(1_000_000)), 100_000),
  switch_on_success: z._default(z.boolean(), true),
  rules: z._default(z.array(affinityRule).check(z.maxLength(100)), []),
});

const suggestedAffinity: ChannelAffinity = {
  enabled: true,
  default_ttl_seconds: 3600,
  max_entries: 100_000,
  switch_on_success: true,
  rules: [
    {
      name: 'responses prompt cache key',
      model_regex: '^gpt-',
      path_regex: '/v1/responses',
      key_sources: [{ type: 'json', path: 'prompt_cache_key' }],
    },
    {
      name: 'claude session',
      model_regex: 'claude',
      path_regex: '/v1/messages',
      key_sources: [
        { type: 'header', key: 'X-Claude-Code-Session-Id' },
        { type: 'json', path: 'metadata.user_id' },
      ],
    },
  ],
};

const ranges = (...pairs: readonly (readonly [number, number])[]): StatusRange[] =>
  pairs.map(([from, to]) => ({ from, to }));

const stringMap = z.record(z.string().check(z.minLength(1)), z.string());
const withDefault = <T>(schema: z.ZodMiniType<Record<string, T>>) =>
  schema.check(z.refine((map) => Object.hasOwn(map, 'default'), { error: 'must contain default' }));
const modelList = z.array(named).check(z.maxLength(1000));
const wholeNumber = z.int().check(z.minimum(0));

/** Headers that carry credentials or the connection itself; no setting may replace them. */
const refusedHeaders = new Set(['authorization', 'x-api-key', 'host', 'cookie']);
const headerName = named.check(z.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: 'is no name of a header' }));
const modelHeaders = z
  .record(
    named,
    z.record(headerName, z.union([z.string(), z.array(z.string())], { error: 'must be text or a list of texts' })),
  )
  .check(
    z.refine((map) => Object.values(map).every((headers) => !Object.keys(headers).some(isRefusedHeader)), {
      error: 'authorization, x-api-key, host and cookie cannot be set',
    }),
  );

function isRefusedHeader(name: string): boolean {
  return refusedHeaders.has(name.toLowerCase());
}

export const relayOptions = {
  RetryTimes: integer(0, { min: 0, max: 10 }, admin('general', 'Retries', '失败重试次数')),
  RoutingStrategy: choice(
    ['weighted', 'round_robin', 'least_busy'],
    'weighted',
    admin('routing', 'Routing strategy', '路由策略'),
  ),
  channel_affinity: json<ChannelAffinity>(suggestedAffinity, {
    ...admin('routing', 'Channel affinity', '渠道亲和'),
    schema: channelAffinity,
  }),
  AutomaticRetryStatusCodes: statusRanges(
    ranges([100, 199], [300, 399], [401, 407], [409, 499], [500, 503], [505, 523], [525, 599]),
    admin('monitoring', 'Statuses that are retried', '自动重试状态码'),
  ),
  StreamDrainSeconds: json<Readonly<Record<string, number>>>(
    {},
    {
      ...admin('routing', 'Read on after the client left, seconds', '客户端断开后继续读取秒数'),
      schema: z.record(
        z.string().check(z.regex(/^(?:default|\d{1,4})$/, 'must be default or the number of a channel type')),
        z.int().check(z.minimum(0), z.maximum(300)),
      ),
    },
  ),
  HideMappedModel: flag(false, admin('general', 'Hide the mapped model', '隐藏映射后的模型')),
  /** Language of relay errors for callers that state none (D24). */
  RelayErrorLanguage: choice(['en', 'zh'], 'en', admin('general', 'Language of relay errors', '中继错误语言')),

  ChannelDisableThreshold: decimal(
    5,
    { min: 0 },
    admin('monitoring', 'Longest test time, seconds', '测试最长响应时间（秒）'),
  ),
  AutomaticDisableChannelEnabled: flag(false, admin('monitoring', 'Disable on failure', '失败时自动禁用通道')),
  AutomaticEnableChannelEnabled: flag(false, admin('monitoring', 'Enable on success', '成功时自动启用通道')),
  AutomaticDisableStatusCodes: statusRanges([], {
    ...admin('monitoring', 'Statuses that disable at once', '自动禁用状态码'),
    never: [400, 413, 422, 429, 503, 529],
  }),
  AutomaticDisableFailures: integer(
    3,
    { min: 1, max: 1000 },
    admin('monitoring', 'Failures before disabling', '自动禁用失败次数'),
  ),
  AutomaticDisableWindowSeconds: integer(
    300,
    { min: 10, max: 86_400 },
    admin('monitoring', 'Failure window, seconds', '失败计数窗口（秒）'),
  ),
  AutomaticDisableKeywords: lines(
    [
      'Your credit balance is too low',
      'This organization has been disabled.',
      'You exceeded your current quota',
      'Permission denied',
      'The security token included in the request is invalid',
      'Operation not allowed',
      'Your account is not authorized',
    ],
    admin('monitoring', 'Disabling keywords', '自动禁用关键词'),
  ),
  CoolRateLimitSeconds: integer(
    5,
    { min: 1, max: 300 },
    admin('monitoring', 'Pause after a rate limit, seconds', '限流冷却秒数'),
  ),
  CoolOverloadSeconds: integer(
    10,
    { min: 1, max: 300 },
    admin('monitoring', 'Pause after overload, seconds', '过载冷却秒数'),
  ),
  CoolFailureSeconds: integer(
    30,
    { min: 1, max: 300 },
    admin('monitoring', 'Pause after repeated failures, seconds', '连续失败冷却秒数'),
  ),

  LogConsumeEnabled: flag(true, admin('logs', 'Record consumption', '启用额度消费日志记录')),
  LogChatContentEnabled: flag(false, {
    ...admin('logs', 'Record prompts and answers', '记录对话内容'),
    class: 'root',
    audience: 'public',
  }),
  LogContentRetentionDays: integer(
    30,
    { min: 1, max: 3650 },
    { ...admin('logs', 'Keep prompts and answers, days', '对话内容保留天数'), class: 'root' },
  ),
  LogRetentionDays: integer(
    0,
    { min: 0, max: 3650 },
    { ...admin('logs', 'Keep log rows, days (0 = always)', '日志保留天数（0 表示永久）'), class: 'root' },
  ),
  LogClientIpEnabled: flag(false, { ...admin('logs', 'Record client addresses', '记录客户端地址'), class: 'root' }),
  DataExportEnabled: flag(true, { ...admin('dashboard', 'Dashboard data', '启用数据看板'), audience: 'public' }),
  DataExportInterval: integer(
    5,
    { min: 1, max: 1440 },
    admin('dashboard', 'Update interval, minutes', '更新间隔（分钟）'),
  ),
  DataExportDefaultTime: choice(['hour', 'day', 'week'], 'hour', {
    ...admin('dashboard', 'Default granularity', '默认时间粒度'),
    audience: 'public',
  }),

  DrawingEnabled: flag(true, { ...admin('drawing', 'Drawing', '启用绘图功能'), audience: 'public' }),
  TaskEnabled: flag(true, { ...admin('drawing', 'Tasks', '启用任务'), audience: 'public' }),
  MjNotifyEnabled: flag(false, admin('drawing', 'Allow callback', '允许回调')),
  MjAccountFilterEnabled: flag(false, admin('drawing', 'Allow accountFilter', '允许 AccountFilter 参数')),
  MjModeClearEnabled: flag(false, admin('drawing', 'Strip mode flags', '清除提示词中的 --fast --relax --turbo')),
  MjForwardUrlEnabled: flag(true, admin('drawing', 'Forward image addresses', '回调后转发图片地址')),
  MjActionCheckSuccessEnabled: flag(true, admin('drawing', 'Require a finished task', '操作前检查任务已成功')),

  CheckSensitiveEnabled: flag(true, admin('sensitive-words', 'Check words', '启用屏蔽词过滤功能')),
  CheckSensitiveOnPromptEnabled: flag(true, admin('sensitive-words', 'Check prompts', '启用 Prompt 检查')),
  SensitiveWords: lines(['test_sensitive'], admin('sensitive-words', 'Words', '屏蔽词列表')),

  ModelRequestRateLimitEnabled: flag(false, admin('rate-limits', 'Limit model requests', '启用用户模型请求速率限制')),
  ModelRequestRateLimitDurationMinutes: integer(
    1,
    { min: 0, max: 525_600 },
    admin('rate-limits', 'Period, minutes', '限制周期（分钟）'),
  ),
  ModelRequestRateLimitCount: {
    ...integer(0, { min: 0 }, admin('rate-limits', 'Requests per period', '周期内最多请求次数')),
    // Older exports write -1 for unlimited.
    schema: z.int().check(
      z.overwrite((count) => (count === -1 ? 0 : count)),
      z.minimum(0),
    ),
  },
  ModelRequestRateLimitSuccessCount: integer(
    1000,
    { min: 1 },
    admin('rate-limits', 'Successful requests per period', '周期内最多成功请求次数'),
  ),
  ModelRequestRateLimitGroup: json<Readonly<Record<string, readonly [all: number, successes: number]>>>(
    {},
    {
      ...admin('rate-limits', 'Limits by group', '分组限制'),
      schema: z.record(named, z.tuple([wholeNumber, z.int().check(z.minimum(1))])),
    },
  ),
  /** Requests and tokens a minute, and calls at once, by key, user, group and model (REQ-23). */
  RateLimits: json<RateLimitTable>(
    {},
    {
      ...admin('rate-limits', 'Requests and tokens a minute, calls at once', '每分钟请求数、token 数与并发数'),
      schema: rateLimitTable,
    },
  ),
  /** Management calls a signed-in user may make a minute (D23). */
  UserApiRateLimit: integer(
    600,
    { min: 1, max: 1_000_000 },
    admin('rate-limits', 'API calls per user and minute', '每用户每分钟 API 请求数'),
  ),

  'global.pass_through_request_enabled': flag(false, admin('models', 'Pass requests through', '启用请求透传')),
  'global.hide_upstream_error_enabled': flag(false, admin('models', 'Hide upstream errors', '隐藏上游错误')),
  'global.block_browser_extension_enabled': flag(false, admin('models', 'Block browser extensions', '屏蔽浏览器扩展')),
  'gemini.safety_settings': json<Readonly<Record<string, string>>>(
    {
      default: 'OFF',
      HARM_CATEGORY_HARASSMENT: 'BLOCK_NONE',
      HARM_CATEGORY_HATE_SPEECH: 'BLOCK_NONE',
      HARM_CATEGORY_SEXUALLY_EXPLICIT: 'BLOCK_NONE',
      HARM_CATEGORY_DANGEROUS_CONTENT: 'BLOCK_NONE',
    },
    { ...admin('gemini', 'Safety settings', '安全设置'), schema: stringMap },
  ),
  'gemini.version_settings': json<Readonly<Record<string, string>>>(
    { default: 'v1beta', 'gemini-1.0-pro': 'v1beta' },
    { ...admin('gemini', 'API versions', '版本设置'), schema: withDefault(stringMap) },
  ),
  'gemini.supported_imagine_models': json<readonly string[]>(
    [
      'gemini-2.5-flash-image',
      'gemini-2.5-flash-image-preview',
      'gemini-3-pro-image',
      'gemini-3-pro-image-preview',
      'gemini-3.1-flash-image',
      'gemini-3.1-flash-image-preview',
      'gemini-3.1-flash-lite-image',
    ],
    { ...admin('gemini', 'Models that draw', '支持绘图的模型'), form: 'list', schema: modelList },
  ),
  'gemini.models_supported_thinking_budget': json<readonly string[]>(
    [
      'gemini-2.5-flash',
      'gemini-2.5-flash-preview-09-2025',
      'gemini-2.5-flash-lite',
      'gemini-2.5-flash-lite-preview-09-2025',
      'gemini-2.5-pro',
    ],
    { ...admin('gemini', 'Models with a thinking budget', '支持思考预算的模型'), form: 'list', schema: modelList },
  ),
  'gemini.thinking_adapter_enabled': flag(false, admin('gemini', 'Thinking suffixes', '启用思考后缀适配')),
  'gemini.thinking_adapter_budget_tokens_percentage': decimal(
    0.6,
    { min: 0.1, max: 1 },
    admin('gemini', 'Thinking budget share', '思考预算占比'),
  ),
  'claude.model_headers_settings': json<Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>>(
    {},
    { ...admin('claude', 'Headers by model', '请求头设置'), schema: modelHeaders },
  ),
  'claude.default_max_tokens': json<Readonly<Record<string, number>>>(
    { default: 8192 },
    {
      ...admin('claude', 'Default max_tokens', '默认 max_tokens'),
      schema: withDefault(z.record(named, z.int().check(z.minimum(1)))),
    },
  ),
  'claude.thinking_adapter_enabled': flag(true, admin('claude', 'Thinking suffix', '启用思考后缀适配')),
  'claude.thinking_adapter_budget_tokens_percentage': decimal(
    0.8,
    { min: 0.1, max: 1 },
    admin('claude', 'Thinking budget share', '思考预算占比'),
  ),
};
