/** Routes of groups (management-api.md 3.16). */
import type { GroupCounts } from '../../../contract/groups.ts';
import { contract } from '../../../contract/index.ts';
import { implement, type Route } from '../../implement.ts';

export interface Groups {
  /** Names of all groups, `default` first. */
  names(): string[];
  /** How many carry each of these, and each that is carried although it is not among them. */
  counts(names: readonly string[]): Promise<ReadonlyMap<string, GroupCounts>>;
}

export const groupRoutes = (groups: Groups): Route[] => [
  implement(contract.groups.list, async ({ input }) => {
    const items = groups.names();
    return input.with_counts ? { items, counts: Object.fromEntries(await groups.counts(items)) } : { items };
  }),
];
