/** User and token rows for tests, where every field may be overridden; and what stands in the rows of an account. */
import type { Stores } from '../../daemon/store/database.ts';
import type { TokenRecord } from '../../daemon/store/tokens.ts';
import type { UserRecord } from '../../daemon/store/users.ts';

/** An enabled ordinary user of group default without a balance. */
export function userRecord(over: Partial<UserRecord> = {}): UserRecord {
  return {
    id: 1,
    username: `user${over.id ?? 1}`,
    password: '',
    displayName: '',
    role: 1,
    status: 1,
    email: null,
    githubId: null,
    oidcId: null,
    wechatId: null,
    telegramId: null,
    linuxDoId: null,
    accessTokenHash: null,
    accessTokenExpiresAt: 0,
    quota: 0,
    usedQuota: 0,
    requestCount: 0,
    group: 'default',
    affCode: null,
    affCount: 0,
    affQuota: 0,
    affHistory: 0,
    inviterId: 0,
    setting: '',
    lastCheckInTime: null,
    authVersion: 1,
    budgets: '[]',
    notes: '',
    createdAt: 0,
    lastLoginAt: 0,
    deletedAt: null,
    ...over,
  };
}

/** An enabled token that never expires and has no quota. */
export function tokenRecord(over: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id: 1,
    userId: 1,
    keyHash: 'hash',
    keySealed: '',
    keyHint: 'abcdwxyz',
    status: 1,
    name: 'token',
    createdTime: 0,
    accessedTime: 0,
    expiredTime: -1,
    remainQuota: 0,
    usedQuota: 0,
    unlimitedQuota: false,
    modelLimitsEnabled: false,
    modelLimits: '',
    modelMapping: '',
    allowIps: '',
    group: '',
    conversion: 'drop',
    rpmLimit: 0,
    tpmLimit: 0,
    concurrencyLimit: 0,
    budgets: '[]',
    quotaWarningThreshold: -1,
    deletedAt: null,
    ...over,
  };
}

/** The row of a user. Throws where there is none. */
export async function userRow({ users }: Pick<Stores, 'users'>, id: number): Promise<UserRecord> {
  const user = await users.find(id);
  if (!user) throw new Error(`no user ${id}`);
  return user;
}

/** Type and quota of a user's rows of the log, the oldest first. */
export async function logRowsOf({ logs }: Pick<Stores, 'logs'>, userId: number): Promise<[number, number][]> {
  const { items } = await logs.list({ userId }, { offset: 0, limit: 50 });
  return items.map(({ type, quota }): [number, number] => [type, quota]).reverse();
}
