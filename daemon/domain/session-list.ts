/** Sessions as their owners see them, and ending them one by one or all at once. */
import { createHash } from 'node:crypto';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { SessionRecord } from '../store/sessions.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { managementRefusal } from './permissions.ts';

export interface SessionListDeps {
  readonly database: Database;
  readonly hashId: (id: string) => string;
  readonly nowSeconds: () => number;
}

/** Whose sessions a call is about, and from which session it comes. */
export interface SessionCall {
  /** The caller's own when undefined. */
  readonly userId: number | undefined;
  /** Id in the cookie of the call; undefined without one. */
  readonly sessionId: string | undefined;
}

export interface ListedSession {
  /** Derived from what is stored; says nothing about the secret in the cookie. */
  readonly id: string;
  readonly isCurrent: boolean;
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

export class SessionList {
  readonly #deps: SessionListDeps;

  constructor(deps: SessionListDeps) {
    this.#deps = deps;
  }

  /** Live ones, last seen first. Throws `user_not_found`, `forbidden_role` and the codes of managing somebody else. */
  async list(actor: Actor, { userId, sessionId }: SessionCall): Promise<ListedSession[]> {
    const live = await this.#live(this.#deps.database.stores, actor, userId);
    const current = this.#hashOf(sessionId);
    return live.map((session) => ({
      id: publicId(session),
      isCurrent: session.idHash === current,
      ip: session.ip,
      userAgent: session.userAgent,
      createdAt: session.createdAt,
      lastSeenAt: session.lastSeenAt,
      expiresAt: session.expiresAt,
    }));
  }

  /** Ends one; true when it was the caller's own. Throws as `list`, and `session_not_found`. */
  async end(actor: Actor, id: string, { userId, sessionId }: SessionCall): Promise<boolean> {
    return this.#deps.database.transaction(async (stores) => {
      const session = (await this.#live(stores, actor, userId)).find((each) => publicId(each) === id);
      if (!session || !(await stores.sessions.delete(session.idHash))) throw new TollgateError('session_not_found');
      await this.#audit(stores, actor, { userId, ended: 1 });
      return session.idHash === this.#hashOf(sessionId);
    });
  }

  /** Ends all, or all but the caller's own; returns how many. Throws as `list`. */
  async endAll(actor: Actor, which: 'all' | 'others', { userId, sessionId }: SessionCall): Promise<number> {
    return this.#deps.database.transaction(async (stores) => {
      const live = await this.#live(stores, actor, userId);
      const kept = which === 'others' ? this.#hashOf(sessionId) : undefined;
      // Rows of sessions that were over already go as well; nobody had them in a list, so they do not count.
      await stores.sessions.deleteOfUser(userId ?? actor.userId, kept);
      const ended = live.filter(({ idHash }) => idHash !== kept).length;
      await this.#audit(stores, actor, { userId, ended });
      return ended;
    });
  }

  async #live(stores: Pick<Stores, 'users' | 'sessions'>, actor: Actor, userId: number | undefined) {
    const id = userId ?? actor.userId;
    if (id !== actor.userId && actor.role < roles.admin) throw new TollgateError('forbidden_role');
    const user = await stores.users.find(id);
    if (!user) throw new TollgateError('user_not_found');
    const refusal = id === actor.userId ? undefined : managementRefusal(actor, user, 'sign-out');
    if (refusal) throw new TollgateError(refusal);
    const now = this.#deps.nowSeconds();
    const sessions = await stores.sessions.listOfUser(id);
    return sessions.filter(({ expiresAt, authVersion }) => expiresAt > now && authVersion === user.authVersion);
  }

  async #audit(stores: Pick<Stores, 'audits'>, actor: Actor, done: { userId: number | undefined; ended: number }) {
    const act = { action: 'session.end', target: `user:${done.userId ?? actor.userId}`, detail: { ended: done.ended } };
    await stores.audits.append(auditBy(actor, act, this.#deps.nowSeconds()));
  }

  #hashOf(sessionId: string | undefined): string | undefined {
    return sessionId === undefined ? undefined : this.#deps.hashId(sessionId);
  }
}

function publicId({ idHash }: SessionRecord): string {
  return createHash('sha256').update(`session ${idHash}`).digest('hex').slice(0, 20);
}
