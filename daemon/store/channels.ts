/** SQL for the `channels` table. `used_quota` is written by the ledger alone. */
import type { Knex } from 'knex';
import { type ChannelFilter, type ChannelSearch, filterChannels, searchChannels } from './channel-filters.ts';
import type { Engine } from './dialect.ts';
import { countRows, countRowsBy, type Page, type Window } from './paging.ts';
import { asStored, lockedInOrder, Table } from './table.ts';

export interface ChannelRecord {
  id: number;
  type: number;
  openaiOrganization: string | null;
  testModel: string | null;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  name: string;
  weight: number | null;
  createdTime: number;
  testTime: number;
  /** Milliseconds. */
  responseTime: number;
  baseUrl: string | null;
  other: string;
  /** US dollars as reported upstream. */
  balance: number;
  balanceUpdatedTime: number;
  /** Comma list. */
  models: string;
  /** Comma list. */
  group: string;
  usedQuota: number;
  modelMapping: string | null;
  statusCodeMapping: string | null;
  maxInputTokens: number | null;
  priority: number | null;
  autoBan: number | null;
  /** JSON `{status_reason, status_time, status_request_id}` or "". */
  otherInfo: string;
  tag: string | null;
  setting: string | null;
  paramOverride: string | null;
  modelPrefix: string | null;
  /** JSON list; `BudgetStore` writes it. */
  budgets: string;
}

/** What changes of a channel while it runs. */
export interface ChannelFigures extends Pick<ChannelRecord, 'responseTime' | 'balance' | 'otherInfo'> {
  /** The upstream was asked for it once. */
  readonly isBalanceKnown: boolean;
}

type WrittenApart = 'id' | 'usedQuota' | 'balance' | 'balanceUpdatedTime' | 'testTime' | 'responseTime' | 'budgets';

export type NewChannel = Pick<ChannelRecord, 'type' | 'name' | 'createdTime'> &
  Partial<Omit<ChannelRecord, WrittenApart>>;

export type ChannelPatch = {
  readonly [Field in Exclude<keyof ChannelRecord, WrittenApart | 'createdTime'>]?: ChannelRecord[Field] | undefined;
};

/** `priority`: highest first, then newest; `id`: newest first. */
export type ChannelOrder = 'priority' | 'id';

const channels = new Table<ChannelRecord>(
  'channels',
  {
    id: 'id',
    type: 'type',
    openaiOrganization: 'openai_organization',
    testModel: 'test_model',
    status: 'status',
    name: 'name',
    weight: 'weight',
    createdTime: 'created_time',
    testTime: 'test_time',
    responseTime: 'response_time',
    baseUrl: 'base_url',
    other: 'other',
    balance: 'balance',
    balanceUpdatedTime: 'balance_updated_time',
    models: 'models',
    group: 'group',
    usedQuota: 'used_quota',
    modelMapping: 'model_mapping',
    statusCodeMapping: 'status_code_mapping',
    maxInputTokens: 'max_input_tokens',
    priority: 'priority',
    autoBan: 'auto_ban',
    otherInfo: 'other_info',
    tag: 'tag',
    setting: 'setting',
    paramOverride: 'param_override',
    modelPrefix: 'model_prefix',
    budgets: 'budgets',
  },
  asStored,
);

export class ChannelStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  async find(id: number): Promise<ChannelRecord | undefined> {
    return channels.first(this.#db('channels').where({ id }));
  }

  /** All channels by id, or those of them that exist. */
  async all(ids?: readonly number[]): Promise<ChannelRecord[]> {
    const query = this.#db('channels').orderBy('id');
    if (ids) query.whereIn('id', ids);
    return channels.all(query);
  }

  /** What changes of channels while they run, by id. */
  async figures(): Promise<Map<number, ChannelFigures>> {
    const rows: (Omit<ChannelFigures, 'isBalanceKnown'> & { id: number; asked: number })[] = await this.#db(
      'channels',
    ).select({
      id: 'id',
      responseTime: 'response_time',
      balance: 'balance',
      asked: 'balance_updated_time',
      otherInfo: 'other_info',
    });
    return new Map(rows.map(({ id, asked, ...row }) => [id, { ...row, isBalanceKnown: Number(asked) > 0 }]));
  }

  async list(filter: ChannelFilter, order: ChannelOrder, window: Window): Promise<Page<ChannelRecord>> {
    const query = filterChannels(this.#db('channels'), this.#engine, filter);
    const total = await countRows(query);
    const items = await channels.all(ordered(query, order).offset(window.offset).limit(window.limit));
    return { items, total };
  }

  async search(search: ChannelSearch, order: ChannelOrder, limit: number): Promise<ChannelRecord[]> {
    const query = searchChannels(this.#db('channels'), this.#engine, search);
    return channels.all(ordered(query, order).limit(limit));
  }

  /** Distinct tags by name. */
  async listTags(filter: ChannelFilter, window: Window): Promise<Page<string>> {
    const query = filterChannels(this.#db('channels'), this.#engine, filter).whereNotNull('tag').whereNot('tag', '');
    const row: { total: number } | undefined = await query.clone().countDistinct({ total: 'tag' }).first();
    const items: string[] = await query
      .distinct('tag')
      .orderBy('tag')
      .offset(window.offset)
      .limit(window.limit)
      .pluck('tag');
    return { items, total: row?.total ?? 0 };
  }

  async countUntagged(filter: ChannelFilter): Promise<number> {
    const query = filterChannels(this.#db('channels'), this.#engine, filter);
    return countRows(query.where((none) => none.whereNull('tag').orWhere('tag', '')));
  }

  async listByTags(tags: readonly string[], order: ChannelOrder): Promise<ChannelRecord[]> {
    if (tags.length === 0) return [];
    return channels.all(ordered(this.#db('channels').whereIn('tag', tags), order));
  }

  /** How many channels of each type pass the filter. */
  async countByType(filter: ChannelFilter): Promise<Map<number, number>> {
    const rows: { type: number; total: number }[] = await filterChannels(this.#db('channels'), this.#engine, filter)
      .groupBy('type')
      .select('type')
      .count({ total: '*' });
    return new Map(rows.map((row) => [row.type, row.total]));
  }

  /** How many channels serve each group; a channel counts for each of its groups. */
  async countByGroup(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const [list, total] of await countRowsBy(this.#db('channels'), 'group')) {
      for (const name of new Set(list.split(','))) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + total);
    }
    return counts;
  }

  async insert(channel: NewChannel): Promise<ChannelRecord> {
    const [inserted] = await channels.written(this.#db('channels').insert(channels.row(channel)));
    if (!inserted) throw new Error('an insert returned no row');
    return inserted;
  }

  async update(id: number, patch: ChannelPatch): Promise<ChannelRecord | undefined> {
    const row = channels.row(patch);
    if (Object.keys(row).length === 0) return this.find(id);
    return channels.writtenOne(this.#db('channels').where({ id }).update(row));
  }

  /** Changes several channels alike; returns those that exist. */
  async updateMany(ids: readonly number[], patch: ChannelPatch): Promise<ChannelRecord[]> {
    const row = channels.row(patch);
    if (ids.length === 0 || Object.keys(row).length === 0) return this.all(ids);
    return channels.written(this.#several((rows) => rows.whereIn('id', ids)).update(row));
  }

  /** Moves a channel from one status to another and notes why; undefined when it has another status by now. */
  async moveStatus(
    id: number,
    change: { from: number; to: number; otherInfo: string },
  ): Promise<ChannelRecord | undefined> {
    return channels.writtenOne(
      this.#db('channels')
        .where({ id, status: change.from })
        .update({ status: change.to, other_info: change.otherInfo }),
    );
  }

  async setBalance(id: number, balance: number, updatedAt: number): Promise<ChannelRecord | undefined> {
    return channels.writtenOne(this.#db('channels').where({ id }).update({ balance, balance_updated_time: updatedAt }));
  }

  async setTested(id: number, result: { responseTime: number; testTime: number }): Promise<void> {
    await this.#db('channels').where({ id }).update({ response_time: result.responseTime, test_time: result.testTime });
  }

  /** Returns what was removed. */
  async delete(ids: readonly number[]): Promise<ChannelRecord[]> {
    if (ids.length === 0) return [];
    return channels.deleted(
      this.#db,
      this.#several((rows) => rows.whereIn('id', ids)),
    );
  }

  /** Removes all channels with one of these states; returns them. */
  deleteByStatus(statuses: readonly number[]): Promise<ChannelRecord[]> {
    return channels.deleted(
      this.#db,
      this.#several((rows) => rows.whereIn('status', statuses)),
    );
  }

  #several(which: (rows: Knex.QueryBuilder) => Knex.QueryBuilder): Knex.QueryBuilder {
    return this.#db('channels').whereIn('id', lockedInOrder(which(this.#db('channels'))));
  }
}

function ordered(query: Knex.QueryBuilder, order: ChannelOrder): Knex.QueryBuilder {
  if (order === 'priority') query.orderByRaw('coalesce(priority, 0) desc');
  return query.orderBy('id', 'desc');
}
