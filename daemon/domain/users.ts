/** User administration (management-api.md 3.8, 6.2). */
import type { Bus } from '../cluster/bus.ts';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import type { QuotaMode } from '../contract/users.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Page, Window } from '../store/paging.ts';
import type { UserFilter, UserPatch, UserRecord } from '../store/users.ts';
import { accountLogTexts } from './account-log-texts.ts';
import { checkedDisplayName, checkedNotes, checkedPassword, checkedUsername, refusedUpdate } from './account-rules.ts';
import type { Actor } from './actor.ts';
import { auditedChange } from './audited-change.ts';
import { auditBy } from './audits.ts';
import { groupNames } from './groups.ts';
import { creditUser, debitUser, eventRow, overrideBalance } from './ledger-credits.ts';
import { endProgramCredentials } from './machine-tokens.ts';
import { type AccountEvent, giveNewUserQuota, insertAccount, rowOf } from './new-accounts.ts';
import type { OriginalPassword } from './own-account.ts';
import type { Passwords } from './passwords.ts';
import { managementRefusal, type UserManagement } from './permissions.ts';
import { quotaText } from './quota-text.ts';
import type { RenamedLimits } from './renamed-limits.ts';

export interface UserServiceDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly passwords: Passwords;
  /** But for `when-sent`, no password is changed by its owner without the old one, which only the own account asks for. */
  readonly originalPassword: OriginalPassword;
  readonly renamedLimits: Pick<RenamedLimits, 'carry'>;
  readonly options: () => OptionsView;
  readonly language: Language;
  readonly nowSeconds: () => number;
}

export interface UserCreation {
  readonly username: string;
  readonly password: string;
  /** The user name when undefined. */
  readonly displayName: string | undefined;
  /** 1 when undefined. */
  readonly role: number | undefined;
  readonly group: string | undefined;
  /** What every new user is given when undefined. */
  readonly quota: number | undefined;
}

/** Members to change; undefined ones, and ones equal to what is stored, are left alone. */
export interface UserChange {
  readonly username: string | undefined;
  readonly displayName: string | undefined;
  readonly group: string | undefined;
  readonly quota: number | undefined;
  readonly password: string | undefined;
  /** For administrators alone. */
  readonly notes: string | undefined;
}

/** A balance that an administrator moves. */
export interface QuotaChange {
  readonly mode: QuotaMode;
  /** Quota units. */
  readonly value: number;
  /** Why, for operators; "" for nothing. */
  readonly note: string;
}

/** Status or role moves of `manage`. */
export type UserMove = 'promote' | 'demote' | 'disable' | 'enable' | 'delete';

/** Who wants to do what to whom. */
interface ManagedUser {
  readonly actor: Actor;
  readonly id: number;
  readonly action: UserManagement;
}

export class UserService {
  readonly #deps: UserServiceDeps;

  constructor(deps: UserServiceDeps) {
    this.#deps = deps;
  }

  /** Newest first, deleted ones included. */
  list(filter: UserFilter, window: Window): Promise<Page<UserRecord>> {
    return this.#deps.database.stores.users.list(filter, window);
  }

  /** A user and how many keys they have. Throws `user_not_found`, `user_same_level`. */
  async get(actor: Actor, id: number): Promise<{ user: UserRecord; keys: number }> {
    const { stores } = this.#deps.database;
    const user = await this.#permitted(stores, { actor, id, action: 'read' });
    return { user, keys: await stores.tokens.count(id) };
  }

  /** Throws `username_*`, `password_invalid`, `user_same_level`, `invalid_params`, `group_unknown`, `quota_negative`. */
  async create(actor: Actor, sent: UserCreation, requestId: string): Promise<UserRecord> {
    const role = sent.role ?? roles.user;
    if (role >= actor.role) throw new TollgateError('user_same_level');
    if (role !== roles.user && role !== roles.admin) throw new TollgateError('invalid_params', {}, { field: 'role' });
    if (role !== roles.user) refuseMachineToken(actor);
    const username = checkedUsername(sent.username);
    const displayName = checkedDisplayName(sent.displayName?.trim() || username);
    const group = sent.group ? this.#checkedGroup(sent.group) : 'default';
    const quota = sent.quota === undefined ? undefined : checkedQuota(sent.quota);
    const passwordHash = await this.#deps.passwords.hash(checkedPassword(sent.password));
    return this.#deps.database.transaction(async (stores) => {
      const user = await insertAccount(stores, {
        username,
        password: passwordHash,
        displayName,
        role,
        status: 1,
        group,
        createdAt: this.#deps.nowSeconds(),
      });
      const event = this.#event(requestId);
      await this.#recordCreation(stores, { actor, user, quota }, event);
      return (await stores.users.find(user.id)) ?? user;
    });
  }

  /** Throws `user_not_found`, `user_same_level`, `user_deleted_readonly` and the codes of the members changed. */
  async update(
    actor: Actor,
    { id, ...change }: UserChange & { readonly id: number },
    requestId: string,
  ): Promise<void> {
    const { database, passwords, renamedLimits } = this.#deps;
    const stands = await this.#permitted(database.stores, { actor, id, action: 'edit' });
    if (change.password) refuseMachineToken(actor);
    // A revision that rises for nothing has every node read its snapshots anew.
    const isOfPatch = !change.password && (change.quota ?? stands.quota) === stands.quota;
    if (isOfPatch && Object.keys(this.#patchOf(actor, stands, change)).length === 0) return;
    const passwordHash = change.password ? await passwords.hash(checkedPassword(change.password)) : undefined;
    const made = await database.transaction(async (stores) => {
      const { target, revision } = await this.#locked(stores, { actor, id, action: 'edit' });
      const event = this.#event(requestId);
      const patch = this.#patchOf(actor, target, change);
      if (passwordHash !== undefined) this.#requirePassword(actor, target);
      const stored = { ...patch, ...(passwordHash === undefined ? {} : { password: passwordHash }) };
      const updated = await stores.users.update(id, stored);
      if (!updated.updated) throw refusedUpdate(updated, 'user_not_found');
      if (passwordHash !== undefined) await revoke(stores, id);
      const rename = { actor, from: target.username, to: updated.user.username };
      const committed = patch.username === undefined ? undefined : await renamedLimits.carry(stores, rename);
      await this.#recordEdit(stores, { actor, target, patch }, event);
      const quota = change.quota === target.quota ? undefined : change.quota;
      if (quota !== undefined) {
        this.#require(actor, target, 'set-quota');
        await this.#overrideQuota(stores, { actor, target, quota: checkedQuota(quota), note: '' }, event);
      }
      const edit = quota === undefined ? stored : { ...stored, quota };
      const changed = Object.keys(edit);
      if (changed.length === 0) return undefined;
      const detail = { changed, ...auditedChange({ ...target }, edit) };
      const act = { action: 'user.update', target: `user:${id}`, detail };
      await stores.audits.append(auditBy(actor, act, event.nowSeconds));
      return { revision, committed };
    });
    await made?.committed?.();
    if (made !== undefined) await this.#deps.bus.announce('users', made.revision, String(id));
  }

  /** Throws the codes of 6.2. */
  async move(actor: Actor, { id, action }: { id: number; action: UserMove }, requestId: string): Promise<UserRecord> {
    const { database, bus, language } = this.#deps;
    if (action === 'promote') refuseMachineToken(actor);
    const { user, revision } = await database.transaction(async (stores) => {
      const { target, revision } = await this.#locked(stores, { actor, id, action });
      const event = this.#event(requestId);
      const moved = await this.#apply(stores, target, action);
      if (!moved) throw new TollgateError('user_not_found');
      if (action !== 'enable') await stores.users.bumpAuthVersion(id);
      if (action === 'disable' || action === 'delete') await endProgramCredentials(stores, id);
      const content = accountLogTexts.managed(action)[language];
      await stores.logs.insert([
        eventRow({ ...rowOf(target, event), type: 3, content, quota: 0, adminInfo: infoOf(actor) }),
      ]);
      await stores.audits.append(auditBy(actor, { action: `user.${action}`, target: `user:${id}` }, event.nowSeconds));
      return { user: moved, revision };
    });
    await bus.announce('users', revision, String(id));
    return user;
  }

  /** Changes the balance by one conditional statement; returns the new one. Throws `quota_negative` and those of 6.2. */
  async changeQuota(actor: Actor, change: QuotaChange & { readonly id: number }, requestId: string): Promise<number> {
    const { id, mode, value, note } = change;
    if (mode === 'override') checkedQuota(value, 'value');
    else if (value <= 0) throw new TollgateError('invalid_params', {}, { field: 'value' });
    const { balance, revision } = await this.#deps.database.transaction(async (stores) => {
      const { target, revision } = await this.#locked(stores, { actor, id, action: 'set-quota' });
      const event = this.#event(requestId);
      const balance = await this.#applyQuota(stores, { actor, target, change }, event);
      const detail = { mode, value, balance, ...(note === '' ? {} : { note }) };
      const act = { action: 'user.quota', target: `user:${id}`, detail };
      await stores.audits.append(auditBy(actor, act, event.nowSeconds));
      return { balance, revision };
    });
    await this.#deps.bus.announce('users', revision, String(id));
    return balance;
  }

  /** Removes a user that was deleted before, with keys, sessions and limits; logs stay. Throws `forbidden_role`, `invalid_params`. */
  async purge(actor: Actor, id: number): Promise<void> {
    if (actor.role < roles.root) throw new TollgateError('forbidden_role');
    const { revision, committed } = await this.#deps.database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      const target = await stores.users.lock(id);
      if (!target) throw new TollgateError('user_not_found');
      if (target.role >= roles.root) throw new TollgateError('user_root_protected');
      if (target.deletedAt === null) throw new TollgateError('invalid_params', {}, { field: 'purge' });
      await stores.tokens.purge(id);
      await stores.sessions.deleteOfUser(id);
      await stores.secondFactors.removeAll(id);
      await stores.users.purge(id);
      const removal = { actor, from: target.username, to: undefined };
      const committed = await this.#deps.renamedLimits.carry(stores, removal);
      const act = { action: 'user.purge', target: `user:${id}`, detail: { username: target.username } };
      await stores.audits.append(auditBy(actor, act, this.#deps.nowSeconds()));
      return { revision, committed };
    });
    await committed();
    await this.#deps.bus.announce('users', revision, String(id));
  }

  async #permitted({ users }: Stores, { id, ...wish }: ManagedUser): Promise<UserRecord> {
    return this.#judged(await users.find(id), wish);
  }

  /** As `#permitted`, by what the user is now: nobody else changes it before the transaction ends. Raises the revision. */
  async #locked({ revisions, users }: Stores, { id, ...wish }: ManagedUser) {
    const revision = await revisions.bump('users');
    return { target: this.#judged(await users.lock(id), wish), revision };
  }

  #judged(target: UserRecord | undefined, { actor, action }: Omit<ManagedUser, 'id'>): UserRecord {
    if (!target) throw new TollgateError('user_not_found');
    this.#require(actor, target, action);
    return target;
  }

  #require(actor: Actor, target: UserRecord, action: UserManagement): void {
    const refusal = managementRefusal(actor, target, action);
    if (refusal) throw new TollgateError(refusal);
  }

  /** The own password is changed by session alone, as at the own account (management-api.md 2.2, D9). */
  #requirePassword(actor: Actor, target: UserRecord): void {
    this.#require(actor, target, 'set-password');
    if (actor.userId !== target.id) return;
    if (actor.via !== 'session') throw new TollgateError('forbidden_role');
    if (this.#deps.originalPassword !== 'when-sent' && target.password !== '') throw new TollgateError('login_failed');
  }

  /** What really changes, checked. */
  #patchOf(actor: Actor, target: UserRecord, change: UserChange): UserPatch {
    const patch: { username?: string; displayName?: string; group?: string; notes?: string } = {};
    if (change.username !== undefined && change.username !== target.username) {
      const username = checkedUsername(change.username);
      if (username !== target.username) patch.username = username;
    }
    if (change.displayName !== undefined && change.displayName !== target.displayName) {
      patch.displayName = checkedDisplayName(change.displayName);
    }
    if (change.group && change.group !== target.group) {
      this.#require(actor, target, 'set-group');
      patch.group = this.#checkedGroup(change.group);
    }
    const notes = change.notes === undefined ? target.notes : checkedNotes(change.notes);
    if (notes !== target.notes) patch.notes = notes;
    return patch;
  }

  #checkedGroup(group: string): string {
    if (!groupNames(this.#deps.options()).includes(group)) {
      throw new TollgateError('group_unknown', { group: group.slice(0, 64) }, { field: 'group' });
    }
    return group;
  }

  async #recordCreation(
    stores: Stores,
    { actor, user, quota }: { actor: Actor; user: UserRecord; quota: number | undefined },
    event: AccountEvent,
  ): Promise<void> {
    const given = quota ?? 0;
    const shown = quota ?? event.options.get('QuotaForNewUser');
    const content = accountLogTexts.created(quotaText(shown, event.options))[event.language];
    const row = eventRow({ ...rowOf(user, event), type: 3, content, quota: given, adminInfo: infoOf(actor) });
    await creditUser(stores, { userId: user.id, amount: given, row });
    if (quota === undefined) await giveNewUserQuota(stores, user, event);
    const detail = { role: user.role, group: user.group, quota: shown };
    await stores.audits.append(
      auditBy(actor, { action: 'user.create', target: `user:${user.id}`, detail }, event.nowSeconds),
    );
  }

  async #recordEdit(
    stores: Stores,
    { actor, target, patch }: { actor: Actor; target: UserRecord; patch: UserPatch },
    event: AccountEvent,
  ): Promise<void> {
    const lines = [];
    if (patch.username !== undefined) lines.push(accountLogTexts.renamed(target.username, patch.username));
    if (patch.group !== undefined) lines.push(accountLogTexts.groupChanged(target.group, patch.group));
    const rows = lines.map((line) =>
      eventRow({ ...rowOf(target, event), type: 3, content: line[event.language], quota: 0, adminInfo: infoOf(actor) }),
    );
    if (rows.length > 0) await stores.logs.insert(rows);
  }

  async #overrideQuota(
    stores: Stores,
    { actor, target, quota, note }: { actor: Actor; target: UserRecord; quota: number; note: string },
    event: AccountEvent,
  ): Promise<number> {
    const text = (amount: number): string => quotaText(amount, event.options);
    const changed = await overrideBalance(stores, {
      userId: target.id,
      balance: quota,
      rowOf: (before) => {
        const content = accountLogTexts.quotaChanged(text(before), text(quota))[event.language];
        const adminInfo = infoOf(actor, note);
        return eventRow({ ...rowOf(target, event), type: 3, content, quota: quota - before, adminInfo });
      },
    });
    if (!changed) throw new TollgateError('user_not_found');
    return changed.after;
  }

  async #applyQuota(
    stores: Stores,
    { actor, target, change }: { actor: Actor; target: UserRecord; change: QuotaChange },
    event: AccountEvent,
  ): Promise<number> {
    const { mode, value, note } = change;
    if (mode === 'override') return this.#overrideQuota(stores, { actor, target, quota: value, note }, event);
    const texts = mode === 'add' ? accountLogTexts.quotaAdded : accountLogTexts.quotaTaken;
    const content = texts(quotaText(value, event.options))[event.language];
    const quota = mode === 'add' ? value : -value;
    const row = eventRow({ ...rowOf(target, event), type: 3, content, quota, adminInfo: infoOf(actor, note) });
    if (mode === 'add') {
      if (!Number.isSafeInteger(target.quota + value))
        throw new TollgateError('invalid_params', {}, { field: 'value' });
      const balance = await creditUser(stores, { userId: target.id, amount: value, row });
      if (balance === undefined) throw new TollgateError('user_not_found');
      return balance;
    }
    const taken = await debitUser(stores, { userId: target.id, amount: value, row });
    if (!taken.taken) throw new TollgateError('quota_negative', {}, { field: 'value' });
    return taken.balance;
  }

  /** The conditional change itself; undefined when somebody else was faster. */
  async #apply(stores: Stores, target: UserRecord, action: UserMove): Promise<UserRecord | undefined> {
    switch (action) {
      case 'promote':
        return stores.users.setRole(target.id, { from: target.role, to: roles.admin });
      case 'demote':
        return stores.users.setRole(target.id, { from: target.role, to: roles.user });
      case 'delete':
        return stores.users.softDelete(target.id, new Date(this.#deps.nowSeconds() * 1000));
      default: {
        const updated = await stores.users.update(target.id, { status: action === 'enable' ? 1 : 2 });
        return updated.updated ? updated.user : undefined;
      }
    }
  }

  #event(requestId: string): AccountEvent {
    const { nowSeconds, language, options } = this.#deps;
    return { nowSeconds: nowSeconds(), requestId, language, options: options() };
  }
}

/** Ends every session, the access token and the machine tokens of a user. */
async function revoke(stores: Stores, id: number): Promise<void> {
  await stores.users.bumpAuthVersion(id);
  await endProgramCredentials(stores, id);
}

/** Ways to become somebody else, or to make an administrator, are no business of a scope. Throws when it is one. */
function refuseMachineToken(actor: Actor): void {
  if (actor.machineToken !== undefined) throw new TollgateError('machine_token_not_supported');
}

function checkedQuota(quota: number, field = 'quota'): number {
  if (quota < 0) throw new TollgateError('quota_negative', {}, { field });
  return quota;
}

function infoOf(actor: Actor, note = ''): Record<string, string | number> {
  const { userId, username, ip } = actor;
  return { actor_id: userId, actor_name: username, ip, ...(note === '' ? {} : { note }) };
}
