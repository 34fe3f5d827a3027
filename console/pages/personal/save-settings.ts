/** Saves what `PUT /api/user/setting` takes; all of it goes together, whichever tab changed a part (console.md 6.20). */
import { account as endpoints } from '../../../daemon/contract/account.ts';
import { type NoticeSettings, readNoticeSettings, usualThreshold } from '../../account/notice-settings.ts';
import { callsFor } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

const account = callsFor({ get: endpoints.get, saveSetting: endpoints.saveSetting });

/**
 * @param changed over what is stored by now: another tab may have saved the rest since this one read it
 * @param secret undefined keeps the stored one, null clears it
 */
export async function saveSettings(changed: Partial<NoticeSettings>, secret?: string | null): Promise<void> {
  const settings = { ...readNoticeSettings((await account.get()).setting), ...changed };
  await account.saveSetting({
    notify_type: settings.notify_type,
    quota_warning_threshold: settings.quota_warning_threshold ?? usualThreshold,
    webhook_url: settings.webhook_url,
    webhook_secret: secret === undefined ? '' : secret,
    notification_email: settings.notification_email,
    accept_unset_model_ratio_model: settings.accept_unset_model_ratio_model,
  });
  await queryClient.invalidateQueries({ queryKey: ['self'] });
}
