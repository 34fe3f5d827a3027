/** SQL for the `midjourneys` table: drawing tasks. */
import type { Knex } from 'knex';
import { countRows, type Page, type Window } from './paging.ts';
import { asStored, isStoredId, Table } from './table.ts';

/** Times of a drawing are unix milliseconds. */
export interface MidjourneyRecord {
  id: number;
  /** Unix seconds. */
  createdAt: number;
  /** 1 submitted, 21 waiting, 22 duplicate, 0 not submitted, 4 request error, 5 unknown. */
  code: number;
  userId: number;
  tokenId: number;
  channelKeyHash: string;
  requestId: string;
  action: string;
  mjId: string;
  prompt: string;
  promptEn: string;
  description: string;
  state: string;
  submitTime: number;
  startTime: number;
  finishTime: number;
  imageUrl: string;
  status: string;
  /** "100%" = final. */
  progress: string;
  failReason: string;
  channelId: number;
  /** Charged and not given back. */
  quota: number;
  /** The part of the charge that the token's own quota paid; 0 for unlimited tokens. */
  tokenQuota: number;
  botType: string;
  customId: string;
  videoUrl: string;
  /** JSON text, as `buttons` and `properties`. */
  videoUrls: string;
  buttons: string;
  properties: string;
}

export type NewMidjourney = Omit<MidjourneyRecord, 'id'>;

/** What a poll may change. */
export type MidjourneyProgress = {
  readonly [Field in
    | 'code'
    | 'mjId'
    | 'promptEn'
    | 'description'
    | 'state'
    | 'startTime'
    | 'finishTime'
    | 'imageUrl'
    | 'status'
    | 'progress'
    | 'failReason'
    | 'videoUrl'
    | 'videoUrls'
    | 'buttons'
    | 'properties']?: MidjourneyRecord[Field] | undefined;
};

export interface MidjourneyFilter {
  readonly userId?: number | undefined;
  readonly channelId?: number | undefined;
  readonly mjId?: string | undefined;
  readonly status?: string | undefined;
  readonly action?: string | undefined;
  /** Milliseconds, compared with the submit time, included. */
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

const drawings = new Table<MidjourneyRecord>(
  'midjourneys',
  {
    id: 'id',
    createdAt: 'created_at',
    code: 'code',
    userId: 'user_id',
    tokenId: 'token_id',
    channelKeyHash: 'channel_key_hash',
    requestId: 'request_id',
    action: 'action',
    mjId: 'mj_id',
    prompt: 'prompt',
    promptEn: 'prompt_en',
    description: 'description',
    state: 'state',
    submitTime: 'submit_time',
    startTime: 'start_time',
    finishTime: 'finish_time',
    imageUrl: 'image_url',
    status: 'status',
    progress: 'progress',
    failReason: 'fail_reason',
    channelId: 'channel_id',
    quota: 'quota',
    tokenQuota: 'token_quota',
    botType: 'bot_type',
    customId: 'custom_id',
    videoUrl: 'video_url',
    videoUrls: 'video_urls',
    buttons: 'buttons',
    properties: 'properties',
  },
  asStored,
);

/** The words of the partial index, so that it is used; whatever is final has this progress. */
const UNFINISHED = "progress <> '100%'";

export class MidjourneyStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The drawing with this upstream id that belongs to this user. */
  async findOwned(mjId: string, userId: number): Promise<MidjourneyRecord | undefined> {
    return drawings.first(this.#named([mjId]).where({ user_id: userId }).orderBy('id', 'desc'));
  }

  /** Whoever owns it: for the image proxy. */
  async findByMjId(mjId: string): Promise<MidjourneyRecord | undefined> {
    return drawings.first(this.#named([mjId]).orderBy('id', 'desc'));
  }

  async findManyOwned(mjIds: readonly string[], userId: number): Promise<MidjourneyRecord[]> {
    if (mjIds.length === 0) return [];
    return drawings.all(this.#named(mjIds).where({ user_id: userId }).orderBy('id'));
  }

  /** Those of one channel with this upstream id, whoever owns them, oldest first: for callbacks. */
  async findOfChannel(mjId: string, channelId: number): Promise<MidjourneyRecord[]> {
    return drawings.all(this.#named([mjId]).where({ channel_id: channelId }).orderBy('id'));
  }

  /** Not final yet, oldest first: the next after an id. */
  async listUnfinished(limit: number, afterId = 0): Promise<MidjourneyRecord[]> {
    const unfinished = this.#db('midjourneys').whereRaw(UNFINISHED).where('id', '>', afterId);
    return drawings.all(unfinished.orderBy('id').limit(limit));
  }

  /** Newest first. */
  async list(filter: MidjourneyFilter, window: Window): Promise<Page<MidjourneyRecord>> {
    const query = this.#db('midjourneys');
    if (filter.userId !== undefined) query.where('user_id', filter.userId);
    if (filter.channelId !== undefined) query.where('channel_id', filter.channelId);
    if (filter.mjId) query.where('mj_id', filter.mjId);
    if (filter.status) query.where('status', filter.status);
    if (filter.action) query.where('action', filter.action);
    if (filter.fromMs !== undefined) query.where('submit_time', '>=', filter.fromMs);
    if (filter.untilMs !== undefined) query.where('submit_time', '<=', filter.untilMs);
    const total = await countRows(query);
    const items = await drawings.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  async insert(drawing: NewMidjourney): Promise<MidjourneyRecord> {
    const [inserted] = await drawings.written(this.#db('midjourneys').insert(drawings.foreignRow(drawing)));
    if (!inserted) throw new Error('an insert returned no row');
    return inserted;
  }

  /** Changes a drawing that is not final; undefined when it is, so that whoever finished it refunds it alone. */
  async advance(id: number, progress: MidjourneyProgress): Promise<MidjourneyRecord | undefined> {
    const row = drawings.foreignRow(progress);
    const query = this.#db('midjourneys').where({ id }).whereRaw(UNFINISHED);
    return Object.keys(row).length === 0 ? drawings.first(query) : drawings.writtenOne(query.update(row));
  }

  /** Notes that the charge was given back. */
  async clearCharge(id: number): Promise<void> {
    await this.#db('midjourneys').where({ id }).update({ quota: 0, token_quota: 0 });
  }

  /** Those that never got an id have none to be asked for. */
  #named(mjIds: readonly string[]): Knex.QueryBuilder {
    return this.#db('midjourneys').whereIn('mj_id', mjIds.filter(isStoredId));
  }
}
