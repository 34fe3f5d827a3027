/** Codes of machine tokens and their scopes. */
import { define } from './error-entry.ts';

export const machineTokenErrors = define({
  machine_token_expired: { kind: 'unauthenticated', en: 'The machine token has expired', zh: '机器令牌已过期' },
  machine_token_expiry_invalid: {
    kind: 'refusal',
    en: 'A machine token expires after now and within {days} days',
    zh: '机器令牌的过期时间须晚于当前时间，且不超过 {days} 天',
  },
  machine_token_invalid: {
    kind: 'unauthenticated',
    en: 'The machine token is unknown or was revoked',
    zh: '机器令牌不存在或已被吊销',
  },
  machine_token_limit: {
    kind: 'refusal',
    en: 'You have {max} machine tokens already; revoke one first',
    zh: '机器令牌已达上限 {max} 个，请先吊销不用的令牌',
  },
  machine_token_not_found: { kind: 'not-found', en: 'Machine token not found', zh: '机器令牌不存在' },
  machine_token_not_supported: {
    kind: 'forbidden',
    en: 'Not available with a machine token',
    zh: '机器令牌不支持此操作',
  },
  scope_beyond_role: {
    kind: 'forbidden',
    en: 'Your role has no use for the scope {scope}',
    zh: '当前身份不能授予权限范围 {scope}',
  },
  scope_missing: {
    kind: 'forbidden',
    en: 'The machine token lacks the scope {scope}',
    zh: '机器令牌缺少权限范围 {scope}',
  },
});
