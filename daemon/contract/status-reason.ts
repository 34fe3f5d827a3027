/** Why and when a channel was disabled, out of its column `other_info` (management-api.md 4.3). */
import * as z from 'zod/mini';
import type { Language } from './error-codes.ts';

/** What is noted with the last key of a channel (relay.md 12.9); all other reasons are upstreams' own words. */
export const allKeysDisabled = 'all keys disabled';

const StatusInfo = z.object({
  status_reason: z.catch(z.optional(z.string()), undefined),
  /** Unix seconds. */
  status_time: z.catch(z.optional(z.number()), undefined),
  status_request_id: z.catch(z.optional(z.string()), undefined),
});

export interface StatusReason {
  readonly reason: string;
  readonly time: number;
  readonly requestId: string;
}

/** Undefined where the column says nothing of it. */
export function statusReasonOf(otherInfo: string): StatusReason | undefined {
  try {
    const parsed = z.safeParse(StatusInfo, JSON.parse(otherInfo));
    if (!parsed.success) return undefined;
    const { status_reason: reason = '', status_time: time = 0, status_request_id: requestId = '' } = parsed.data;
    return reason === '' && time === 0 ? undefined : { reason, time, requestId };
  } catch {
    return undefined;
  }
}

/** Why it was disabled, as its reader understands it; "" where nothing is noted. */
export function disabledFor(otherInfo: string | null, language: Language): string {
  const reason = statusReasonOf(otherInfo ?? '')?.reason ?? '';
  return language === 'zh' && reason === allKeysDisabled ? '全部密钥均已禁用' : reason;
}
