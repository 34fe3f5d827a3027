/** Machine tokens: hashed, scoped and expiring credentials that users make for programs. */
import type { Knex } from 'knex';

export const machineTokens = {
  name: '0016-machine-tokens',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('machine_tokens', (table) => {
      table.increments('id');
      table.integer('user_id').notNullable().index();
      table.text('name').notNullable();
      table.specificType('secret_hash', type).notNullable().unique();
      // The secret before the last rotation, and until when it is still taken.
      table.specificType('previous_hash', type).nullable().index();
      table.bigInteger('previous_until').notNullable().defaultTo(0);
      table.text('scopes').notNullable();
      table.text('allow_ips').notNullable().defaultTo('');
      table.integer('role').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('expires_at').notNullable().index();
      table.bigInteger('last_used_at').notNullable().defaultTo(0);
    });
  },
};
