/** Music tasks as the gateway knows them: looked up by their owners, begun, and followed to their end (relay.md 9). */
import type { Stores } from '../store/stores.ts';
import type { NewTask, TaskProgress, TaskRecord } from '../store/tasks.ts';
import type { TaskBooks, TaskKind } from './task-books.ts';

export type { TaskRecord } from '../store/tasks.ts';

export interface SongsDeps {
  readonly stores: Pick<Stores, 'tasks'>;
  readonly books: TaskBooks;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** A song that has just been accepted. */
export type NewSong = Omit<NewTask, 'platform' | 'createdAt' | 'updatedAt'>;

const PLATFORM = 'suno';
/** Rows of one round (relay.md 9). */
const PORTION = 500;

const songKind: TaskKind<TaskRecord, TaskProgress> = {
  table: (stores) => stores.tasks,
  idOf: ({ taskId }) => taskId,
  modelOf: ({ action }) => songModel(action),
};

/** The name by which an action is routed and priced (relay.md 9). */
export function songModel(action: string): string {
  return `suno_${action.toLowerCase()}`;
}

export class Songs {
  readonly #deps: SongsDeps;
  /** Rows up to this one were followed in the round before; later ones wait for theirs. */
  #followedTo = 0;

  constructor(deps: SongsDeps) {
    this.#deps = deps;
  }

  /** By upstream id, the newest of each that belongs to this user: unknown and foreign ids are left out. */
  async findManyOwned(taskIds: readonly string[], userId: number): Promise<ReadonlyMap<string, TaskRecord>> {
    const rows = await this.#deps.stores.tasks.findManyOwned(taskIds, userId);
    return new Map(rows.filter(({ platform }) => platform === PLATFORM).map((row) => [row.taskId, row]));
  }

  async findOwned(taskId: string, userId: number): Promise<TaskRecord | undefined> {
    return (await this.findManyOwned([taskId], userId)).get(taskId);
  }

  async insert(song: NewSong): Promise<void> {
    const now = this.#deps.nowSeconds();
    await this.#deps.stores.tasks.insert({ ...song, platform: PLATFORM, createdAt: now, updatedAt: now });
  }

  /** Those of one round that are not final, oldest first; with more than fit, each round goes on where the last ended. */
  async unfinished(): Promise<readonly TaskRecord[]> {
    const rows = await this.#deps.stores.tasks.listUnfinished(PLATFORM, { limit: PORTION, after: this.#followedTo });
    this.#followedTo = rows.length < PORTION ? 0 : (rows.at(-1)?.id ?? 0);
    return rows;
  }

  /** Writes what is new of a song that is not final; one that fails by it is refunded. `reason` as for `TaskBooks`. */
  advance(id: number, news: TaskProgress, reason?: string): Promise<TaskRecord | undefined> {
    const progress = { ...news, updatedAt: this.#deps.nowSeconds() };
    return this.#deps.books.advance(songKind, id, { progress, reason });
  }
}
