/** What an account may use: its groups with their ratios, and the models they offer (management-api.md 3.6). */
import type { Language } from '../contract/error-codes.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import { autoGroup, usableGroups } from './groups.ts';

export interface UsableGroup {
  readonly desc: string;
  readonly ratio: number;
}

export class Catalogue {
  readonly #view: () => Snapshot;

  /** @param view the snapshot of the moment */
  constructor(view: () => Snapshot) {
    this.#view = view;
  }

  /** Usable groups that have a price; `auto` shows 1, because the serving group is billed. */
  groups(userGroup: string, language: Language): Record<string, UsableGroup> {
    const { options } = this.#view();
    const ratios = options.get('GroupRatio');
    const groups: Record<string, UsableGroup> = {};
    for (const [name, desc] of usableGroups(userGroup, options, language)) {
      const own = Object.hasOwn(ratios, name) ? ratios[name] : undefined;
      const ratio = name === autoGroup ? 1 : own;
      if (ratio !== undefined) groups[name] = { desc, ratio };
    }
    return groups;
  }

  /** Every model that an enabled channel offers to any usable group, as clients name it; sorted. */
  models(userGroup: string): string[] {
    const { options, channels } = this.#view();
    const names = new Set<string>();
    for (const group of usableGroups(userGroup, options, 'en').keys()) {
      for (const model of channels.modelsOf(group)) names.add(model);
    }
    return [...names].sort();
  }
}
