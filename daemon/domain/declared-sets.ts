/** Sets of declared state: what they own, and ending that. */
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { StateObjectRecord, StateSetRecord } from '../store/state-sets.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';

export interface DeclaredSetsDeps {
  readonly database: Database;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

export interface StateSet extends StateSetRecord {
  readonly objects: readonly StateObjectRecord[];
}

export class DeclaredSets {
  readonly #deps: DeclaredSetsDeps;

  constructor(deps: DeclaredSetsDeps) {
    this.#deps = deps;
  }

  /** By name, with what they own. */
  async list(): Promise<StateSet[]> {
    const { stateSets } = this.#deps.database.stores;
    const objects = await stateSets.objects();
    return (await stateSets.all()).map((set) => ({
      ...set,
      objects: objects.filter(({ setName }) => setName === set.name),
    }));
  }

  /** Throws `state_set_not_found`. */
  async get(name: string): Promise<StateSet> {
    const found = (await this.list()).find((set) => set.name === name);
    if (!found) throw new TollgateError('state_set_not_found', { name });
    return found;
  }

  /** Ends the ownership of a set; what it owned stays. Returns how many objects that were. Throws `state_set_not_found`. */
  async forget(actor: Actor, name: string): Promise<number> {
    return this.#deps.database.transaction(async (stores) => {
      const count = await stores.stateSets.delete(name);
      if (count === undefined) throw new TollgateError('state_set_not_found', { name });
      const act = { action: 'state.forget', target: `state:${name}`, detail: { objects: count } };
      await stores.audits.append(auditBy(actor, act, this.#deps.nowSeconds()));
      return count;
    });
  }
}
