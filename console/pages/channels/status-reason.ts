/** Why and when a channel was disabled, out of its column `other_info`. */
import * as z from 'zod/mini';

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
