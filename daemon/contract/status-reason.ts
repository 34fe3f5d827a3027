/**
 * Why and when a channel was disabled, out of its column `other_info` (management-api.md 4.3). Read without a schema, which
 * no command may load before it runs.
 */
import type { Language } from './error-codes.ts';

/** What is noted with the last key of a channel (relay.md 12.9); all other reasons are upstreams' own words. */
export const allKeysDisabled = 'all keys disabled';

export interface StatusReason {
  readonly reason: string;
  /** Unix seconds. */
  readonly time: number;
  readonly requestId: string;
}

/** Undefined where the column says nothing of it. */
export function statusReasonOf(otherInfo: string | null): StatusReason | undefined {
  let info: unknown;
  try {
    info = JSON.parse(otherInfo ?? '');
  } catch {
    return undefined;
  }
  const member = (name: string): unknown => (typeof info === 'object' && info !== null ? Reflect.get(info, name) : '');
  const text = (name: string) => {
    const value = member(name);
    return typeof value === 'string' ? value : '';
  };
  const time = member('status_time');
  const found = {
    reason: text('status_reason'),
    time: typeof time === 'number' ? time : 0,
    requestId: text('status_request_id'),
  };
  return found.reason === '' && found.time === 0 ? undefined : found;
}

/** The reason as its reader understands it. */
export function reasonIn(language: Language, reason: string): string {
  return language === 'zh' && reason === allKeysDisabled ? '全部密钥均已禁用' : reason;
}

/** Why a channel was disabled, as its reader understands it; "" where nothing is noted. */
export function disabledFor(otherInfo: string, language: Language): string {
  return reasonIn(language, statusReasonOf(otherInfo)?.reason ?? '');
}
