/**
 * Limits by the minute are kept under the names of users (`RateLimits.user`). A user who takes another name takes them
 * along: nobody escapes them so, and nobody loses them. Those of a user who is removed for good end with the account:
 * whoever takes the name next is somebody else.
 */
import type { Bus } from '../cluster/bus.ts';
import type { OptionsView } from '../contract/options.ts';
import type { RateLimitTable } from '../contract/rate-limits.ts';
import type { Stores } from '../store/database.ts';
import type { Actor } from './actor.ts';
import type { OptionService } from './options.ts';

export interface RenamedLimitsDeps {
  readonly options: () => OptionsView;
  readonly optionService: Pick<OptionService, 'editWithin'>;
  readonly bus: Pick<Bus, 'announce'>;
}

export class RenamedLimits {
  readonly #deps: RenamedLimitsDeps;

  constructor(deps: RenamedLimitsDeps) {
    this.#deps = deps;
  }

  /**
   * Within the transaction that renames or removes; returns what is to be done once it is committed.
   * @param change.to undefined where the user is removed
   */
  async carry(
    stores: Stores,
    { actor, from, to }: { readonly actor: Actor; readonly from: string; readonly to: string | undefined },
  ): Promise<() => Promise<void>> {
    if (!has(this.#deps.options().get('RateLimits'), from)) return async () => undefined;
    const { revision } = await this.#deps.optionService.editWithin(stores, {
      actor,
      keys: ['RateLimits'],
      edit: {
        change: (options) => {
          const table = options.get('RateLimits');
          if (!has(table, from)) return {};
          const { [from]: limit = {}, ...others } = table.user ?? {};
          return { RateLimits: { ...table, user: to === undefined ? others : { ...others, [to]: limit } } };
        },
        version: { cause: 'edit', note: '' },
      },
    });
    return () => this.#deps.bus.announce('options', revision);
  }
}

/** Names such as `constructor` are inherited by every table. */
function has(table: RateLimitTable, name: string): boolean {
  return Object.hasOwn(table.user ?? {}, name);
}
