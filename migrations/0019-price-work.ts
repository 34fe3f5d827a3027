/**
 * Prices of single customers, and what prices were before each change. A version keeps the texts that its change
 * replaced, so that any of them can be put back from the options in force and the versions after it.
 */
import type { Knex } from 'knex';

export const priceWork = {
  name: '0019-price-work',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('rate_rules', (table) => {
      table.increments('id');
      // user, group or token.
      table.specificType('subject_kind', type).notNullable();
      // An id as text, or the name of a group.
      table.specificType('subject', type).notNullable();
      // A name, `prefix*` or `*`.
      table.specificType('model', type).notNullable();
      table.double('ratio').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.integer('actor_id').notNullable();
      table.specificType('actor_name', type).notNullable();
      table.unique(['subject_kind', 'subject', 'model']);
    });
    await db.schema.createTable('price_versions', (table) => {
      table.increments('id');
      table.bigInteger('created_at').notNullable();
      table.integer('actor_id').notNullable();
      table.specificType('actor_name', type).notNullable();
      // edit, option, reset, sync or rollback.
      table.specificType('cause', type).notNullable();
      table.specificType('note', type).notNullable();
      // Names of changed models as JSON, the first ones of many.
      table.specificType('models', type).notNullable();
      table.integer('model_count').notNullable();
    });
    await db.schema.createTable('price_version_texts', (table) => {
      table.integer('version_id').notNullable().references('price_versions.id').onDelete('CASCADE');
      table.specificType('key', type).notNullable();
      // The stored text before the change; null while the default was in force.
      table.specificType('before', type).nullable();
      table.primary(['version_id', 'key']);
    });
  },
};
