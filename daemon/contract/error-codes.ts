/**
 * Every stable error code: its kind, its texts in both languages, and a status where a contract page pins one.
 * `{name}` in a text is replaced by the parameter of that name. The entries live in `errors-*.ts`, by area.
 */

import { chineseBackupReason } from './backup-reasons.ts';
import { chineseSpentBudget } from './budget-reasons.ts';
import { chineseConversionReason } from './conversion-reasons.ts';
import { chineseDeliveryReason } from './delivery-reasons.ts';
import type { ErrorKind } from './error-entry.ts';
import { accountErrors } from './errors-accounts.ts';
import { cliSignInErrors } from './errors-cli-sign-ins.ts';
import { copyErrors } from './errors-copies.ts';
import { machineTokenErrors } from './errors-machine-tokens.ts';
import { relayErrors } from './errors-relay.ts';
import { resourceErrors } from './errors-resources.ts';
import { stateErrors } from './errors-state.ts';
import { fillText } from './fill-text.ts';
import { chineseReason } from './option-reasons.ts';
import { chineseRequestReason } from './request-reasons.ts';
import { chineseSideReason } from './side-reasons.ts';

export type { ErrorEntry, ErrorKind } from './error-entry.ts';

export const errorCodes = {
  ...accountErrors,
  ...cliSignInErrors,
  ...copyErrors,
  ...machineTokenErrors,
  ...resourceErrors,
  ...relayErrors,
  ...stateErrors,
};

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
  const { reason } = params;
  const chinese = language === 'zh' && typeof reason === 'string' ? reasonsOf(code) : undefined;
  const told = chinese === undefined ? params : { ...params, reason: chinese(String(reason)) };
  return fillText(errorCodes[code][language], told);
}

/** Reads the reasons of a code in Chinese; undefined where they are nobody's of ours, or made in both languages. */
function reasonsOf(code: ErrorCode): ((reason: string) => string) | undefined {
  if (code === 'invalid_request') return chineseRequestReason;
  if (code === 'convert_request_failed') return chineseConversionReason;
  if (code === 'budget_exceeded') return chineseSpentBudget;
  if (code === 'channel_fetch_failed' || code === 'channel_balance_failed') return chineseSideReason;
  if (code === 'backup_damaged') return chineseBackupReason;
  if (code === 'notice_failed') return chineseDeliveryReason;
  const isOfCatalogue = ['option_invalid', 'channel_rule_invalid', 'channel_setting_invalid'].includes(code);
  return isOfCatalogue ? chineseReason : undefined;
}
