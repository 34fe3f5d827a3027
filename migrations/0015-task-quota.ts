/**
 * The part of a task's charge that its token's own quota paid: what goes back to the token when the task fails later.
 * Rows that are there were charged nothing.
 */
import type { Knex } from 'knex';

export const taskQuota = {
  name: '0015-task-quota',
  async up(db: Knex): Promise<void> {
    for (const name of ['midjourneys', 'tasks']) {
      await db.schema.alterTable(name, (table) => table.bigInteger('token_quota').notNullable().defaultTo(0));
    }
  },
};
