/** Codes of every surface, of setup, sign-in and users (management-api.md 1.8). */
import { define } from './error-entry.ts';

export const accountErrors = define({
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
  cross_site: {
    kind: 'forbidden',
    en: 'Not taken from a page of another site',
    zh: '不接受其他网站页面发起的请求',
  },
  db_unavailable: { kind: 'unavailable', en: 'Database unavailable', zh: '数据库暂不可用' },
  forbidden_role: { kind: 'forbidden', en: 'Not permitted for your role', zh: '当前身份无权执行此操作' },
  idempotency_conflict: {
    kind: 'conflict',
    en: 'This Idempotency-Key was used with another request body',
    zh: '该 Idempotency-Key 已用于另一份请求内容',
    status: { management: 409 },
  },
  idempotency_unanswered: {
    kind: 'conflict',
    en: 'The first call with this Idempotency-Key has not answered; see whether it took effect before using another key',
    zh: '使用该 Idempotency-Key 的首次请求尚无结果；请先确认其是否已生效，再使用新的键',
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
  too_many_values: {
    kind: 'too-large',
    en: 'Request body holds more than {most} values; divide it among several requests',
    zh: '请求体包含的值超过 {most} 个，请分成多次请求',
  },
  request_timeout: {
    kind: 'refusal',
    en: 'The request did not arrive in time',
    zh: '请求未能及时送达',
    status: { management: 408, relay: 408 },
  },
  data_dir_in_use: {
    kind: 'conflict',
    en: 'Another Tollgate uses the data folder {folder}; give each its own (data_dir)',
    zh: '数据目录 {folder} 正被另一个 Tollgate 使用；请为每个进程设置各自的 data_dir',
  },
  schema_newer: {
    kind: 'unavailable',
    en: 'The data are of a newer Tollgate ({migrations}); use that version, or a backup from before it',
    zh: '数据来自更新版本的 Tollgate（{migrations}）；请使用该版本，或改用升级前的备份',
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
  notice_failed: {
    kind: 'refusal',
    en: 'The test notice did not arrive: {reason}',
    zh: '测试通知发送失败：{reason}',
  },
  notice_nowhere: {
    kind: 'refusal',
    en: 'There is no address to send notices to',
    zh: '尚未设置接收通知的地址',
  },
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
    en: '{own:You have bound your|This} {provider} account {own:already|is bound to another user}',
    zh: '{own:您已绑定自己的|该} {provider} 账户{own:|已绑定其他用户}',
  },
  oauth_unbound: {
    kind: 'refusal',
    en: 'This {provider} account is not bound to any user',
    zh: '该 {provider} 账户尚未绑定用户',
  },
  passkey_limit: { kind: 'conflict', en: 'At most {limit} passkeys', zh: '通行密钥最多 {limit} 个' },
  passkey_name_invalid: { kind: 'refusal', en: 'Name: 1 to {limit} characters', zh: '名称须为 1 至 {limit} 个字符' },
  passkey_not_found: { kind: 'not-found', en: 'Passkey not found', zh: '通行密钥不存在' },
  passkey_off: {
    kind: 'refusal',
    en: 'Passkeys need the address of this site (ServerAddress): https with a name, or http://localhost',
    zh: '使用通行密钥需先设置服务器地址（ServerAddress）：须为带域名的 https 地址，或 http://localhost',
  },
  passkey_refused: { kind: 'refusal', en: 'The passkey was not accepted', zh: '通行密钥验证未通过' },
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
  session_not_found: { kind: 'not-found', en: 'Session not found', zh: '会话不存在' },
  step_up_failed: { kind: 'refusal', en: 'That did not prove who you are', zh: '身份验证未通过' },
  step_up_required: {
    kind: 'forbidden',
    en: 'Prove once more that it is you',
    zh: '请再次验证本人身份',
  },
  threshold_invalid: { kind: 'refusal', en: 'The threshold must be above 0', zh: '阈值必须大于 0' },
  turnstile_failed: {
    kind: 'refusal',
    en: 'Turnstile check failed, reload and retry',
    zh: 'Turnstile 校验未通过，请刷新后重试',
  },
  turnstile_missing: { kind: 'refusal', en: 'Turnstile token missing', zh: '缺少 Turnstile 校验凭据' },
  two_factor_code_invalid: { kind: 'refusal', en: 'Code wrong or expired', zh: '验证码不正确或已失效' },
  two_factor_code_used: {
    kind: 'refusal',
    en: 'This code was used already; wait for the next one, half a minute at most',
    zh: '此验证码已使用过，请等待下一个验证码（最多半分钟）',
  },
  two_factor_expired: {
    kind: 'unauthenticated',
    en: 'The sign-in took too long or had too many wrong codes, sign in again',
    zh: '登录已超时或验证码错误次数过多，请重新登录',
    status: { management: 200 },
  },
  two_factor_off: { kind: 'conflict', en: 'Two-factor sign-in is not on', zh: '尚未启用双重验证' },
  two_factor_on: { kind: 'conflict', en: 'Two-factor sign-in is already on', zh: '双重验证已经启用' },
  two_factor_required: {
    kind: 'unauthenticated',
    en: 'A code of the second factor is needed',
    zh: '需要双重验证码',
    status: { management: 200 },
  },
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
});
