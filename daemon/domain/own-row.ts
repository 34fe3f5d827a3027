/** The caller's own row, before anything is made of it that outlives the call. */
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';

/**
 * Locks the row. Throws `user_gone`, and `session_expired` or `access_token_invalid` where the caller's credential was
 * ended after the call was let in, of a session as another node knows up to two seconds later: no credential is left to
 * whoever was just shut out.
 */
export async function lockOwnRow(
  stores: Pick<Stores, 'users'>,
  { userId, authVersion, accessTokenHash }: Pick<Actor, 'userId' | 'authVersion' | 'accessTokenHash'>,
): Promise<UserRecord> {
  const user = await stores.users.lock(userId);
  if (!user || user.deletedAt !== null) throw new TollgateError('user_gone');
  if (authVersion !== undefined && user.authVersion !== authVersion) throw new TollgateError('session_expired');
  if (accessTokenHash !== undefined && user.accessTokenHash !== accessTokenHash) {
    throw new TollgateError('access_token_invalid');
  }
  return user;
}
