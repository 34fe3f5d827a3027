/** Machine tokens: made and rotated by their users, shown once, stored hashed, dead with their user (D25). */
import { longestMachineTokenDays } from '../contract/machine-tokens.ts';
import { isScopeOfRole, plainScopes, type Scope } from '../contract/scopes.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { MachineTokenRecord } from '../store/machine-tokens.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { equalSecrets } from './equal-secrets.ts';
import { lockOwnRow } from './own-row.ts';
import { randomToken } from './random-text.ts';
import { addressLines, tokenName } from './token-input.ts';

/** What every secret begins with: it tells machine tokens from access tokens, people and scanners alike. */
export const machineTokenPrefix = 'tgm_';

/** Of one user, expired ones included until they are removed. */
const mostOfUser = 100;
const daySeconds = 86_400;
/** The use of a token is noted this often. */
const seenEverySeconds = 60;
/** How long an expired token stays in its owner's list. */
const keptDays = 30;

export interface MachineTokenDeps {
  readonly database: Database;
  readonly hashSecret: (secret: string) => string;
  readonly nowSeconds: () => number;
  /** Told when noting a use failed; nothing depends on it. */
  readonly report: (cause: unknown) => void;
}

export interface MachineTokenWish {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Unix seconds. */
  readonly expiresAt: number;
  /** One address or network a line; "" = any. */
  readonly allowIps: string;
}

/** A token with the secret that was presented or has just been made. */
export interface PresentedMachineToken {
  readonly token: MachineTokenRecord;
  /** False for the secret before the last rotation. */
  readonly isCurrent: boolean;
}

/** A token with its secret, which nobody can read again. */
export interface FreshMachineToken {
  readonly token: MachineTokenRecord;
  readonly secret: string;
}

export class MachineTokenService {
  readonly #deps: MachineTokenDeps;

  constructor(deps: MachineTokenDeps) {
    this.#deps = deps;
  }

  /** The caller's own, newest first; a machine token sees itself. */
  async list(actor: Actor): Promise<MachineTokenRecord[]> {
    const tokens = await this.#deps.database.stores.machineTokens.listOfUser(actor.userId);
    return tokens.filter(({ id }) => actor.machineToken === undefined || actor.machineToken.id === id);
  }

  /** Throws `token_name_*`, `token_ips_invalid`, `machine_token_expiry_invalid`, `_limit` and `scope_beyond_role`. */
  create(actor: Actor, wish: MachineTokenWish): Promise<FreshMachineToken> {
    return this.#deps.database.transaction((stores) => this.createIn(stores, actor, wish));
  }

  /** As `create`, in the caller's transaction. */
  async createIn(
    stores: Pick<Stores, 'machineTokens' | 'audits' | 'users'>,
    actor: Actor,
    wish: MachineTokenWish,
  ): Promise<FreshMachineToken> {
    // Those who make one at the same moment count one after the other.
    await lockOwnRow(stores, actor);
    await this.check(stores, actor, wish);
    const { secret, secretHash } = this.#newSecret();
    const token = await stores.machineTokens.insert({
      userId: actor.userId,
      name: tokenName(wish.name),
      secretHash,
      scopes: plainScopes(wish.scopes).join(' '),
      allowIps: addressLines(wish.allowIps),
      role: actor.role,
      createdAt: this.#deps.nowSeconds(),
      expiresAt: wish.expiresAt,
    });
    const { scopes, allowIps, expiresAt } = token;
    await this.#audit(stores, actor, {
      token,
      action: 'create',
      detail: { scopes, allow_ips: allowIps, expires_at: expiresAt },
    });
    return { token, secret };
  }

  /** Whether a token could be made for this user by now. Throws what `create` throws. */
  async check(
    stores: Pick<Stores, 'machineTokens'>,
    actor: Pick<Actor, 'userId' | 'role'>,
    wish: MachineTokenWish,
  ): Promise<void> {
    checkMachineTokenWish(wish, this.#deps.nowSeconds());
    const beyond = wish.scopes.find((scope) => !isScopeOfRole(scope, actor.role));
    if (beyond !== undefined) throw new TollgateError('scope_beyond_role', { scope: beyond }, { field: 'scopes' });
    if ((await stores.machineTokens.listOfUser(actor.userId)).length >= mostOfUser) {
      throw new TollgateError('machine_token_limit', { max: mostOfUser });
    }
  }

  /**
   * Gives a token a new secret and takes the one before for some seconds more. A machine token rotates itself alone, and
   * not by the secret before: whoever has stolen that one must not outlive the grace.
   * Throws `machine_token_not_found`, `machine_token_not_supported`, what `lockOwnRow` throws, and `busy` where somebody
   * else was faster.
   */
  async rotate(actor: Actor, { id, graceSeconds }: { id: number; graceSeconds: number }): Promise<FreshMachineToken> {
    if (actor.machineToken?.isCurrent === false) throw new TollgateError('machine_token_not_supported');
    const { secret, secretHash } = this.#newSecret();
    const token = await this.#deps.database.transaction(async (stores) => {
      await lockOwnRow(stores, actor);
      const before = await this.#own(stores, actor, id);
      const secrets =
        graceSeconds > 0
          ? { secretHash, previousHash: before.secretHash, previousUntil: this.#deps.nowSeconds() + graceSeconds }
          : { secretHash, previousHash: null, previousUntil: 0 };
      const rotated = await stores.machineTokens.replaceSecrets(id, before.secretHash, secrets);
      if (!rotated) throw new TollgateError('busy');
      const detail = { grace_seconds: graceSeconds };
      await this.#audit(stores, actor, { token: rotated, action: 'rotate', detail });
      return rotated;
    });
    return { token, secret };
  }

  /** Throws `machine_token_not_found`. */
  async revoke(actor: Actor, id: number): Promise<void> {
    await this.#deps.database.transaction(async (stores) => {
      const token = await this.#own(stores, actor, id);
      if (!(await stores.machineTokens.delete(id, actor.userId))) throw new TollgateError('machine_token_not_found');
      await this.#audit(stores, actor, { token, action: 'revoke', detail: {} });
    });
  }

  /** The token with this secret, expired ones included; undefined when unknown. */
  async find(secret: string): Promise<PresentedMachineToken | undefined> {
    const { database, hashSecret, nowSeconds } = this.#deps;
    const hash = hashSecret(secret);
    const token = await database.stores.machineTokens.findByHash(hash);
    if (!token) return undefined;
    if (equalSecrets(token.secretHash, hash)) return { token, isCurrent: true };
    const isInGrace = token.previousUntil > nowSeconds() && equalSecrets(token.previousHash ?? '', hash);
    return isInGrace ? { token, isCurrent: false } : undefined;
  }

  /** Notes that a token is in use, now and then. */
  seen(token: MachineTokenRecord): void {
    const now = this.#deps.nowSeconds();
    if (now - token.lastUsedAt < seenEverySeconds) return;
    this.#deps.database.stores.machineTokens.touch(token.id, now).catch(this.#deps.report);
  }

  /** What is not the caller's does not exist, and for a machine token that is all but itself. */
  async #own(stores: Pick<Stores, 'machineTokens'>, actor: Actor, id: number): Promise<MachineTokenRecord> {
    const isOther = actor.machineToken !== undefined && actor.machineToken.id !== id;
    const token = isOther ? undefined : await stores.machineTokens.findOwned(id, actor.userId);
    if (!token) throw new TollgateError('machine_token_not_found');
    return token;
  }

  #newSecret(): { secret: string; secretHash: string } {
    const secret = machineTokenPrefix + randomToken();
    return { secret, secretHash: this.#deps.hashSecret(secret) };
  }

  async #audit(
    stores: Pick<Stores, 'audits'>,
    actor: Actor,
    done: { token: MachineTokenRecord; action: 'create' | 'rotate' | 'revoke'; detail: Record<string, unknown> },
  ): Promise<void> {
    const { id, name } = done.token;
    const act = { action: `machine_token.${done.action}`, target: `machine_token:${id}` };
    await stores.audits.append(auditBy(actor, { ...act, detail: { name, ...done.detail } }, this.#deps.nowSeconds()));
  }
}

/** What is wrong with a wish whoever has it. Throws `token_name_*`, `token_ips_invalid`, `machine_token_expiry_invalid`. */
export function checkMachineTokenWish(wish: Omit<MachineTokenWish, 'scopes'>, nowSeconds: number): void {
  tokenName(wish.name);
  addressLines(wish.allowIps);
  if (wish.expiresAt > nowSeconds && wish.expiresAt <= nowSeconds + longestMachineTokenDays * daySeconds) return;
  throw new TollgateError('machine_token_expiry_invalid', { days: longestMachineTokenDays }, { field: 'expires_at' });
}

/** Takes from a user whatever programs call the management API with. */
export async function endProgramCredentials(
  stores: Pick<Stores, 'users' | 'machineTokens'>,
  userId: number,
): Promise<void> {
  await stores.users.setAccessToken(userId, null, 0);
  await stores.machineTokens.deleteOfUser(userId);
}

/** Removes tokens that have been expired for a month. */
export async function removeExpiredMachineTokens(deps: {
  readonly stores: Pick<Stores, 'machineTokens'>;
  readonly nowSeconds: () => number;
}): Promise<void> {
  await deps.stores.machineTokens.deleteExpired(deps.nowSeconds() - keptDays * daySeconds);
}
