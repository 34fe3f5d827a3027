/** A migrated database of the pass's engine with the snapshots over it, as the composition root wires them. */

import { type Bus, RevisionBus } from '../../daemon/cluster/bus.ts';
import { createKeyring, type Keyring } from '../../daemon/config/secrets.ts';
import type { Actor } from '../../daemon/domain/actor.ts';
import { shippedOptionDefaults } from '../../daemon/domain/options.ts';
import { type SnapshotProblem, Snapshots } from '../../daemon/snapshots/snapshots.ts';
import { snapshotSource } from '../../daemon/snapshots/source.ts';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import { testDatabaseUrl } from './servers.ts';

export interface DomainWorld {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly bus: Bus;
  readonly snapshots: Snapshots;
  readonly problems: SnapshotProblem[];
  /** Unix seconds that `nowSeconds` answers; tests may move it. */
  clock: { seconds: number };
  readonly nowSeconds: () => number;
  close(): Promise<void>;
}

/** Opens a world of its own; close it in the same test. */
export async function openDomainWorld(): Promise<DomainWorld> {
  const place = await testDatabaseUrl();
  const database = await openDatabase({ url: place.url });
  const keyring = createKeyring('a root secret for tests');
  const problems: SnapshotProblem[] = [];
  const bus = new RevisionBus({
    readRevisions: () => database.stores.revisions.byTopic(),
    report: () => undefined,
    pollMs: 60_000,
  });
  const snapshots = new Snapshots({
    source: snapshotSource(database),
    bus,
    unseal: (context, sealed) => keyring.open(context, sealed),
    optionDefaults: shippedOptionDefaults(),
    report: (problem) => problems.push(problem),
  });
  await bus.start();
  await snapshots.start();
  const clock = { seconds: 1_800_000_000 };
  return {
    database,
    keyring,
    bus,
    snapshots,
    problems,
    clock,
    nowSeconds: () => clock.seconds,
    close: async () => {
      snapshots.stop();
      await bus.stop();
      await database.close();
      await place.drop();
    },
  };
}

/** An administrator unless told otherwise. */
export function actor(over: Partial<Actor> = {}): Actor {
  return {
    userId: 1,
    username: 'root',
    role: 10,
    status: 1,
    group: 'default',
    via: 'session',
    ip: '127.0.0.1',
    ...over,
  };
}
