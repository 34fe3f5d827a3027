/**
 * The first schema. Conventions, for both engines:
 * - Text has no length limit in the database; limits apply on input. On PostgreSQL it is collated "C", so that it
 *   compares and sorts by bytes as on SQLite, on any server locale.
 * - Quota, unix times and counters are 64-bit. Dates are `timestamptz`, on SQLite unix milliseconds.
 * - Columns that the ledger updates all the time carry no index, so that PostgreSQL can update in place (HOT).
 */
import type { Knex } from 'knex';
import { createAccounts } from './0001-initial/accounts.ts';
import { createChannels } from './0001-initial/channels.ts';
import { createHousekeeping } from './0001-initial/housekeeping.ts';
import { createLogs } from './0001-initial/logs.ts';
import { createCredits, createMoney } from './0001-initial/money.ts';
import { createTasks } from './0001-initial/tasks.ts';
import type { Engine } from './0001-initial/text-columns.ts';

export const initial = {
  name: '0001-initial',
  async up(db: Knex, engine: Engine): Promise<void> {
    await createAccounts(db, engine);
    await createChannels(db, engine);
    await createMoney(db, engine);
    await createLogs(db, engine);
    await createCredits(db, engine);
    await createTasks(db, engine);
    await createHousekeeping(db, engine);
    if (engine === 'postgres') await leaveRoomForUpdates(db);
  },
};

/** Pages of rows that are updated all the time keep free space, so that a new version fits beside the old one. */
async function leaveRoomForUpdates(db: Knex): Promise<void> {
  for (const name of ['users', 'tokens', 'channels', 'revisions', 'nodes']) {
    await db.raw('alter table ?? set (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05)', [name]);
  }
}
