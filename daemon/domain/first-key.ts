/** The relay key that a new user starts with, where the configuration asks for one (management-api.md 3.4). */
import type { UserRecord } from '../store/users.ts';
import type { TokenService } from './tokens.ts';

const firstKeyQuota = 500_000;

/** Makes an unlimited key that never expires, named after its owner. */
export function firstKeyIssuer(tokens: Pick<TokenService, 'create'>): (user: UserRecord) => Promise<void> {
  return async ({ id, username, role, status, group }) => {
    const owner = { userId: id, username, role, status, group, via: 'session', ip: '' } as const;
    await tokens.create(owner, {
      name: `${username}-default`,
      expired_time: -1,
      remain_quota: firstKeyQuota,
      unlimited_quota: true,
    });
  };
}
