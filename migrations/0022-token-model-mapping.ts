/** Relay keys name models in their own words; the keys there are have none. */
import type { Knex } from 'knex';

export const tokenModelMapping = {
  name: '0022-token-model-mapping',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('tokens', (table) => {
      table.text('model_mapping').notNullable().defaultTo('');
    });
  },
};
