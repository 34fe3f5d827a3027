/** Log rows for tests; every field may be overridden. */
import type { NewLogRow } from '../../daemon/store/logs.ts';

/** A call by nobody that used nothing. */
export function newLogRow(over: Partial<NewLogRow> = {}): NewLogRow & { cost: number } {
  return {
    userId: 1,
    createdAt: 1,
    type: 2,
    content: '',
    username: '',
    tokenName: '',
    modelName: '',
    quota: 0,
    promptTokens: 0,
    completionTokens: 0,
    useTime: 0,
    isStream: false,
    channelId: 0,
    tokenId: 0,
    group: '',
    other: '',
    requestId: '',
    failed: false,
    ip: null,
    cost: 0,
    ...over,
  };
}
