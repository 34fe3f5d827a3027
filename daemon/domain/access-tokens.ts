/** System access tokens: issued once, stored hashed, dead with their user (management-api.md 2.2). */
import type { Bus } from '../cluster/bus.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { lockOwnRow } from './own-row.ts';
import { randomBase62 } from './random-text.ts';

export interface AccessTokenDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly hashToken: (token: string) => string;
  /** Days until a token expires. */
  readonly lifeDays: number;
  readonly nowSeconds: () => number;
}

export class AccessTokenService {
  readonly #deps: AccessTokenDeps;

  constructor(deps: AccessTokenDeps) {
    this.#deps = deps;
  }

  /** A fresh token for the caller, shown this once; the previous one stops working. */
  async issue(actor: Actor): Promise<string> {
    const { database, bus, hashToken, lifeDays, nowSeconds } = this.#deps;
    const token = randomBase62(32);
    const now = nowSeconds();
    const revision = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      await lockOwnRow(stores, actor);
      const user = await stores.users.setAccessToken(actor.userId, hashToken(token), now + lifeDays * 86_400);
      if (!user) throw new TollgateError('user_gone');
      const act = { action: 'user.access_token', target: `user:${actor.userId}` };
      await stores.audits.append(auditBy(actor, act, now));
      return revision;
    });
    await bus.announce('users', revision, String(actor.userId));
    return token;
  }

  /** The user with this token; undefined when it is unknown or past its time. */
  async findUser(token: string): Promise<UserRecord | undefined> {
    const { database, hashToken, nowSeconds } = this.#deps;
    const user = await database.stores.users.findByAccessTokenHash(hashToken(token));
    return user && user.accessTokenExpiresAt > nowSeconds() ? user : undefined;
  }
}
