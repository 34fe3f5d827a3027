/** Nodes tell with their heartbeat how they are. */
import type { Knex } from 'knex';

export const nodeFacts = {
  name: '0007-node-facts',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('nodes', (table) => {
      // JSON; "" for a node of before.
      table.text('facts').notNullable().defaultTo('');
    });
  },
};
