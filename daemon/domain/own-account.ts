/** What users do with their own account (management-api.md 3.6). Columns are named one by one; the balance is not among them. */
import type { Bus } from '../cluster/bus.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { UserPatch, UserRecord } from '../store/users.ts';
import { checkedDisplayName, checkedPassword, checkedUsername, refusedUpdate } from './account-rules.ts';
import type { Actor } from './actor.ts';
import { auditedChange } from './audited-change.ts';
import { auditBy } from './audits.ts';
import { type GuessLimits, takeOwnTry } from './failure-limits.ts';
import { endProgramCredentials } from './machine-tokens.ts';
import { type EgressStanding, egressStanding } from './notice-delivery.ts';
import { lockOwnRow } from './own-row.ts';
import type { Passwords } from './passwords.ts';
import type { RenamedLimits } from './renamed-limits.ts';
import type { SessionService } from './sessions.ts';
import { changedSetting, type SettingChange } from './user-setting.ts';

/**
 * When a password change needs the old one even though a client does not send it (D9). `of-administrators`: where they
 * must prove who they are, a password that anybody at their session could set would prove nothing.
 */
export type OriginalPassword = 'when-sent' | 'of-administrators' | 'always';

export interface OwnAccountDeps extends GuessLimits {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly passwords: Passwords;
  readonly sessions: SessionService;
  readonly originalPassword: OriginalPassword;
  /** True for a webhook address that the egress guard lets through; its exceptions hold for administrators alone. */
  readonly acceptsWebhook: (url: string, standing: EgressStanding) => boolean;
  /** Told after a password was changed, to write to the owner. */
  readonly passwordChanged?: (user: UserRecord) => void;
  readonly renamedLimits: Pick<RenamedLimits, 'carry'>;
  readonly nowSeconds: () => number;
}

/** Absent, empty and equal members stay as they are and are not judged again. */
export interface OwnChange {
  readonly username: string;
  readonly displayName: string;
  readonly password: string;
  readonly originalPassword: string;
}

export class OwnAccountService {
  readonly #deps: OwnAccountDeps;

  constructor(deps: OwnAccountDeps) {
    this.#deps = deps;
  }

  /** The row as it is now. Throws `user_gone`. */
  async get(actor: Actor): Promise<UserRecord> {
    const user = await this.#deps.database.stores.users.find(actor.userId);
    if (!user || user.deletedAt !== null) throw new TollgateError('user_gone');
    return user;
  }

  /**
   * Changes names or password. Throws `username_invalid`, `username_taken`, `password_invalid`, `invalid_input`,
   * `login_failed` for a wrong old password, `forbidden_role` for a password change by access token, `session_expired`
   * where another session was faster to change it.
   * @param sessionId the caller's own session, which survives a password change
   */
  async update(actor: Actor, change: OwnChange, sessionId: string | undefined): Promise<void> {
    const { database, bus, sessions, passwordChanged, renamedLimits, nowSeconds } = this.#deps;
    const user = await this.get(actor);
    const patch = { ...namesOf(user, change), ...(await this.#newPassword(actor, user, change)) };
    if (Object.keys(patch).length === 0) return;
    const { revision, committed } = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      // Of sessions that change the password at the same moment the first ends all others.
      if (patch.password !== undefined) await lockOwnRow(stores, actor);
      const updated = await stores.users.update(user.id, patch);
      if (!updated.updated) throw refusedUpdate(updated, 'user_gone');
      const rename = { actor, from: user.username, to: updated.user.username };
      const committed = patch.username === undefined ? undefined : await renamedLimits.carry(stores, rename);
      if (patch.password !== undefined) {
        const version = await stores.users.bumpAuthVersion(user.id);
        if (version !== undefined && sessionId !== undefined) await sessions.keep(stores, sessionId, version);
      }
      const detail = { changed: Object.keys(patch), ...auditedChange({ ...user }, { ...patch }) };
      const act = { action: 'user.self_update', target: `user:${user.id}`, detail };
      await stores.audits.append(auditBy(actor, act, nowSeconds()));
      return { revision, committed };
    });
    await committed?.();
    await bus.announce('users', revision, String(user.id));
    if (patch.password !== undefined) passwordChanged?.(user);
  }

  /** Deletes the account softly; keys, sessions and access token die with it. Throws `user_root_protected`. */
  async delete(actor: Actor): Promise<void> {
    const { database, bus, nowSeconds } = this.#deps;
    if (actor.role >= roles.root) throw new TollgateError('user_root_protected');
    const revision = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      const now = nowSeconds();
      await lockOwnRow(stores, actor);
      if (!(await stores.users.softDelete(actor.userId, new Date(now * 1000)))) throw new TollgateError('user_gone');
      await stores.users.bumpAuthVersion(actor.userId);
      await endProgramCredentials(stores, actor.userId);
      await stores.audits.append(auditBy(actor, { action: 'user.self_delete', target: `user:${actor.userId}` }, now));
      return revision;
    });
    await bus.announce('users', revision, String(actor.userId));
  }

  /** Changes notification settings. Throws `notify_type_invalid`, `threshold_invalid`, `webhook_invalid`, `email_invalid`. */
  async saveSetting(actor: Actor, change: SettingChange): Promise<void> {
    const { database, bus, acceptsWebhook } = this.#deps;
    // What needs no network is judged first.
    changedSetting('', change);
    if (change.notifyType === 'webhook' && !acceptsWebhook(change.webhookUrl ?? '', egressStanding(actor.role))) {
      throw new TollgateError('webhook_invalid', {}, { field: 'webhook_url' });
    }
    const revision = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      // Of saves at the same moment the second adds to what the first has stored.
      const user = await lockOwnRow(stores, actor);
      await stores.users.update(user.id, { setting: changedSetting(user.setting, change) });
      return revision;
    });
    await bus.announce('users', revision, String(actor.userId));
  }

  /** The hash of a new password, or nothing when it stays. */
  async #newPassword(actor: Actor, user: UserRecord, change: OwnChange): Promise<Pick<UserPatch, 'password'>> {
    const { passwords, originalPassword } = this.#deps;
    if (change.password === '') return {};
    if (actor.via !== 'session') throw new TollgateError('forbidden_role');
    checkedPassword(change.password);
    const isNeeded =
      originalPassword === 'always' || (originalPassword === 'of-administrators' && actor.role >= roles.admin);
    const isAsked = isNeeded || change.originalPassword !== '';
    if (isAsked && user.password !== '') {
      const refusal = () => new TollgateError('login_failed', {}, { field: 'original_password' });
      if (change.originalPassword === '') throw refusal();
      const giveBack = await takeOwnTry(this.#deps, actor, refusal);
      if (!(await passwords.matches(change.originalPassword, user.password))) throw refusal();
      await giveBack();
    }
    return { password: await passwords.hash(change.password) };
  }
}

function namesOf(user: UserRecord, change: OwnChange): Pick<UserPatch, 'username' | 'displayName'> {
  const patch: { username?: string; displayName?: string } = {};
  if (change.username !== '' && change.username !== user.username) {
    const username = checkedUsername(change.username);
    if (username !== user.username) patch.username = username;
  }
  if (change.displayName.trim() !== '' && change.displayName !== user.displayName) {
    patch.displayName = checkedDisplayName(change.displayName);
  }
  return patch;
}
