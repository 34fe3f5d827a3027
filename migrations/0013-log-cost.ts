/**
 * What the attempts behind a row of the log cost the operator, and its sums. Rows that are there stay without: what they
 * cost is known to nobody any more.
 */
import type { Knex } from 'knex';

export const logCost = {
  name: '0013-log-cost',
  async up(db: Knex): Promise<void> {
    for (const name of ['logs', 'log_hours', 'log_days']) {
      await db.schema.alterTable(name, (table) => table.bigInteger('cost').notNullable().defaultTo(0));
    }
  },
};
