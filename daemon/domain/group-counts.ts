/** What carries a group: users, channels and keys. Asked by administrators alone, never by a relay request. */
import type { GroupCounts } from '../contract/groups.ts';
import type { Stores } from '../store/database.ts';

/**
 * Counts of every group in the list and of every group that is carried although it is not in it. Deleted users, who
 * cannot be moved to another group, do not count, nor do their keys.
 */
export async function groupCounts(
  names: readonly string[],
  { users, channels, tokens }: Pick<Stores, 'users' | 'channels' | 'tokens'>,
): Promise<ReadonlyMap<string, GroupCounts>> {
  const counts = new Map<string, GroupCounts>(names.map((name) => [name, { users: 0, channels: 0, tokens: 0 }]));
  const add = (kind: keyof GroupCounts, found: ReadonlyMap<string, number>) => {
    for (const [name, count] of found) {
      const sofar = counts.get(name) ?? { users: 0, channels: 0, tokens: 0 };
      counts.set(name, { ...sofar, [kind]: count });
    }
  };
  add('users', await users.countByGroup());
  add('channels', await channels.countByGroup());
  add('tokens', await tokens.countByGroup());
  return counts;
}
