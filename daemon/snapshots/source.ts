/** Reads the rows of the snapshots from the stores. */
import type { Database } from '../store/database.ts';
import type { SnapshotSource } from './snapshots.ts';

/** Ids in one statement; more of them are read as the whole table, which is faster then. */
const mostIds = 500;

export function snapshotSource(database: Pick<Database, 'stores'>): SnapshotSource {
  const { options, channels, channelKeys, setups, rateRules, priceVersions, revisions } = database.stores;
  const few = (ids: readonly number[] | undefined) => (ids && ids.length <= mostIds ? ids : undefined);
  return {
    revisions: () => revisions.byTopic(),
    options: () => options.all(),
    priceVersion: () => priceVersions.newest(),
    channels: (ids) => channels.all(few(ids)),
    channelKeys: (ids) => channelKeys.all(few(ids)),
    rateRules: () => rateRules.all(),
    setupDone: async () => (await setups.find()) !== undefined,
  };
}
