/** Below which balance the account is warned, out of the account's own settings. */
import * as z from 'zod/mini';

const Setting = z.object({ quota_warning_threshold: z.number() });
/** Where nothing is stored (console.md 11, O2). */
const usual = 500_000;

export function warningThreshold(setting: string): number {
  try {
    const parsed = z.safeParse(Setting, JSON.parse(setting));
    return parsed.success ? parsed.data.quota_warning_threshold : usual;
  } catch {
    return usual;
  }
}
