/** Channel rows and keys for tests; every field may be overridden. */
import { createHash } from 'node:crypto';
import { type ChannelView, toChannelView } from '../../daemon/snapshots/channel-view.ts';
import type { ChannelKeyRecord } from '../../daemon/store/channel-keys.ts';
import type { ChannelRecord } from '../../daemon/store/channels.ts';

/** An enabled channel of type 1 in group default that offers gpt-4o. */
export function channelRecord(over: Partial<ChannelRecord> = {}): ChannelRecord {
  return {
    id: 1,
    type: 1,
    openaiOrganization: null,
    testModel: null,
    status: 1,
    name: `channel ${over.id ?? 1}`,
    weight: 0,
    createdTime: 0,
    testTime: 0,
    responseTime: 0,
    baseUrl: '',
    other: '',
    balance: 0,
    balanceUpdatedTime: 0,
    models: 'gpt-4o',
    group: 'default',
    usedQuota: 0,
    modelMapping: null,
    statusCodeMapping: null,
    maxInputTokens: 0,
    priority: 0,
    autoBan: 1,
    otherInfo: '',
    tag: null,
    setting: null,
    paramOverride: null,
    modelPrefix: '',
    budgets: '[]',
    ...over,
  };
}

/** An enabled key whose sealed form is `sealed:<key>`. */
export function channelKeyRecord(key: string, over: Partial<ChannelKeyRecord> = {}): ChannelKeyRecord {
  return {
    id: 1,
    channelId: 1,
    position: 0,
    keyHash: createHash('sha256').update(key).digest('hex').slice(0, 16),
    keySealed: `sealed:${key}`,
    status: 1,
    reason: '',
    statusTime: 0,
    lastUsed: 0,
    lastError: '',
    cap: 0,
    tpm: 0,
    concurrency: 0,
    ...over,
  };
}

/** Opens what `channelKeyRecord` made. */
export function unseal(_context: unknown, sealed: string): string {
  if (!sealed.startsWith('sealed:')) throw new Error('cannot be opened');
  return sealed.slice('sealed:'.length);
}

/** A channel view with the given keys, numbered from `100 * id`. */
export function channelView(over: Partial<ChannelRecord> = {}, keys: readonly string[] = ['sk-one']): ChannelView {
  const record = channelRecord(over);
  return toChannelView({
    record,
    keys: keys.map((key, position) =>
      channelKeyRecord(key, { id: record.id * 100 + position, channelId: record.id, position }),
    ),
    unseal,
    report: () => undefined,
  });
}
