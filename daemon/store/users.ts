/** SQL for the `users` table. Balances (`quota`, `used_quota`, `request_count`) are written by the ledger alone. */
import type { Knex } from 'knex';
import { type Engine, readDateOrNull } from './dialect.ts';
import { containsPattern, orWhereId, orWhereLike } from './like-pattern.ts';
import { countRows, countRowsBy, type Page, type Window } from './paging.ts';
import { Table } from './table.ts';

export interface UserRecord {
  id: number;
  username: string;
  /** Hash; "" when the account has no password. */
  password: string;
  displayName: string;
  /** 1, 10 or 100. */
  role: number;
  /** 1 enabled, 2 disabled, 3 legacy. */
  status: number;
  /** Lower case. */
  email: string | null;
  githubId: string | null;
  oidcId: string | null;
  wechatId: string | null;
  telegramId: string | null;
  linuxDoId: string | null;
  accessTokenHash: string | null;
  /** Unix seconds; 0 when there is no token. */
  accessTokenExpiresAt: number;
  quota: number;
  usedQuota: number;
  requestCount: number;
  group: string;
  affCode: string | null;
  affCount: number;
  /** Invite earnings that have not been moved to the balance. */
  affQuota: number;
  affHistory: number;
  /** 0 when nobody invited this user. */
  inviterId: number;
  /** JSON text or "". */
  setting: string;
  lastCheckInTime: Date | null;
  authVersion: number;
  /** JSON list; `BudgetStore` writes it. */
  budgets: string;
  /** What administrators write down about the user, for themselves. */
  notes: string;
  createdAt: number;
  lastLoginAt: number;
  deletedAt: Date | null;
}

/** An account at a provider, of which each belongs to one user at most. */
export type ExternalIdentity = 'githubId' | 'oidcId' | 'wechatId' | 'telegramId' | 'linuxDoId';

/** A field that another user, deleted ones included, already has. */
export type UserConflict = 'username' | 'email' | ExternalIdentity | 'affCode' | 'accessTokenHash';

type UserField =
  | 'username'
  | 'password'
  | 'displayName'
  | 'role'
  | 'status'
  | 'email'
  | ExternalIdentity
  | 'group'
  | 'affCode'
  | 'inviterId'
  | 'setting'
  | 'notes'
  | 'createdAt';

/** What an account brings along that was somebody's elsewhere before. */
type BroughtField = 'affCount' | 'affQuota' | 'affHistory' | 'lastLoginAt' | 'lastCheckInTime';

/** The balance starts at 0; the ledger credits what a new user is given. */
export type NewUser = Pick<UserRecord, 'username' | 'createdAt'> & Partial<Pick<UserRecord, UserField | BroughtField>>;

/** Fields to change; absent and undefined ones stay. */
export type UserPatch = {
  readonly [Field in Exclude<UserField, 'createdAt' | 'inviterId'>]?: UserRecord[Field] | undefined;
};

export type UserInsert = { inserted: true; user: UserRecord } | { inserted: false; conflict: UserConflict };

/** `conflict` names the field another user has; without it there is no such live user. */
export type UserUpdate = { updated: true; user: UserRecord } | { updated: false; conflict?: UserConflict };

export interface UserFilter {
  /** Contained in user name, e-mail or display name; a number also matches the id. */
  readonly keyword?: string | undefined;
  readonly group?: string | undefined;
  readonly role?: number | undefined;
  /** A status, or -1 for deleted users. */
  readonly status?: number | undefined;
}

const users = new Table<UserRecord>(
  'users',
  {
    id: 'id',
    username: 'username',
    password: 'password',
    displayName: 'display_name',
    role: 'role',
    status: 'status',
    email: 'email',
    githubId: 'github_id',
    oidcId: 'oidc_id',
    wechatId: 'wechat_id',
    telegramId: 'telegram_id',
    linuxDoId: 'linux_do_id',
    accessTokenHash: 'access_token_hash',
    accessTokenExpiresAt: 'access_token_expires_at',
    quota: 'quota',
    usedQuota: 'used_quota',
    requestCount: 'request_count',
    group: 'group',
    affCode: 'aff_code',
    affCount: 'aff_count',
    affQuota: 'aff_quota',
    affHistory: 'aff_history',
    inviterId: 'inviter_id',
    setting: 'setting',
    lastCheckInTime: 'last_check_in_time',
    authVersion: 'auth_version',
    budgets: 'budgets',
    notes: 'notes',
    createdAt: 'created_at',
    lastLoginAt: 'last_login_at',
    deletedAt: 'deleted_at',
  },
  (stored) => ({
    ...stored,
    lastCheckInTime: readDateOrNull(stored.lastCheckInTime),
    deletedAt: readDateOrNull(stored.deletedAt),
  }),
);

/** Unique fields in the order in which a conflict is reported. */
const uniqueFields: readonly UserConflict[] = [
  'username',
  'email',
  'githubId',
  'oidcId',
  'wechatId',
  'telegramId',
  'linuxDoId',
  'affCode',
  'accessTokenHash',
];

export class UserStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** Deleted users included, as in every look-up here: names, addresses and identities stay reserved. */
  async find(id: number): Promise<UserRecord | undefined> {
    return users.first(this.#db('users').where({ id }));
  }

  /** As `find`; nobody else changes the user before the transaction ends. */
  async lock(id: number): Promise<UserRecord | undefined> {
    return users.first(this.#db('users').where({ id }).forUpdate());
  }

  /** As `lock`, in the order of their ids, in which settlements lock them too. */
  async lockMany(ids: readonly number[]): Promise<UserRecord[]> {
    return users.all(this.#db('users').whereIn('id', ids).orderBy('id').forUpdate());
  }

  async findMany(ids: readonly number[]): Promise<UserRecord[]> {
    return ids.length === 0 ? [] : users.all(this.#db('users').whereIn('id', ids));
  }

  /** The name without regard to case. */
  async findByUsername(username: string): Promise<UserRecord | undefined> {
    return users.first(this.#db('users').where({ username_key: usernameKey(username) }));
  }

  /** The address in lower case. */
  async findByEmail(email: string): Promise<UserRecord | undefined> {
    return users.first(this.#db('users').where({ email }));
  }

  async findByIdentity(identity: ExternalIdentity, value: string): Promise<UserRecord | undefined> {
    return users.first(this.#db('users').where({ [users.columns[identity]]: value }));
  }

  async findByAccessTokenHash(hash: string): Promise<UserRecord | undefined> {
    return users.first(this.#db('users').where({ access_token_hash: hash }));
  }

  async findByAffCode(affCode: string): Promise<UserRecord | undefined> {
    return users.first(this.#db('users').where({ aff_code: affCode }));
  }

  /** The oldest live user with this role. */
  async findFirstOfRole(role: number): Promise<UserRecord | undefined> {
    return users.first(this.#db('users').where({ role }).whereNull('deleted_at').orderBy('id'));
  }

  async list(filter: UserFilter, window: Window): Promise<Page<UserRecord>> {
    const query = this.#filtered(filter);
    const total = await countRows(query);
    const items = await users.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  /** How many live users are in each group; those without any are left out. */
  async countByGroup(): Promise<Map<string, number>> {
    return countRowsBy(this.#db('users').whereNull('deleted_at'), 'group');
  }

  /** Accounts made within the range, `until` excluded; unix seconds. Those that were deleted since are left out. */
  async countCreated({ from, until }: { readonly from: number; readonly until: number }): Promise<number> {
    const created = this.#db('users').whereNull('deleted_at').where('created_at', '>=', from);
    return countRows(created.where('created_at', '<', until));
  }

  async insert(user: NewUser): Promise<UserInsert> {
    const row = { ...users.row(user), username_key: usernameKey(user.username) };
    const inserted = await users.writtenOne(this.#db('users').insert(row).onConflict().ignore());
    if (inserted) return { inserted: true, user: inserted };
    // The row in the way can only have vanished if it was purged this very moment; then the name is what it was about.
    return { inserted: false, conflict: (await this.#conflict(user, 0)) ?? 'username' };
  }

  /** Changes a live user, unless another user has one of the new unique values. */
  async update(id: number, patch: UserPatch): Promise<UserUpdate> {
    const row = users.row(patch);
    if (patch.username !== undefined) row.username_key = usernameKey(patch.username);
    if (Object.keys(row).length === 0) {
      const user = await users.first(this.#live(id));
      return user ? { updated: true, user } : { updated: false };
    }
    const query = this.#live(id).update(row);
    const unique = this.#uniqueValues(patch);
    if (unique.length > 0) {
      query.whereNotExists((others: Knex.QueryBuilder) => {
        others.select(this.#db.raw('1')).from({ other: 'users' }).whereNot('other.id', id);
        others.where((any) => {
          for (const { column, value } of unique) any.orWhere(`other.${column}`, value);
        });
      });
    }
    const user = await users.writtenOne(query);
    if (user) return { updated: true, user };
    const conflict = await this.#conflict(patch, id);
    return conflict ? { updated: false, conflict } : { updated: false };
  }

  /** Sets the role if the user is live and has the expected one. */
  async setRole(id: number, change: { from: number; to: number }): Promise<UserRecord | undefined> {
    return users.writtenOne(this.#live(id).where({ role: change.from }).update({ role: change.to }));
  }

  /** Replaces one hash of a password by another of the same password, unless it is another by now. */
  async replacePassword(id: number, change: { readonly from: string; readonly to: string }): Promise<void> {
    await this.#live(id).where({ password: change.from }).update({ password: change.to });
  }

  /** Stores the hash of a new system access token, or with null takes the old one away. */
  async setAccessToken(id: number, hash: string | null, expiresAt: number): Promise<UserRecord | undefined> {
    return users.writtenOne(
      this.#live(id).update({ access_token_hash: hash, access_token_expires_at: hash === null ? 0 : expiresAt }),
    );
  }

  /** Makes every session and challenge issued before worthless; returns the new version. */
  async bumpAuthVersion(id: number): Promise<number | undefined> {
    const row = await users.writtenOne(
      this.#db('users')
        .where({ id })
        .update({ auth_version: this.#db.raw('auth_version + 1') }),
    );
    return row?.authVersion;
  }

  async setLastLogin(id: number, lastLoginAt: number): Promise<void> {
    await this.#db('users').where({ id }).update({ last_login_at: lastLoginAt });
  }

  async setLastCheckIn(id: number, at: Date): Promise<void> {
    await this.#db('users').where({ id }).update({ last_check_in_time: at });
  }

  /** Counts an invited user and what the inviter earned; the earnings are moved to the balance by the ledger. */
  async creditInvite(inviterId: number, earned: number): Promise<UserRecord | undefined> {
    return users.writtenOne(
      this.#live(inviterId).update({
        aff_count: this.#db.raw('aff_count + 1'),
        aff_quota: this.#db.raw('aff_quota + ?', [earned]),
        aff_history: this.#db.raw('aff_history + ?', [earned]),
      }),
    );
  }

  /** Gives a live user without an invite code this one, unless another user has it. */
  async setFirstAffCode(id: number, affCode: string): Promise<UserRecord | undefined> {
    return users.writtenOne(
      this.#live(id)
        .whereNull('aff_code')
        .whereNotExists(this.#db.select(this.#db.raw('1')).from({ other: 'users' }).where('other.aff_code', affCode))
        .update({ aff_code: affCode }),
    );
  }

  /** Gives a live user who has no account of this provider yet this one, unless another user has it. */
  async setFirstIdentity(id: number, identity: ExternalIdentity, value: string): Promise<UserRecord | undefined> {
    const column = users.columns[identity];
    return users.writtenOne(
      this.#live(id)
        .whereNull(column)
        .whereNotExists(this.#db.select(this.#db.raw('1')).from({ other: 'users' }).where(`other.${column}`, value))
        .update({ [column]: value }),
    );
  }

  /** Marks a live user as deleted and takes the access token away. */
  async softDelete(id: number, at: Date): Promise<UserRecord | undefined> {
    return users.writtenOne(
      this.#live(id).update({ deleted_at: at, access_token_hash: null, access_token_expires_at: 0 }),
    );
  }

  /** Removes the row of a user that was deleted before. */
  async purge(id: number): Promise<UserRecord | undefined> {
    return (await users.deleted(this.#db, this.#db('users').where({ id }).whereNotNull('deleted_at')))[0];
  }

  #live(id: number): Knex.QueryBuilder {
    return this.#db('users').where({ id }).whereNull('deleted_at');
  }

  #filtered({ keyword, group, role, status }: UserFilter): Knex.QueryBuilder {
    const query = this.#db('users');
    if (keyword) {
      const pattern = containsPattern(keyword);
      query.where((any) => {
        for (const column of ['username', 'email', 'display_name']) orWhereLike(any, this.#engine, { column, pattern });
        orWhereId(any, keyword);
      });
    }
    if (group) query.where({ group });
    if (role !== undefined) query.where({ role });
    if (status === -1) query.whereNotNull('deleted_at');
    else if (status !== undefined) query.where({ status }).whereNull('deleted_at');
    return query;
  }

  #uniqueValues(values: UserPatch): { field: UserConflict; column: string; value: string }[] {
    const found: { field: UserConflict; column: string; value: string }[] = [];
    for (const field of uniqueFields) {
      const value = field === 'accessTokenHash' ? undefined : values[field];
      if (value === undefined || value === null) continue;
      if (field === 'username') found.push({ field, column: 'username_key', value: usernameKey(value) });
      else found.push({ field, column: users.columns[field], value });
    }
    return found;
  }

  async #conflict(values: UserPatch, ownId: number): Promise<UserConflict | undefined> {
    for (const { field, column, value } of this.#uniqueValues(values)) {
      const other = await this.#db('users').where(column, value).whereNot('id', ownId).first('id');
      if (other) return field;
    }
    return undefined;
  }
}

/** The form in which names are compared: one name for what differs in case or in Unicode composition only. */
function usernameKey(username: string): string {
  return username.normalize('NFKC').toLowerCase();
}
