/** Codes of model calls (relay.md 3.3 and 4.1). */
import { define } from './error-entry.ts';

export const relayErrors = define({
  // Relay: authentication (relay.md 3.3).
  access_denied: { kind: 'unauthenticated', en: 'Invalid API key', zh: '无效的令牌' },
  channel_disabled: { kind: 'forbidden', en: 'The chosen channel is disabled', zh: '指定的渠道已停用' },
  channel_pin_forbidden: {
    kind: 'forbidden',
    en: 'Only administrators may choose a channel',
    zh: '只有管理员可以指定渠道',
  },
  channel_pin_invalid: {
    kind: 'refusal',
    en: 'The chosen channel id is not valid',
    zh: '指定的渠道 ID 无效',
    status: { relay: 400 },
  },
  credentials_conflict: {
    kind: 'refusal',
    en: 'The request carries two different API keys',
    zh: '请求中带有两个不同的令牌',
    status: { relay: 400 },
  },
  group_not_usable: {
    kind: 'forbidden',
    en: 'Your account may not use group {group}',
    zh: '你的账户不能使用分组 {group}',
  },
  group_removed: { kind: 'forbidden', en: 'Group {group} no longer exists', zh: '分组 {group} 已不存在' },
  ip_not_allowed: {
    kind: 'forbidden',
    en: 'This API key may not be used from your address',
    zh: '该令牌不允许从你的地址使用',
  },
  model_not_allowed: {
    kind: 'forbidden',
    en: 'This API key may not use model {model}',
    zh: '该令牌不能使用模型 {model}',
  },
  token_disabled: { kind: 'unauthenticated', en: 'This API key is disabled', zh: '该令牌已停用' },
  token_exhausted: { kind: 'unauthenticated', en: 'The quota of this API key is used up', zh: '该令牌额度已用尽' },
  token_expired: { kind: 'unauthenticated', en: 'This API key has expired', zh: '该令牌已过期' },

  // Relay: requests, routing, upstream (relay.md 4.1).
  accounting_unavailable: {
    kind: 'unavailable',
    en: 'Accounting is temporarily unavailable, try again shortly',
    zh: '计费系统暂不可用，请稍后再试',
  },
  all_channels_cooling: {
    kind: 'rate-limited',
    en: 'Upstream load of group {group} for model {model} is saturated, try again later',
    zh: '分组 {group} 下模型 {model} 的上游负载已饱和，请稍后再试',
  },
  api_not_implemented: {
    kind: 'refusal',
    en: 'API not implemented',
    zh: 'API not implemented',
    status: { relay: 501 },
  },
  bad_response_body: {
    kind: 'upstream',
    en: 'The upstream answer could not be read',
    zh: '无法解析上游响应',
    status: { relay: 502 },
  },
  bad_response_status_code: {
    kind: 'upstream',
    en: 'bad response status code {status}',
    zh: 'bad response status code {status}',
    status: { relay: 502 },
  },
  budget_exceeded: { kind: 'rate-limited', en: 'Budget exceeded: {reason}', zh: '预算已用完：{reason}' },
  browser_extension_blocked: {
    kind: 'forbidden',
    en: 'Calls from browser extensions are not allowed',
    zh: '不允许浏览器扩展调用',
  },
  'channel:header_override_invalid': {
    kind: 'upstream',
    en: 'The channel is not configured correctly',
    zh: '渠道配置有误',
    status: { relay: 500 },
  },
  'channel:invalid_key': {
    kind: 'upstream',
    en: 'The channel is not configured correctly',
    zh: '渠道配置有误',
    status: { relay: 500 },
  },
  'channel:model_mapped_error': {
    kind: 'upstream',
    en: 'The channel is not configured correctly',
    zh: '渠道配置有误',
    status: { relay: 500 },
  },
  'channel:no_available_key': {
    kind: 'upstream',
    en: 'The channel has no usable key',
    zh: '渠道没有可用密钥',
    status: { relay: 500 },
  },
  'channel:param_override_invalid': {
    kind: 'upstream',
    en: 'The channel is not configured correctly',
    zh: '渠道配置有误',
    status: { relay: 500 },
  },
  'channel:response_time_exceeded': {
    kind: 'upstream',
    en: 'The channel took {seconds} s to answer a test, more than the {threshold} s allowed',
    zh: '渠道测试响应耗时 {seconds} 秒，超过上限 {threshold} 秒',
    status: { relay: 500 },
  },
  conversion_would_drop: {
    kind: 'refusal',
    en: 'The chosen model has no word for these fields, and this key does not let them be dropped: {fields}',
    zh: '所选模型无法表达以下字段，且该令牌不允许丢弃：{fields}',
    status: { relay: 400 },
  },
  convert_request_failed: {
    kind: 'refusal',
    en: 'The request cannot be expressed for the chosen model: {reason}',
    zh: '请求无法转换为所选模型的格式：{reason}',
    status: { relay: 400 },
  },
  do_request_failed: {
    kind: 'upstream',
    en: 'upstream connection failed',
    zh: '上游连接失败',
    status: { relay: 502 },
  },
  empty_response: {
    kind: 'upstream',
    en: 'The upstream returned an empty answer',
    zh: '上游返回了空响应',
    status: { relay: 502 },
  },
  endpoint_not_served: {
    kind: 'unavailable',
    en: 'No channel serves this endpoint for model {model} in group {group}',
    zh: '分组 {group} 下没有渠道为模型 {model} 提供此接口',
  },
  insufficient_token_quota: {
    kind: 'forbidden',
    en: 'The quota of this API key is not sufficient: {remaining} remaining, {needed} needed',
    zh: '令牌额度不足：剩余 {remaining}，需要 {needed}',
  },
  insufficient_user_quota: {
    kind: 'forbidden',
    en: 'The balance of your account is not sufficient: {remaining} remaining, {needed} needed',
    zh: '账户余额不足：剩余 {remaining}，需要 {needed}',
  },
  invalid_api_type: {
    kind: 'refusal',
    en: 'The chosen channel does not support this endpoint',
    zh: '所选渠道不支持此接口',
    status: { relay: 400 },
  },
  invalid_documents: {
    kind: 'refusal',
    en: 'documents must be a list of 1 to {limit} texts or objects',
    zh: 'documents 必须是 1 到 {limit} 个文本或对象的列表',
    status: { relay: 400 },
  },
  invalid_query: {
    kind: 'refusal',
    en: 'query must be a text that is not empty',
    zh: 'query 必须是非空文本',
    status: { relay: 400 },
  },
  invalid_request: {
    kind: 'refusal',
    en: 'Invalid request: {reason}',
    zh: '请求无效：{reason}',
    status: { relay: 400 },
  },
  kept_item_not_found: {
    kind: 'not-found',
    en: 'Nothing is kept for you under the id {id}: send the items themselves instead of their ids',
    zh: '没有为你保存 id 为 {id} 的内容：请发送内容本身，而不是其 id',
  },
  model_not_found: {
    kind: 'not-found',
    en: 'The model {model} does not exist or you do not have access to it',
    zh: '模型 {model} 不存在或你无权访问',
  },
  model_not_priced: {
    kind: 'refusal',
    en: 'Model {model} has no price; an administrator can set one under Operation settings, Models',
    zh: '模型 {model} 尚未定价，请管理员在“运营设置”的模型倍率中设置',
    status: { relay: 400 },
  },
  model_retired: {
    kind: 'not-found',
    en: 'The model {model} is served no longer: its vendor has retired it',
    zh: '模型 {model} 已停止服务：其供应商已将它下线',
  },
  model_unknown: {
    kind: 'not-found',
    en: "The model '{model}' does not exist",
    zh: "The model '{model}' does not exist",
  },
  no_channel_for_model: {
    kind: 'unavailable',
    en: 'No channel is available for model {model} in group {group}',
    zh: '分组 {group} 下模型 {model} 无可用渠道',
  },
  over_capacity: {
    kind: 'unavailable',
    en: 'The gateway is at capacity, try again shortly',
    zh: '网关繁忙，请稍后再试',
  },
  prompt_blocked: {
    kind: 'refusal',
    en: 'The prompt was blocked by the upstream',
    zh: '提示内容被上游拦截',
    status: { relay: 400 },
  },
  'rate_limited:concurrency': {
    kind: 'rate-limited',
    en: 'Too many requests of this account at the same time, limit {limit}',
    zh: '该账号并发请求过多，上限 {limit}',
  },
  'rate_limited:count_tokens': {
    kind: 'rate-limited',
    en: 'Too many calls that count tokens, limit {limit} per {minutes} min',
    zh: '{minutes} 分钟内最多统计 {limit} 次 token',
  },
  'rate_limited:group_concurrency': {
    kind: 'rate-limited',
    en: 'Too many requests at the same time in group {name}, limit {limit}',
    zh: '分组 {name} 并发请求过多，上限 {limit}',
  },
  'rate_limited:group_rpm': {
    kind: 'rate-limited',
    en: 'Too many requests in group {name}, limit {limit} per minute',
    zh: '分组 {name} 请求过于频繁，每分钟最多 {limit} 次',
  },
  'rate_limited:group_tpm': {
    kind: 'rate-limited',
    en: 'Too many tokens in group {name}: this request counts {asked}, limit {limit} per minute',
    zh: '分组 {name} 用量过大：本次请求计 {asked} 个 token，每分钟最多 {limit} 个',
  },
  'rate_limited:held_bodies': {
    kind: 'rate-limited',
    en: 'The bodies of your running requests are too large together, limit {limit} MiB: send the next when one is answered',
    zh: '你正在进行的请求的请求体合计过大，上限 {limit} MiB，请待其中之一完成后再发送',
  },
  'rate_limited:model_concurrency': {
    kind: 'rate-limited',
    en: 'Too many requests at the same time for model {name}, limit {limit}',
    zh: '模型 {name} 并发请求过多，上限 {limit}',
  },
  'rate_limited:model_rpm': {
    kind: 'rate-limited',
    en: 'Too many requests for model {name}, limit {limit} per minute',
    zh: '模型 {name} 请求过于频繁，每分钟最多 {limit} 次',
  },
  'rate_limited:model_tpm': {
    kind: 'rate-limited',
    en: 'Too many tokens for model {name}: this request counts {asked}, limit {limit} per minute',
    zh: '模型 {name} 用量过大：本次请求计 {asked} 个 token，每分钟最多 {limit} 个',
  },
  'rate_limited:token_concurrency': {
    kind: 'rate-limited',
    en: 'Too many requests at the same time with this key, limit {limit}',
    zh: '该令牌并发请求过多，上限 {limit}',
  },
  'rate_limited:token_rpm': {
    kind: 'rate-limited',
    en: 'Too many requests with this key, limit {limit} per minute',
    zh: '该令牌请求过于频繁，每分钟最多 {limit} 次',
  },
  'rate_limited:token_tpm': {
    kind: 'rate-limited',
    en: 'Too many tokens with this key: this request counts {asked}, limit {limit} per minute',
    zh: '该令牌用量过大：本次请求计 {asked} 个 token，每分钟最多 {limit} 个',
  },
  'rate_limited:user_concurrency': {
    kind: 'rate-limited',
    en: 'Too many requests of this account at the same time, limit {limit}',
    zh: '该账号并发请求过多，上限 {limit}',
  },
  'rate_limited:user_requests': {
    kind: 'rate-limited',
    en: 'Too many requests of this account, limit {limit} per {minutes} min, including failed requests',
    zh: '该账号请求过于频繁，{minutes} 分钟内最多 {limit} 次（含失败）',
  },
  'rate_limited:user_rpm': {
    kind: 'rate-limited',
    en: 'Too many requests of this account, limit {limit} per minute',
    zh: '该账号请求过于频繁，每分钟最多 {limit} 次',
  },
  'rate_limited:user_success': {
    kind: 'rate-limited',
    en: 'Too many requests of this account, limit {limit} per {minutes} min',
    zh: '该账号请求过于频繁，{minutes} 分钟内最多 {limit} 次',
  },
  'rate_limited:user_tpm': {
    kind: 'rate-limited',
    en: 'Too many tokens of this account: this request counts {asked}, limit {limit} per minute',
    zh: '该账号用量过大：本次请求计 {asked} 个 token，每分钟最多 {limit} 个',
  },
  read_request_body_failed: {
    kind: 'refusal',
    en: 'The request body could not be read',
    zh: '无法读取请求体',
    status: { relay: 400 },
  },
  read_response_body_failed: {
    kind: 'upstream',
    en: 'The upstream answer broke off',
    zh: '上游响应中断',
    status: { relay: 502 },
  },
  request_body_stalled: {
    kind: 'refusal',
    en: 'The request body did not arrive in time',
    zh: '请求体未能及时到达',
    status: { relay: 408 },
  },
  request_headers_too_large: {
    kind: 'too-large',
    en: 'The address and headers of the request are larger than 64 kB; send large values in the body',
    zh: '请求的地址和请求头超过 64 kB；请在请求体中发送大段内容',
    status: { relay: 431 },
  },
  request_unreadable: {
    kind: 'refusal',
    en: 'This is no valid HTTP/1.1 request: {reason}',
    zh: '不是合法的 HTTP/1.1 请求：{reason}',
  },
  sensitive_words_detected: {
    kind: 'refusal',
    en: 'The request contains words that are not allowed here',
    zh: '请求包含本站不允许的词语',
    status: { relay: 400 },
  },
  shutting_down: {
    kind: 'unavailable',
    en: 'The gateway is shutting down, try again shortly',
    zh: '网关正在关闭，请稍后再试',
  },
  upstream_auth_failed: {
    kind: 'upstream',
    en: 'upstream rejected the request',
    zh: '上游拒绝了请求',
    status: { relay: 502 },
  },
  upstream_timeout: {
    kind: 'upstream',
    en: 'The upstream did not answer in time',
    zh: '上游未能及时响应',
    status: { relay: 504 },
  },
  variations_not_served: {
    kind: 'refusal',
    en: 'API not implemented: no channel of model {model} makes variations; use a model of a channel of type OpenAI or Xinference, or /v1/images/edits',
    zh: 'API not implemented：模型 {model} 的渠道均不支持图片变体；请改用 OpenAI 或 Xinference 类型渠道上的模型，或改用 /v1/images/edits',
    status: { relay: 501 },
  },
});
