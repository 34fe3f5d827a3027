/** The relay key that a new user starts with, where the configuration asks for one (management-api.md 3.4). */
import type { UserRecord } from '../store/users.ts';
import type { TokenService } from './tokens.ts';

const firstKeyQuota = 500_000;

/**
 * Makes an unlimited key that never expires, named after its owner. One that cannot be made is reported and left to its
 * owner: the account is there, and who registers again would only learn that the name is taken.
 */
export function firstKeyIssuer(
  tokens: Pick<TokenService, 'create'>,
  report: (failed: { readonly userId: number; readonly error: unknown }) => void,
): (user: UserRecord) => Promise<void> {
  return async ({ id, username, role, status, group }) => {
    const owner = { userId: id, username, role, status, group, via: 'session', ip: '' } as const;
    try {
      await tokens.create(owner, {
        name: `${username}-default`,
        expired_time: -1,
        remain_quota: firstKeyQuota,
        unlimited_quota: true,
      });
    } catch (error) {
      report({ userId: id, error });
    }
  };
}
