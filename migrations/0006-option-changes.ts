/** Options say who changed them last, and when. */
import type { Knex } from 'knex';

export const optionChanges = {
  name: '0006-option-changes',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('option_changes', (table) => {
      table.specificType('key', type).notNullable().primary();
      table.bigInteger('updated_at').notNullable();
      table.integer('actor_id').notNullable();
      table.specificType('actor_name', type).notNullable();
    });
  },
};
