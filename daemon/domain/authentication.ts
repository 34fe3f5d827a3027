/** Who is calling the management API: session or token, user-id header, account; in the order of 2.4. */
import { readScopes } from '../contract/scopes.ts';
import { TollgateError } from '../errors.ts';
import type { MachineTokenRecord } from '../store/machine-tokens.ts';
import type { SessionRecord } from '../store/sessions.ts';
import type { UserRecord } from '../store/users.ts';
import { type ActingMachineToken, type Actor, isRole } from './actor.ts';
import { AddressList } from './address-list.ts';
import { machineTokenPrefix, type PresentedMachineToken } from './machine-tokens.ts';

/** What a request shows of its caller, unjudged. */
export interface Presented {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** Session id of a validly signed cookie; `invalid` when there is a cookie that is not ours. */
  readonly session: string | 'invalid' | undefined;
  /** Every user-id header present, by its name as 2.3 writes it. */
  readonly userIds: readonly { readonly name: string; readonly value: string }[];
  readonly clientAddress: string;
  /** For audit rows, as is the next. */
  readonly requestId?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** Names of the user-id header (2.3), as they are written. */
export const userIdHeaders = [
  'Tollgate-User',
  'Veloera-User',
  'New-Api-User',
  'X-Api-User',
  'voapi-user',
  'Rix-Api-User',
  'neo-api-user',
  'X-ModelFlare-User',
  'User-id',
] as const;

/** The name in the text about a missing header: third-party clients recognise the dialect by it (D2). */
const publishedUserIdHeader = 'Veloera-User';

/** 256 bits in base64url behind the prefix; checked before any look-up (S17). */
const machineTokenForm = new RegExp(`^${machineTokenPrefix}[A-Za-z0-9_-]{43}$`);

/** Codes after which a browser's session is over, for good. */
const endingCodes = new Set<string>(['session_expired', 'user_gone', 'user_disabled']);

export interface AuthenticationDeps {
  /** The live session with this id, anonymous ones included; undefined when unknown or past its time. */
  readonly findSession: (id: string) => Promise<SessionRecord | undefined>;
  readonly endSession: (id: string) => Promise<void>;
  /** Called for each use of a session; decides by itself whether that is worth a write. */
  readonly sessionSeen: (session: SessionRecord) => void;
  /** The user, at most 2 s old; deleted ones are found. */
  readonly findUser: (id: number) => UserRecord | undefined | Promise<UserRecord | undefined>;
  /** The user with this access token, deleted ones excluded; undefined when unknown or past its time. */
  readonly findUserByAccessToken: (token: string) => Promise<UserRecord | undefined>;
  /** The machine token with this secret, expired ones included; undefined when unknown. */
  readonly findMachineToken: (secret: string) => Promise<PresentedMachineToken | undefined>;
  /** Called for each use of one; decides by itself whether that is worth a write. */
  readonly machineTokenSeen: (token: MachineTokenRecord) => void;
  readonly nowSeconds: () => number;
}

/** A caller's account and how it was proven; `user` may still be refused. */
interface Claim {
  readonly user: UserRecord;
  readonly via: Actor['via'];
  /** Highest role that the credential may act as. */
  readonly highestRole?: number;
  readonly endsAt: number;
  readonly machineToken?: ActingMachineToken;
}

export class Authentication {
  readonly #deps: AuthenticationDeps;

  constructor(deps: AuthenticationDeps) {
    this.#deps = deps;
  }

  /**
   * The caller of a U, A or R route. Throws `access_token_invalid`, `machine_token_*`, `ip_not_allowed`,
   * `auth_required`, `session_expired`, `user_header_*`, `user_gone`, `user_disabled` and `forbidden_role`.
   */
  async require(presented: Presented, lowestRole: number): Promise<Actor> {
    const actor = await this.#resolve(presented);
    if (!isRole(actor.role) || actor.role < lowestRole) throw new TollgateError('forbidden_role');
    return actor;
  }

  /** The caller of an O route: a failing access token is refused, a failing session counts as nobody (2.4). */
  async findOptional(presented: Presented): Promise<Actor | undefined> {
    if (accessTokenOf(presented.authorization) !== undefined) return this.#resolve(presented);
    return this.#actorOfSession(presented, (claim) => {
      if (presented.userIds.length > 0) checkUserIds(presented.userIds, claim);
    });
  }

  /**
   * The account of a live session without its user-id header; undefined for anybody else. Only for calls that a
   * single-use state of that session protects (3.5.1).
   */
  findBySession(presented: Presented): Promise<Actor | undefined> {
    return this.#actorOfSession(presented, () => undefined);
  }

  /** The account of a live session that passes the check; undefined where it, or the check, refuses. */
  async #actorOfSession(presented: Presented, check: (claim: Claim) => void): Promise<Actor | undefined> {
    try {
      const claim = await this.#claimBySession(presented);
      check(claim);
      await this.#checkAccount(claim, presented);
      return toActor(claim, presented);
    } catch (error) {
      if (error instanceof TollgateError && (error.kind === 'unauthenticated' || error.kind === 'forbidden'))
        return undefined;
      throw error;
    }
  }

  /**
   * The session that a sign-out may end (S12): undefined when there is none to end. Throws `user_header_*` when the
   * header does not name the session's user.
   */
  async sessionToEnd(presented: Presented): Promise<string | undefined> {
    if (presented.session === undefined || presented.session === 'invalid') return undefined;
    const session = await this.#deps.findSession(presented.session);
    if (!session) return undefined;
    if (session.userId === null) return presented.session;
    const user = await this.#deps.findUser(session.userId);
    if (user) checkUserIds(presented.userIds, { user, via: 'session' });
    return presented.session;
  }

  async #resolve(presented: Presented): Promise<Actor> {
    const token = accessTokenOf(presented.authorization);
    const claim =
      token === undefined ? await this.#claimBySession(presented) : await this.#claimByToken(token, presented);
    checkUserIds(presented.userIds, claim);
    await this.#checkAccount(claim, presented);
    return toActor(claim, presented);
  }

  async #claimByToken(token: string, presented: Presented): Promise<Claim> {
    if (token.startsWith(machineTokenPrefix)) return this.#claimByMachineToken(token, presented);
    // The shape is checked before any look-up, so that nothing unbounded reaches the database (S17).
    const user = /^[0-9A-Za-z]{32}$/.test(token) ? await this.#deps.findUserByAccessToken(token) : undefined;
    if (!user) throw new TollgateError('access_token_invalid');
    return { user, via: 'access-token', endsAt: user.accessTokenExpiresAt };
  }

  async #claimByMachineToken(secret: string, { clientAddress }: Presented): Promise<Claim> {
    const found = machineTokenForm.test(secret) ? await this.#deps.findMachineToken(secret) : undefined;
    if (!found) throw new TollgateError('machine_token_invalid');
    const { token, isCurrent } = found;
    if (token.expiresAt <= this.#deps.nowSeconds()) throw new TollgateError('machine_token_expired');
    if (!new AddressList(token.allowIps).admits(clientAddress)) throw new TollgateError('ip_not_allowed');
    const user = await this.#deps.findUser(token.userId);
    if (!user) throw new TollgateError('user_gone');
    this.#deps.machineTokenSeen(token);
    const { id, name, role, expiresAt } = token;
    const machineToken = { id, name, scopes: readScopes(token.scopes), isCurrent };
    return { user, via: 'machine-token', highestRole: role, endsAt: expiresAt, machineToken };
  }

  async #claimBySession(presented: Presented): Promise<Claim> {
    if (presented.session === undefined) throw new TollgateError('auth_required');
    if (presented.session === 'invalid') throw new TollgateError('session_expired');
    const session = await this.#deps.findSession(presented.session);
    if (!session) throw new TollgateError('session_expired');
    if (session.userId === null) throw new TollgateError('auth_required');
    const user = await this.#deps.findUser(session.userId);
    if (!user) throw new TollgateError('user_gone');
    const isUsable = user.deletedAt === null && user.status === 1;
    // A disabled account was revoked as well; the caller is told the reason (step 4), not the mechanism.
    if (isUsable && session.authVersion !== user.authVersion) {
      await this.#deps.endSession(presented.session);
      throw new TollgateError('session_expired');
    }
    this.#deps.sessionSeen(session);
    return { user, via: 'session', endsAt: session.expiresAt };
  }

  async #checkAccount({ user, via }: Claim, presented: Presented): Promise<void> {
    if (user.deletedAt === null && user.status === 1) return;
    if (via === 'session' && presented.session !== undefined) await this.#deps.endSession(presented.session);
    throw new TollgateError(user.deletedAt === null ? 'user_disabled' : 'user_gone');
  }
}

/** True when the browser's cookie is worth nothing any more after this failure. */
export function endsSession(error: unknown): boolean {
  return error instanceof TollgateError && endingCodes.has(error.code);
}

/** The value of a Bearer or bare `Authorization`; `Basic` belongs to reverse proxies and says nothing (2.2). */
function accessTokenOf(authorization: string | undefined): string | undefined {
  const value = authorization?.trim() ?? '';
  if (value === '' || /^basic(\s|$)/i.test(value)) return undefined;
  const token = value.replace(/^bearer(\s+|$)/i, '');
  return token === '' ? undefined : token;
}

function checkUserIds(sent: Presented['userIds'], { user, via }: Pick<Claim, 'user' | 'via'>): void {
  if (sent.length === 0) {
    if (via !== 'session') return;
    throw new TollgateError('user_header_missing', { name: publishedUserIdHeader });
  }
  const malformed = sent.find(({ value }) => !/^[0-9]{1,16}$/.test(value.trim()));
  if (malformed) throw new TollgateError('user_header_malformed', { name: malformed.name });
  if (sent.some(({ value }) => Number(value) !== user.id)) throw new TollgateError('user_header_mismatch');
}

function toActor(claim: Claim, presented: Presented): Actor {
  const { user, via, highestRole, endsAt } = claim;
  const { id, username, status, group } = user;
  const { clientAddress: ip, requestId, userAgent } = presented;
  // A role that is none stays so, and is refused as such.
  const isCapped = highestRole !== undefined && isRole(user.role) && user.role > highestRole;
  const role = isCapped ? highestRole : user.role;
  const who = { userId: id, username, role, status, group, via, credentialEndsAt: endsAt };
  return { ...who, ...credentialOf(claim), ip, requestId, userAgent };
}

/** What the credential is known by while the call goes on. */
function credentialOf({ user, via, machineToken }: Claim): Partial<Actor> {
  if (via === 'session') return { authVersion: user.authVersion };
  if (via === 'access-token') return { accessTokenHash: user.accessTokenHash };
  return { machineToken };
}
