/** SQL for the `redemptions` and `redemption_logs` tables. Claims are conditional: whoever changes no row got nothing. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { type Engine, readDateOrNull, readFlag } from './dialect.ts';
import { orWhereId, orWhereLike, prefixPattern, whereLike } from './like-pattern.ts';
import { countRows, type Keyset, type Page, type Window } from './paging.ts';
import { asStored, Table } from './table.ts';

export interface RedemptionRecord {
  id: number;
  /** Creator. */
  userId: number;
  key: string;
  /** 1 unused, 2 disabled, 3 used. */
  status: number;
  name: string;
  quota: number;
  createdTime: number;
  redeemedTime: number;
  /** 0 = nobody, always so for gift codes. */
  usedUserId: number;
  isGift: boolean;
  /** -1 = unlimited; only for gift codes. */
  maxUses: number;
  usedCount: number;
  /** Unix seconds; 0 = open. */
  validFrom: number;
  validUntil: number;
  deletedAt: Date | null;
}

export type NewRedemption = Pick<
  RedemptionRecord,
  'userId' | 'key' | 'name' | 'quota' | 'createdTime' | 'isGift' | 'maxUses' | 'validFrom' | 'validUntil'
> &
  Partial<Pick<RedemptionRecord, 'status' | 'redeemedTime' | 'usedUserId' | 'usedCount'>>;

export type RedemptionPatch = {
  readonly [Field in 'name' | 'quota' | 'validFrom' | 'validUntil' | 'maxUses']?: RedemptionRecord[Field] | undefined;
};

/** Absent members match all. */
export interface RedemptionFilter {
  /** An id, the start of a name, or a whole code. */
  readonly keyword?: string | undefined;
  /** Exactly this name. */
  readonly name?: string | undefined;
  readonly status?: number | undefined;
  readonly isGift?: boolean | undefined;
}

/** The codes of one name. */
export interface RedemptionBatchRecord {
  readonly name: string;
  readonly codes: number;
  readonly unused: number;
  readonly disabled: number;
  readonly used: number;
  /** Uses of all of them. */
  readonly usedCount: number;
  readonly leastQuota: number;
  readonly mostQuota: number;
  /** Of the newest. */
  readonly createdTime: number;
}

/** One use of a code by a user. */
export interface RedemptionUse {
  readonly redemptionId: number;
  readonly userId: number;
  readonly usedTime: number;
  readonly quota: number;
}

const redemptions = new Table<RedemptionRecord>(
  'redemptions',
  {
    id: 'id',
    userId: 'user_id',
    key: 'key',
    status: 'status',
    name: 'name',
    quota: 'quota',
    createdTime: 'created_time',
    redeemedTime: 'redeemed_time',
    usedUserId: 'used_user_id',
    isGift: 'is_gift',
    maxUses: 'max_uses',
    usedCount: 'used_count',
    validFrom: 'valid_from',
    validUntil: 'valid_until',
    deletedAt: 'deleted_at',
  },
  (stored) => ({ ...stored, isGift: readFlag(stored.isGift), deletedAt: readDateOrNull(stored.deletedAt) }),
);

const uses = new Table<RedemptionUse>(
  'redemption_logs',
  { redemptionId: 'redemption_id', userId: 'user_id', usedTime: 'used_time', quota: 'quota' },
  asStored,
);

const UNUSED = 1;
const DISABLED = 2;
const USED = 3;

export class RedemptionStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  async find(id: number): Promise<RedemptionRecord | undefined> {
    return redemptions.first(this.#live().where({ id }));
  }

  /** A live code, locked until the transaction ends. */
  async lock(id: number): Promise<RedemptionRecord | undefined> {
    return redemptions.first(this.#live().where({ id }).forUpdate());
  }

  /** The live code with exactly this text. */
  async findByKey(key: string): Promise<RedemptionRecord | undefined> {
    return redemptions.first(this.#live().where({ key }));
  }

  /** Newest first. */
  async list(filter: RedemptionFilter, window: Window): Promise<Page<RedemptionRecord>> {
    const query = this.#filtered(filter);
    const total = await countRows(query);
    const items = await redemptions.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  /** Newest first, by key. */
  async listBefore(filter: RedemptionFilter, { beforeId, limit }: Keyset): Promise<RedemptionRecord[]> {
    const query = this.#filtered(filter).orderBy('id', 'desc').limit(limit);
    if (beforeId !== undefined) query.where('id', '<', beforeId);
    return redemptions.all(query);
  }

  /** Codes by name, the name of the newest code first. @param prefix start of the name; undefined for all */
  async listBatches(prefix: string | undefined, window: Window): Promise<Page<RedemptionBatchRecord>> {
    const query = this.#live();
    if (prefix) whereLike(query, this.#engine, { column: 'name', pattern: prefixPattern(prefix) });
    const counted: { total: number | string } | undefined = await query
      .clone()
      .countDistinct({ total: 'name' })
      .first();
    const ofStatus = 'coalesce(sum(case when status = ? then 1 else 0 end), 0) as ??';
    const rows: Readonly<Record<string, number | string>>[] = await query
      .select('name')
      .count({ codes: '*' })
      .sum({ usedCount: 'used_count' })
      .min({ leastQuota: 'quota' })
      .max({ mostQuota: 'quota', createdTime: 'created_time' })
      .select([
        this.#db.raw(ofStatus, [UNUSED, 'unused']),
        this.#db.raw(ofStatus, [DISABLED, 'disabled']),
        this.#db.raw(ofStatus, [USED, 'used']),
      ])
      .groupBy('name')
      .orderByRaw('max(id) desc')
      .offset(window.offset)
      .limit(window.limit);
    return { items: rows.map(toBatch), total: Number(counted?.total ?? 0) };
  }

  /** Uses of a gift code, newest first. */
  async listUses(redemptionId: number, window: Window): Promise<Page<RedemptionUse>> {
    const query = this.#db('redemption_logs').where({ redemption_id: redemptionId });
    const total = await countRows(query);
    const items = await uses.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  /** Returns the codes that did not exist before, deleted ones included. In a transaction when all or none is meant. */
  async insert(added: readonly NewRedemption[]): Promise<RedemptionRecord[]> {
    const inserted: RedemptionRecord[] = [];
    for (const chunk of insertChunks(added)) {
      const rows = chunk.map((code) => redemptions.row(code));
      inserted.push(...(await redemptions.written(this.#db('redemptions').insert(rows).onConflict('key').ignore())));
    }
    return inserted;
  }

  /** Changes a code that is unused. */
  async updateUnused(id: number, patch: RedemptionPatch): Promise<RedemptionRecord | undefined> {
    const query = this.#live().where({ id, status: UNUSED });
    if (patch.maxUses !== undefined && patch.maxUses !== -1) query.where('used_count', '<=', patch.maxUses);
    const row = redemptions.row(patch);
    if (Object.keys(row).length === 0) return redemptions.first(query);
    return redemptions.writtenOne(query.update(row));
  }

  /** Switches between unused and disabled; a used code never changes. */
  async setStatus(id: number, status: 1 | 2): Promise<RedemptionRecord | undefined> {
    return redemptions.writtenOne(this.#live().where({ id }).whereNot('status', USED).update({ status }));
  }

  /** Takes an ordinary code for this user; undefined when it is not to be had. */
  async claim(id: number, userId: number, nowSeconds: number): Promise<RedemptionRecord | undefined> {
    return redemptions.writtenOne(
      this.#live()
        .where({ id, status: UNUSED, is_gift: false })
        .update({ status: USED, used_user_id: userId, redeemed_time: nowSeconds, used_count: 1 }),
    );
  }

  /** Takes one use of a gift code, the last of which makes it used; undefined when none is left. */
  async claimGift(id: number, nowSeconds: number): Promise<RedemptionRecord | undefined> {
    return redemptions.writtenOne(
      this.#live()
        .where({ id, status: UNUSED, is_gift: true })
        .where((left) => left.where('max_uses', -1).orWhereRaw('used_count < max_uses'))
        .update({
          used_count: this.#db.raw('used_count + 1'),
          redeemed_time: nowSeconds,
          status: this.#db.raw('case when max_uses <> -1 and used_count + 1 >= max_uses then ? else status end', [
            USED,
          ]),
        }),
    );
  }

  /** False when this user has used this code before. */
  async insertUse(use: RedemptionUse): Promise<boolean> {
    const inserted = await uses.writtenOne(
      this.#db('redemption_logs').insert(uses.row(use)).onConflict(['redemption_id', 'user_id']).ignore(),
    );
    return inserted !== undefined;
  }

  /** Disables those of the codes that are unused; returns which. */
  async disable(ids: readonly number[]): Promise<number[]> {
    if (ids.length === 0) return [];
    const unused = this.#live().whereIn('id', ids).where({ status: UNUSED });
    const disabled = await redemptions.written(unused.update({ status: DISABLED }));
    return disabled.map(({ id }) => id).sort((one, other) => one - other);
  }

  async softDelete(id: number, at: Date): Promise<RedemptionRecord | undefined> {
    return redemptions.writtenOne(this.#live().where({ id }).update({ deleted_at: at }));
  }

  /** Deletes all disabled codes; returns how many. */
  async softDeleteDisabled(at: Date): Promise<number> {
    return this.#live().where({ status: DISABLED }).update({ deleted_at: at });
  }

  /** Deletes all codes of exactly this name; returns how many. */
  async softDeleteByName(name: string, at: Date): Promise<number> {
    return this.#live().where({ name }).update({ deleted_at: at });
  }

  /** Codes of exactly this name. */
  async countByName(name: string): Promise<number> {
    return countRows(this.#live().where({ name }));
  }

  #filtered({ keyword, name, status, isGift }: RedemptionFilter): Knex.QueryBuilder {
    const query = this.#live();
    if (name !== undefined) query.where({ name });
    if (status !== undefined) query.where({ status });
    if (isGift !== undefined) query.where({ is_gift: isGift });
    if (!keyword) return query;
    return query.where((any) => {
      orWhereLike(any, this.#engine, { column: 'name', pattern: prefixPattern(keyword) });
      any.orWhere('key', keyword);
      orWhereId(any, keyword);
    });
  }

  #live(): Knex.QueryBuilder {
    return this.#db('redemptions').whereNull('deleted_at');
  }
}

/** Sums come as text where the engine counts beyond what a number holds. */
function toBatch(row: Readonly<Record<string, number | string>>): RedemptionBatchRecord {
  const figure = (name: string) => Number(row[name] ?? 0);
  return {
    name: String(row.name),
    codes: figure('codes'),
    unused: figure('unused'),
    disabled: figure('disabled'),
    used: figure('used'),
    usedCount: figure('usedCount'),
    leastQuota: figure('leastQuota'),
    mostQuota: figure('mostQuota'),
    createdTime: figure('createdTime'),
  };
}
