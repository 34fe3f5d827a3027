/** What of `setting` (JSON text of the account, management-api.md 4.12) the console reads. */
import * as z from 'zod/mini';

const Stored = z.object({
  notify_type: z.catch(z.enum(['email', 'webhook']), 'email'),
  quota_warning_threshold: z.catch(z.optional(z.number()), undefined),
  webhook_url: z.catch(z.string(), ''),
  notification_email: z.catch(z.string(), ''),
  accept_unset_model_ratio_model: z.catch(z.boolean(), false),
  webhook_secret: z.catch(z.string(), ''),
});
export type NoticeSettings = z.output<typeof Stored>;

/** What was changed of them on the page and not saved yet. */
export type EditedNoticeSettings = {
  -readonly [K in Exclude<keyof NoticeSettings, 'webhook_secret' | 'accept_unset_model_ratio_model'>]?: NonNullable<
    NoticeSettings[K]
  >;
};

/** Shown where nothing is stored (console.md 11, O2). */
export const usualThreshold = 500_000;

/** The stored settings; what cannot be read is as if it had never been saved. */
export function readNoticeSettings(setting: string): NoticeSettings {
  return Stored.parse(parsed(setting));
}

export function warningThreshold(setting: string): number {
  return readNoticeSettings(setting).quota_warning_threshold ?? usualThreshold;
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
