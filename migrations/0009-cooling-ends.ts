/** Nodes without Redis hear of pauses that were ended by hand. */
import type { Knex } from 'knex';

export const coolingEnds = {
  name: '0009-cooling-ends',
  async up(db: Knex): Promise<void> {
    await db.schema.createTable('cooling_ends', (table) => {
      table.integer('channel_id').notNullable().primary();
      table.bigInteger('revision').notNullable();
    });
  },
};
