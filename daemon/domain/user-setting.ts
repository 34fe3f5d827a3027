/** The JSON text of `users.setting` (management-api.md 4.12): members we know are read, all others are carried along. */
import { TollgateError } from '../errors.ts';
import { checkedEmail } from './account-rules.ts';

/** What a caller wants; undefined members stay as they are. */
export interface SettingChange {
  /** `email` or `webhook`; anything else is refused. */
  readonly notifyType: string;
  readonly quotaWarningThreshold: number;
  readonly webhookUrl: string | undefined;
  /** "" and undefined keep the stored one, null clears it. */
  readonly webhookSecret: string | null | undefined;
  /** "" clears it: the account's own address is used. */
  readonly notificationEmail: string | undefined;
  readonly acceptUnsetModelRatioModel: boolean | undefined;
}

/** The text to store. Throws `notify_type_invalid`, `threshold_invalid`, `webhook_invalid`, `email_invalid`. */
export function changedSetting(stored: string, change: SettingChange): string {
  const { notifyType, quotaWarningThreshold, webhookUrl, webhookSecret, notificationEmail } = change;
  if (notifyType !== 'email' && notifyType !== 'webhook') {
    throw new TollgateError('notify_type_invalid', {}, { field: 'notify_type' });
  }
  if (!Number.isFinite(quotaWarningThreshold) || quotaWarningThreshold <= 0) {
    throw new TollgateError('threshold_invalid', {}, { field: 'quota_warning_threshold' });
  }
  const setting = { ...readSetting(stored) };
  setting.notify_type = notifyType;
  setting.quota_warning_threshold = quotaWarningThreshold;
  // Members of the type that is not chosen are kept, so that switching back loses nothing.
  if (notifyType === 'webhook') {
    setting.webhook_url = checkedWebhook(webhookUrl ?? '');
    if (webhookSecret === null) delete setting.webhook_secret;
    else if (webhookSecret) setting.webhook_secret = webhookSecret;
  } else if (notificationEmail !== undefined) {
    if (notificationEmail === '') delete setting.notification_email;
    else setting.notification_email = checkedEmail(notificationEmail, 'notification_email');
  }
  if (change.acceptUnsetModelRatioModel !== undefined) {
    setting.accept_unset_model_ratio_model = change.acceptUnsetModelRatioModel;
  }
  return JSON.stringify(setting);
}

/** The members of a stored text; {} when it is empty or unreadable. */
export function readSetting(stored: string): Readonly<Record<string, unknown>> {
  if (stored === '') return {};
  try {
    const value: unknown = JSON.parse(stored);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The members that administrators may see: no address, no secret. */
export function settingForAdmins(stored: string): string {
  if (stored === '') return '';
  const setting = readSetting(stored);
  const shown: Record<string, unknown> = {};
  for (const name of ['notify_type', 'quota_warning_threshold', 'accept_unset_model_ratio_model']) {
    if (Object.hasOwn(setting, name)) shown[name] = setting[name];
  }
  return JSON.stringify(shown);
}

function checkedWebhook(url: string): string {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isWeb || url.length > 2048) throw new TollgateError('webhook_invalid', {}, { field: 'webhook_url' });
  return url;
}
