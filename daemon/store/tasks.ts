/** SQL for the `tasks` table: long-running work upstream. */
import type { Knex } from 'knex';
import { countRows, type Page, type Window } from './paging.ts';
import { asStored, isStoredId, Table } from './table.ts';

/** Times are unix seconds. */
export interface TaskRecord {
  id: number;
  createdAt: number;
  updatedAt: number;
  /** Id upstream. */
  taskId: string;
  platform: string;
  userId: number;
  channelId: number;
  tokenId: number;
  channelKeyHash: string;
  requestId: string;
  /** Charged and not given back. */
  quota: number;
  /** The part of the charge that the token's own quota paid; 0 for unlimited tokens. */
  tokenQuota: number;
  action: string;
  /** SUCCESS and FAILURE are final. */
  status: string;
  failReason: string;
  submitTime: number;
  startTime: number;
  finishTime: number;
  progress: string;
  /** JSON text. */
  properties: string;
  /** JSON text of the upstream's answer. */
  data: string;
}

export type NewTask = Omit<TaskRecord, 'id'>;

/** What a poll may change. */
export type TaskProgress = {
  readonly [Field in 'updatedAt' | 'status' | 'failReason' | 'startTime' | 'finishTime' | 'progress' | 'data']?:
    | TaskRecord[Field]
    | undefined;
};

export interface TaskFilter {
  readonly userId?: number | undefined;
  readonly channelId?: number | undefined;
  readonly taskId?: string | undefined;
  readonly platform?: string | undefined;
  readonly action?: string | undefined;
  readonly status?: string | undefined;
  /** Compared with the submit time, included. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

const tasks = new Table<TaskRecord>(
  'tasks',
  {
    id: 'id',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
    taskId: 'task_id',
    platform: 'platform',
    userId: 'user_id',
    channelId: 'channel_id',
    tokenId: 'token_id',
    channelKeyHash: 'channel_key_hash',
    requestId: 'request_id',
    quota: 'quota',
    tokenQuota: 'token_quota',
    action: 'action',
    status: 'status',
    failReason: 'fail_reason',
    submitTime: 'submit_time',
    startTime: 'start_time',
    finishTime: 'finish_time',
    progress: 'progress',
    properties: 'properties',
    data: 'data',
  },
  asStored,
);

/** The words of the partial index, so that it is used. */
const UNFINISHED = "status not in ('SUCCESS', 'FAILURE')";

export class TaskStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Tasks with these upstream ids that belong to this user. */
  async findManyOwned(taskIds: readonly string[], userId: number): Promise<TaskRecord[]> {
    if (taskIds.length === 0) return [];
    const ids = taskIds.filter(isStoredId);
    return tasks.all(this.#db('tasks').where({ user_id: userId }).whereIn('task_id', ids).orderBy('id'));
  }

  /** Not final yet, oldest first; `after`: those with a higher id. */
  async listUnfinished(
    platform: string,
    { limit, after = 0 }: { limit: number; after?: number },
  ): Promise<TaskRecord[]> {
    const rows = this.#db('tasks').where({ platform }).where('id', '>', after).whereRaw(UNFINISHED);
    return tasks.all(rows.orderBy('id').limit(limit));
  }

  /** Newest first. */
  async list(filter: TaskFilter, window: Window): Promise<Page<TaskRecord>> {
    const query = this.#db('tasks');
    for (const field of ['userId', 'channelId', 'taskId', 'platform', 'action', 'status'] as const) {
      const value = filter[field];
      if (value !== undefined && value !== '') query.where(tasks.columns[field], value);
    }
    if (filter.from !== undefined) query.where('submit_time', '>=', filter.from);
    if (filter.until !== undefined) query.where('submit_time', '<=', filter.until);
    const total = await countRows(query);
    const items = await tasks.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  async insert(task: NewTask): Promise<TaskRecord> {
    const [inserted] = await tasks.written(this.#db('tasks').insert(tasks.foreignRow(task)));
    if (!inserted) throw new Error('an insert returned no row');
    return inserted;
  }

  /** Changes a task that is not final; undefined when it is, so that whoever finished it refunds it alone. */
  async advance(id: number, progress: TaskProgress): Promise<TaskRecord | undefined> {
    const row = tasks.foreignRow(progress);
    const query = this.#db('tasks').where({ id }).whereRaw(UNFINISHED);
    return Object.keys(row).length === 0 ? tasks.first(query) : tasks.writtenOne(query.update(row));
  }

  /** Notes that the charge was given back. */
  async clearCharge(id: number): Promise<void> {
    await this.#db('tasks').where({ id }).update({ quota: 0, token_quota: 0 });
  }
}
