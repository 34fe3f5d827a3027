/** Relay keys say how many of their calls may run at once; the keys there are stay without a limit. */
import type { Knex } from 'knex';

export const tokenConcurrency = {
  name: '0023-token-concurrency',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('tokens', (table) => {
      table.integer('concurrency_limit').notNullable().defaultTo(0);
    });
  },
};
