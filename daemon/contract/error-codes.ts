/**
 * Every stable error code: its kind, its texts in both languages, and a status where a contract page pins one.
 * `{name}` in a text is replaced by the parameter of that name.
 */

/** Decides the HTTP status (once per surface, in `http/render-failure.ts`) and the CLI's exit code. */
export type ErrorKind =
  | 'refusal'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'rate-limited'
  | 'too-large'
  | 'upstream'
  | 'unavailable'
  | 'cancelled'
  | 'bug';

export interface ErrorEntry {
  kind: ErrorKind;
  en: string;
  zh: string;
  /** Only where a contract page pins a status that the kind does not give: on the management API, on the relay. */
  status?: { management?: number; relay?: number };
}

const define = <const T extends Record<string, ErrorEntry>>(table: T): T => table;

export const errorCodes = define({
  internal_error: { kind: 'bug', en: 'Internal server error', zh: '服务器内部错误' },

  // Every surface.
  access_token_invalid: { kind: 'unauthenticated', en: 'Access token is not valid', zh: '系统令牌无效' },
  access_token_not_supported: {
    kind: 'refusal',
    en: 'Not available with an access token',
    zh: '系统令牌不支持此操作',
    status: { relay: 400 },
  },
  auth_required: { kind: 'unauthenticated', en: 'Please sign in first', zh: '请先登录' },
  busy: { kind: 'conflict', en: 'Busy, retry shortly', zh: '操作正在处理，请稍后再试' },
  db_unavailable: { kind: 'unavailable', en: 'Database unavailable', zh: '数据库暂不可用' },
  forbidden_role: { kind: 'forbidden', en: 'Not permitted for your role', zh: '当前身份无权执行此操作' },
  idempotency_conflict: {
    kind: 'conflict',
    en: 'This Idempotency-Key was used with another request body',
    zh: '该 Idempotency-Key 已用于另一份请求内容',
    status: { management: 409 },
  },
  invalid_input: { kind: 'refusal', en: 'Invalid input: {field}', zh: '输入有误：{field}' },
  invalid_json: {
    kind: 'refusal',
    en: 'Request body is not valid JSON',
    zh: '请求体不是合法的 JSON',
    status: { management: 400 },
  },
  invalid_params: { kind: 'refusal', en: 'Invalid parameters', zh: '参数无效' },
  json_type_required: {
    kind: 'refusal',
    en: 'The request body must be sent as application/json',
    zh: '请求体须以 application/json 发送',
    status: { management: 400 },
  },
  method_not_allowed: {
    kind: 'refusal',
    en: 'Method not allowed',
    zh: '不支持的请求方法',
    status: { management: 405, relay: 405 },
  },
  not_found: { kind: 'not-found', en: 'Not found', zh: '未找到对应记录' },
  payload_too_large: { kind: 'too-large', en: 'Request body is too large', zh: '请求体过大' },
  request_timeout: {
    kind: 'refusal',
    en: 'The request body did not arrive in time',
    zh: '请求体未能及时送达',
    status: { management: 408, relay: 408 },
  },
  session_expired: {
    kind: 'unauthenticated',
    en: 'Session expired, sign in again',
    zh: '登录已过期，请重新登录',
  },
  too_many_requests: {
    kind: 'rate-limited',
    en: 'Too many requests, try again in {s} s',
    zh: '请求过于频繁，请 {s} 秒后再试',
  },
  user_disabled: { kind: 'forbidden', en: 'Account is disabled', zh: '账户已停用' },
  user_gone: { kind: 'unauthenticated', en: 'The account was deleted', zh: '账户已注销' },
  user_header_malformed: {
    kind: 'unauthenticated',
    en: 'User id header is malformed ({name})',
    zh: '用户标识请求头格式有误（{name}）',
  },
  user_header_mismatch: {
    kind: 'unauthenticated',
    en: 'User id header does not match the signed-in user',
    zh: '用户标识请求头与登录用户不符',
  },
  user_header_missing: {
    kind: 'unauthenticated',
    en: 'User id header missing ({name})',
    zh: '缺少用户标识请求头（{name}）',
  },

  // First run.
  password_mismatch: {
    kind: 'refusal',
    en: 'The two passwords differ',
    zh: '两次填写的密码不同',
  },
  setup_done: {
    kind: 'refusal',
    en: 'The system is already initialised',
    zh: '系统已经初始化过',
    status: { management: 400 },
  },
  setup_password_short: {
    kind: 'refusal',
    en: 'Password needs at least 8 characters',
    zh: '密码至少需要 8 个字符',
  },
  setup_required: {
    kind: 'unavailable',
    en: 'The system is not initialised yet',
    zh: '系统尚未完成初始化',
    status: { management: 200 },
  },
  setup_token_invalid: {
    kind: 'forbidden',
    en: 'Setup from this address needs the setup token printed at start',
    zh: '从此地址初始化需要启动时输出的初始化令牌',
  },
  setup_username_invalid: {
    kind: 'refusal',
    en: 'Enter an administrator user name (1-20 characters)',
    zh: '请填写管理员用户名（1-20 个字符）',
  },

  // Sign-in, registration, own account.
  code_invalid: { kind: 'refusal', en: 'Code wrong or expired', zh: '验证码不正确或已失效' },
  email_alias_refused: {
    kind: 'refusal',
    en: 'E-mail aliases (+ or .) are not allowed',
    zh: '不接受带 + 或 . 的邮箱别名',
  },
  email_domain_refused: { kind: 'refusal', en: 'This e-mail domain is not allowed', zh: '不接受该邮箱域名' },
  email_invalid: { kind: 'refusal', en: 'E-mail address is not valid', zh: '邮箱地址无效' },
  email_required: { kind: 'refusal', en: 'E-mail and code are required', zh: '请填写邮箱和验证码' },
  email_taken: { kind: 'conflict', en: 'E-mail not available', zh: '该邮箱不可用' },
  login_failed: {
    kind: 'refusal',
    en: 'Wrong user name or password, or account not available',
    zh: '用户名或密码不正确，或账户不可用',
  },
  mail_failed: { kind: 'refusal', en: 'Mail could not be sent', zh: '邮件发送失败' },
  notify_type_invalid: { kind: 'refusal', en: 'Unknown notification type', zh: '未知的通知方式' },
  oauth_exchange: {
    kind: 'refusal',
    en: '{provider} could not be reached or refused the code',
    zh: '无法从 {provider} 获取账户信息',
  },
  oauth_off: { kind: 'refusal', en: '{provider} sign-in is switched off', zh: '未启用 {provider} 登录' },
  oauth_state: {
    kind: 'forbidden',
    en: 'Sign-in state missing or expired, start again',
    zh: '登录状态无效或已失效，请重新发起',
  },
  oauth_taken: {
    kind: 'conflict',
    en: 'This {provider} account is bound to another user',
    zh: '该 {provider} 账户已绑定其他用户',
  },
  oauth_unbound: {
    kind: 'refusal',
    en: 'This {provider} account is not bound to any user',
    zh: '该 {provider} 账户尚未绑定用户',
  },
  password_invalid: {
    kind: 'refusal',
    en: 'Password: at least 8 characters, at most 72 bytes',
    zh: '密码至少 8 个字符，至多 72 字节',
  },
  password_login_off: { kind: 'refusal', en: 'Password sign-in is switched off', zh: '已关闭密码登录' },
  password_register_off: {
    kind: 'refusal',
    en: 'Password registration is closed, use a third-party account',
    zh: '已关闭密码注册，请改用第三方账户',
  },
  register_off: { kind: 'refusal', en: 'Registration is closed', zh: '已关闭注册' },
  reset_invalid: { kind: 'refusal', en: 'Reset link invalid or expired', zh: '重置链接无效或已失效' },
  threshold_invalid: { kind: 'refusal', en: 'The threshold must be above 0', zh: '阈值必须大于 0' },
  turnstile_failed: {
    kind: 'refusal',
    en: 'Turnstile check failed, reload and retry',
    zh: 'Turnstile 校验未通过，请刷新后重试',
  },
  turnstile_missing: { kind: 'refusal', en: 'Turnstile token missing', zh: '缺少 Turnstile 校验凭据' },
  username_invalid: {
    kind: 'refusal',
    en: 'User name: 1-20 characters, no @, no control characters',
    zh: '用户名须为 1-20 个字符，且不含 @ 或控制字符',
  },
  username_taken: { kind: 'conflict', en: 'User name not available', zh: '该用户名不可用' },
  webhook_invalid: { kind: 'refusal', en: 'The webhook address is not acceptable', zh: 'Webhook 地址不可用' },

  // Users, seen from the administration.
  group_unknown: { kind: 'refusal', en: 'Unknown group: {group}', zh: '未知分组：{group}' },
  quota_negative: { kind: 'refusal', en: 'Quota would become negative', zh: '额度不能为负' },
  user_already_admin: { kind: 'conflict', en: 'Already an administrator', zh: '该用户已是管理员' },
  user_already_common: { kind: 'conflict', en: 'Already a normal user', zh: '该用户已是普通用户' },
  user_deleted_readonly: {
    kind: 'conflict',
    en: 'A deleted user cannot be changed',
    zh: '已注销的用户不能再修改',
  },
  user_not_found: { kind: 'not-found', en: 'User not found', zh: '用户不存在' },
  user_promote_root_only: {
    kind: 'refusal',
    en: 'Only the super administrator may promote',
    zh: '只有超级管理员可以提升他人',
  },
  user_root_protected: {
    kind: 'refusal',
    en: 'The super administrator cannot be disabled, deleted or demoted',
    zh: '不能停用、删除或降级超级管理员',
  },
  user_same_level: {
    kind: 'refusal',
    en: 'Users of the same or a higher level cannot be managed',
    zh: '不能管理同级或更高级别的用户',
  },

  // Check-in, invites, codes, payment.
  aff_min: { kind: 'refusal', en: 'At least {min} must be moved', zh: '最少需要划转 {min}' },
  aff_short: { kind: 'refusal', en: 'Not enough invite earnings', zh: '邀请额度不足' },
  checkin_config: { kind: 'refusal', en: 'Check-in quota is not configured', zh: '签到额度未正确配置' },
  checkin_done: { kind: 'conflict', en: 'You have already checked in today', zh: '你今天已经签到过' },
  checkin_off: { kind: 'refusal', en: 'Check-in is switched off', zh: '未启用签到' },
  gift_exhausted: { kind: 'refusal', en: 'Gift code used up', zh: '礼品码已用完' },
  gift_repeat: { kind: 'conflict', en: 'You have used this gift code before', zh: '你已使用过该礼品码' },
  pay_failed: { kind: 'refusal', en: 'Payment could not be started', zh: '无法发起支付' },
  pay_low: { kind: 'refusal', en: 'Amount too small', zh: '充值金额过低' },
  pay_min: { kind: 'refusal', en: 'Amount must be at least {min}', zh: '充值数量不能小于 {min}' },
  pay_off: { kind: 'refusal', en: 'Online payment is not configured', zh: '未配置在线支付' },
  redeem_empty: { kind: 'refusal', en: 'Enter a code', zh: '请填写兑换码' },
  redeem_expired: { kind: 'refusal', en: 'Code has expired', zh: '兑换码已过期' },
  redeem_invalid: { kind: 'refusal', en: 'Code not valid', zh: '兑换码无效' },
  redeem_not_yet: { kind: 'refusal', en: 'Code not valid yet', zh: '兑换码尚未生效' },
  redeem_used: { kind: 'conflict', en: 'Code already used', zh: '兑换码已被使用' },
  redemption_count_invalid: { kind: 'refusal', en: 'The number of codes must be at least 1', zh: '兑换码数量至少为 1' },
  redemption_count_max: {
    kind: 'refusal',
    en: 'At most 10,000 codes can be made at once',
    zh: '一次最多生成 10000 个兑换码',
  },
  redemption_ids_required: { kind: 'refusal', en: 'Choose at least one code', zh: '请至少选择一个兑换码' },
  redemption_key_invalid: {
    kind: 'refusal',
    en: 'A code has 4-32 letters, digits, _ or -',
    zh: '兑换码须为 4-32 个字母、数字、_ 或 -',
  },
  redemption_key_taken: { kind: 'conflict', en: 'This code exists already', zh: '该兑换码已存在' },
  redemption_max_uses_invalid: {
    kind: 'refusal',
    en: 'The number of uses must be -1 or at least 1, and not below the uses so far',
    zh: '可用次数须为 -1 或不小于 1，且不少于已使用次数',
  },
  redemption_name_invalid: { kind: 'refusal', en: 'The name needs 1-20 characters', zh: '名称须为 1-20 个字符' },
  redemption_name_required: { kind: 'refusal', en: 'A name is required', zh: '请填写名称' },
  redemption_not_found: { kind: 'not-found', en: 'Code not found', zh: '兑换码不存在' },
  redemption_quota_invalid: {
    kind: 'refusal',
    en: 'The quota must be between 1 and 1,000,000,000,000',
    zh: '额度须在 1 到 1000000000000 之间',
  },
  redemption_used_readonly: { kind: 'conflict', en: 'A used code cannot be changed', zh: '已使用的兑换码不能再修改' },
  redemption_window_invalid: {
    kind: 'refusal',
    en: 'The start of validity must be before its end',
    zh: '生效时间必须早于失效时间',
  },

  // Options, dashboard, logs.
  data_span: { kind: 'refusal', en: 'Time span is limited to {days} days', zh: '时间跨度不能超过 {days} 天' },
  log_cutoff: {
    kind: 'refusal',
    en: 'A cut-off time in the past is required',
    zh: '需要给出早于当前的截止时间',
  },
  option_dependency: { kind: 'refusal', en: 'Fill in {fields} before enabling this', zh: '启用前请先填写 {fields}' },
  option_invalid: { kind: 'refusal', en: '{key}: {reason}', zh: '{key}：{reason}' },
  option_unknown: { kind: 'refusal', en: 'Unknown option {key}', zh: '未知选项 {key}' },
  ratio_hidden: { kind: 'forbidden', en: 'Ratio exposure is switched off', zh: '未开放倍率查询' },

  // Channels.
  channel_balance_failed: { kind: 'refusal', en: 'The balance could not be read', zh: '余额查询失败' },
  channel_balance_unsupported: {
    kind: 'refusal',
    en: 'This channel type has no balance query',
    zh: '该渠道类型不支持余额查询',
  },
  channel_base_url_refused: { kind: 'refusal', en: 'This base address is not allowed', zh: '不允许使用该接口地址' },
  channel_fetch_failed: {
    kind: 'refusal',
    en: 'The model list could not be read from the upstream',
    zh: '无法从上游获取模型列表',
  },
  channel_group_required: { kind: 'refusal', en: 'Choose at least one group', zh: '请至少选择一个分组' },
  channel_ids_required: { kind: 'refusal', en: 'Choose at least one channel', zh: '请至少选择一个渠道' },
  channel_json_invalid: { kind: 'refusal', en: '{field} must be a JSON object', zh: '{field} 须为 JSON 对象' },
  channel_key_hidden: {
    kind: 'forbidden',
    en: 'Showing channel keys is switched off',
    zh: '已关闭查看渠道密钥',
    status: { management: 200 },
  },
  channel_key_required: { kind: 'refusal', en: 'A key is required', zh: '请填写密钥' },
  channel_model_too_long: {
    kind: 'refusal',
    en: 'A model name has at most 255 characters',
    zh: '模型名称不能超过 255 个字符',
  },
  channel_models_required: { kind: 'refusal', en: 'Choose at least one model', zh: '请至少选择一个模型' },
  channel_name_required: { kind: 'refusal', en: 'A name is required', zh: '请填写名称' },
  channel_not_found: { kind: 'not-found', en: 'Channel not found', zh: '渠道不存在' },
  channel_priority_invalid: {
    kind: 'refusal',
    en: 'The priority must be an integer, at least -999',
    zh: '优先级须为不小于 -999 的整数',
  },
  channel_region_default: {
    kind: 'refusal',
    en: 'The regions need an entry named default',
    zh: '部署地区须包含 default 字段',
  },
  channel_region_required: { kind: 'refusal', en: 'A region is required', zh: '请填写部署地区' },
  channel_status_invalid: { kind: 'refusal', en: 'The status must be 1 or 2', zh: '状态只能为 1 或 2' },
  channel_tag_required: { kind: 'refusal', en: 'A tag is required', zh: '请填写标签' },
  channel_test_failed: { kind: 'refusal', en: 'The test failed: {reason}', zh: '测试失败：{reason}' },
  channel_test_running: { kind: 'conflict', en: 'A test run is under way', zh: '已有测试正在进行' },
  channel_test_unsupported: {
    kind: 'refusal',
    en: 'This channel or model cannot be tested',
    zh: '该渠道或模型不支持测试',
  },
  channel_type_unknown: { kind: 'refusal', en: 'Unknown channel type', zh: '未知的渠道类型' },
  channel_weight_invalid: {
    kind: 'refusal',
    en: 'The weight must be an integer, at least 0',
    zh: '权重须为不小于 0 的整数',
  },

  // Relay keys.
  token_cannot_enable_exhausted: {
    kind: 'refusal',
    en: 'The key has no quota left; raise it first',
    zh: '令牌额度已用尽，请先增加额度',
  },
  token_cannot_enable_expired: {
    kind: 'refusal',
    en: 'The key has expired; change its expiry first',
    zh: '令牌已过期，请先修改过期时间',
  },
  token_expired_in_past: {
    kind: 'refusal',
    en: 'The expiry must be -1 or in the future',
    zh: '过期时间须为 -1 或晚于当前时间',
  },
  token_group_refused: { kind: 'refusal', en: 'You may not use group {group}', zh: '你不能使用分组 {group}' },
  token_ids_required: { kind: 'refusal', en: 'Choose at least one key', zh: '请至少选择一个令牌' },
  token_ips_invalid: {
    kind: 'refusal',
    en: 'Not an address or network: {line}',
    zh: '不是有效的地址或网段：{line}',
  },
  token_key_hidden: {
    kind: 'forbidden',
    en: 'Keys are shown once, when they are created',
    zh: '令牌仅在创建时显示一次',
    status: { management: 200 },
  },
  token_limit_reached: { kind: 'refusal', en: 'At most {max} keys are allowed', zh: '最多只能创建 {max} 个令牌' },
  token_name_long: { kind: 'refusal', en: 'A name has at most 50 characters', zh: '名称不能超过 50 个字符' },
  token_name_required: { kind: 'refusal', en: 'A name is required', zh: '请填写名称' },
  token_not_found: { kind: 'not-found', en: 'Key not found', zh: '令牌不存在' },
  token_quota_invalid: {
    kind: 'refusal',
    en: 'The quota must be a whole number, at least 0',
    zh: '额度须为不小于 0 的整数',
  },
  token_status_invalid: { kind: 'refusal', en: 'The status must be 1 or 2', zh: '状态只能为 1 或 2' },

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
  bad_response: {
    kind: 'upstream',
    en: 'The upstream answer is not valid',
    zh: '上游响应无效',
    status: { relay: 502 },
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
  browser_extension_blocked: {
    kind: 'forbidden',
    en: 'Calls from browser extensions are not allowed',
    zh: '不允许浏览器扩展调用',
  },
  budget_exceeded: {
    kind: 'rate-limited',
    en: 'Budget {budget} is used up until {reset}',
    zh: '预算 {budget} 已用尽，{reset} 后重置',
  },
  'channel:aws_client_error': {
    kind: 'upstream',
    en: 'The channel is not configured correctly',
    zh: '渠道配置有误',
    status: { relay: 500 },
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
    en: 'The channel answers too slowly',
    zh: '渠道响应超时',
    status: { relay: 500 },
  },
  convert_request_failed: {
    kind: 'refusal',
    en: 'The request cannot be expressed for the chosen model: {reason}',
    zh: '请求无法转换为所选模型的格式：{reason}',
    status: { relay: 400 },
  },
  count_token_failed: {
    kind: 'bug',
    en: 'Tokens could not be counted',
    zh: '无法计算 token 数',
    status: { relay: 500 },
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
  insufficient_token_quota: {
    kind: 'forbidden',
    en: 'The quota of this API key is not sufficient',
    zh: '令牌额度不足',
  },
  insufficient_user_quota: {
    kind: 'forbidden',
    en: 'The balance of your account is not sufficient',
    zh: '账户余额不足',
  },
  invalid_api_type: {
    kind: 'refusal',
    en: 'The chosen channel does not support this endpoint',
    zh: '所选渠道不支持此接口',
    status: { relay: 400 },
  },
  invalid_request: {
    kind: 'refusal',
    en: 'Invalid request: {reason}',
    zh: '请求无效：{reason}',
    status: { relay: 400 },
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
    en: 'Too many requests at the same time, limit {limit}',
    zh: '并发请求过多，上限 {limit}',
  },
  'rate_limited:token_rpm': {
    kind: 'rate-limited',
    en: 'Too many requests with this API key, limit {limit} per {minutes} min',
    zh: '该令牌请求过于频繁，{minutes} 分钟内最多 {limit} 次',
  },
  'rate_limited:user_requests': {
    kind: 'rate-limited',
    en: 'Too many requests, limit {limit} per {minutes} min, failed ones included',
    zh: '请求过于频繁，{minutes} 分钟内最多 {limit} 次（含失败）',
  },
  'rate_limited:user_success': {
    kind: 'rate-limited',
    en: 'Too many requests, limit {limit} per {minutes} min',
    zh: '请求过于频繁，{minutes} 分钟内最多 {limit} 次',
  },
  'rate_limited:user_tpm': {
    kind: 'rate-limited',
    en: 'Too many tokens, limit {limit} per {minutes} min',
    zh: 'token 用量过大，{minutes} 分钟内最多 {limit}',
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
});

export type ErrorCode = keyof typeof errorCodes;

/** Kind of a code. */
export function errorKind(code: ErrorCode): ErrorKind {
  return errorCodes[code].kind;
}

/** A language of user-facing texts. */
export type Language = 'en' | 'zh';

/** Texts that accompany a success where a client shows one (management-api.md 1.1 rule 2). */
export const notices = {
  aff_ok: { en: 'Moved to balance', zh: '已划入余额' },
  bind: { en: 'bind', zh: 'bind' },
  checkin_ok: { en: 'Checked in', zh: '签到成功' },
  ratios_reset: { en: 'Model ratios are back to their defaults', zh: '模型倍率已恢复默认' },
  server_running: { en: 'Server is running', zh: 'Server is running' },
  settings_saved: { en: 'Settings saved', zh: '设置已保存' },
  setup_ok: { en: 'Initialised', zh: '初始化完成' },
} as const satisfies Record<string, Record<Language, string>>;

export type NoticeCode = keyof typeof notices;

/** True when the text is one of the codes of this table. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}

/** The text of a code with its parameters filled in; a parameter that is not given stays as `{name}`. */
export function formatError(
  code: ErrorCode,
  params: Readonly<Record<string, string | number | boolean>>,
  language: Language,
): string {
  return interpolate(errorCodes[code][language], params);
}

function interpolate(text: string, params: Readonly<Record<string, string | number | boolean>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : whole,
  );
}
