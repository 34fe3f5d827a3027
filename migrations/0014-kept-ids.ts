/**
 * Whose a stored response or item is can be asked by its id alone. Rows that are there stay without: they are known to
 * their own user, for the day that they live.
 */
import type { Knex } from 'knex';

export const keptIds = {
  name: '0014-kept-ids',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('response_affinity', (table) => {
      table.text('id_hash').nullable().index();
    });
  },
};
