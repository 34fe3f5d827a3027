/** Lists of long-running work as its owners and administrators see them (management-api.md 3.18). */
import type { OptionsView } from '../contract/options.ts';
import type { MidjourneyFilter, MidjourneyRecord } from '../store/midjourneys.ts';
import type { Page, Window } from '../store/paging.ts';
import type { Stores } from '../store/stores.ts';
import type { TaskFilter, TaskRecord } from '../store/tasks.ts';
import type { Actor } from './actor.ts';

export interface WorkListDeps {
  readonly stores: Pick<Stores, 'midjourneys' | 'tasks'>;
  readonly options: () => OptionsView;
}

/** A drawing with the address under which its image is shown; "" while there is none. */
export interface ShownDrawing {
  readonly record: MidjourneyRecord;
  readonly imageUrl: string;
}

export class WorkLists {
  readonly #deps: WorkListDeps;

  constructor(deps: WorkListDeps) {
    this.#deps = deps;
  }

  /** Drawings of everybody, newest first. */
  async drawings(filter: MidjourneyFilter, window: Window): Promise<Page<ShownDrawing>> {
    const { items, total } = await this.#deps.stores.midjourneys.list(filter, window);
    const options = this.#deps.options();
    return { items: items.map((record) => ({ record, imageUrl: shownImage(record, options) })), total };
  }

  /** The caller's drawings. */
  ownDrawings(actor: Actor, filter: MidjourneyFilter, window: Window): Promise<Page<ShownDrawing>> {
    return this.drawings({ ...filter, userId: actor.userId, channelId: undefined }, window);
  }

  /** Tasks of everybody, newest first. */
  tasks(filter: TaskFilter, window: Window): Promise<Page<TaskRecord>> {
    return this.#deps.stores.tasks.list(filter, window);
  }

  /** The caller's tasks. */
  ownTasks(actor: Actor, filter: TaskFilter, window: Window): Promise<Page<TaskRecord>> {
    return this.tasks({ ...filter, userId: actor.userId, channelId: undefined }, window);
  }
}

/** With `MjForwardUrlEnabled` images are shown from this site's own address, so that nobody learns the service's. */
function shownImage({ imageUrl, mjId }: MidjourneyRecord, options: OptionsView): string {
  if (imageUrl === '' || !options.get('MjForwardUrlEnabled')) return imageUrl;
  return `${options.get('ServerAddress')}/mj/image/${encodeURIComponent(mjId)}`;
}
