/** Drawings as the gateway knows them: looked up by their owners, begun, and followed to their end (relay.md 8). */
import type { MidjourneyProgress, MidjourneyRecord, NewMidjourney } from '../store/midjourneys.ts';
import type { Stores } from '../store/stores.ts';
import type { TaskBooks, TaskKind } from './task-books.ts';

export type { MidjourneyRecord, NewMidjourney } from '../store/midjourneys.ts';

export interface DrawingsDeps {
  readonly stores: Pick<Stores, 'midjourneys'>;
  readonly books: TaskBooks;
}

/** Rows read at once by a poll. */
const PORTION = 1000;

const drawingKind: TaskKind<MidjourneyRecord, MidjourneyProgress> = {
  table: (stores) => stores.midjourneys,
  idOf: ({ mjId }) => mjId,
  modelOf: ({ action }) => drawingModel(action),
};

/** The name by which an action is routed and priced (relay.md 8.3). */
export function drawingModel(action: string): string {
  return action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`;
}

export class Drawings {
  readonly #deps: DrawingsDeps;

  constructor(deps: DrawingsDeps) {
    this.#deps = deps;
  }

  /** The newest drawing with this upstream id that belongs to this user. */
  findOwned(mjId: string, userId: number): Promise<MidjourneyRecord | undefined> {
    return this.#deps.stores.midjourneys.findOwned(mjId, userId);
  }

  /** By upstream id, the newest of each: unknown and foreign ids are left out. */
  async findManyOwned(mjIds: readonly string[], userId: number): Promise<ReadonlyMap<string, MidjourneyRecord>> {
    const rows = await this.#deps.stores.midjourneys.findManyOwned(mjIds, userId);
    return new Map(rows.map((row) => [row.mjId, row]));
  }

  /** Whoever owns it: only for the image proxy. */
  findAnybodys(mjId: string): Promise<MidjourneyRecord | undefined> {
    return this.#deps.stores.midjourneys.findByMjId(mjId);
  }

  /** Those that a channel's callback is about: a drawing and the dialog that went before it share their id. */
  findOfChannel(mjId: string, channelId: number): Promise<readonly MidjourneyRecord[]> {
    return this.#deps.stores.midjourneys.findOfChannel(mjId, channelId);
  }

  async insert(drawing: NewMidjourney): Promise<void> {
    await this.#deps.stores.midjourneys.insert(drawing);
  }

  /** All that are not final, oldest first. */
  async unfinished(): Promise<readonly MidjourneyRecord[]> {
    const rows: MidjourneyRecord[] = [];
    for (;;) {
      const portion = await this.#deps.stores.midjourneys.listUnfinished(PORTION, rows.at(-1)?.id);
      rows.push(...portion);
      if (portion.length < PORTION) return rows;
    }
  }

  /** Writes what is new of a drawing that is not final; one that fails by it is refunded. `reason` as for `TaskBooks`. */
  advance(id: number, progress: MidjourneyProgress, reason?: string): Promise<MidjourneyRecord | undefined> {
    return this.#deps.books.advance(drawingKind, id, { progress, reason });
  }
}
