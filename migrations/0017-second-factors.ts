/** Second factors: authenticator apps, the recovery codes beside them, and passkeys. */
import type { Knex } from 'knex';

export const secondFactors = {
  name: '0017-second-factors',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('user_totp', (table) => {
      table.integer('user_id').notNullable().primary();
      table.specificType('secret', type).notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('enabled_at').notNullable().defaultTo(0);
      table.bigInteger('last_step').notNullable().defaultTo(0);
    });
    await db.schema.createTable('recovery_codes', (table) => {
      table.integer('user_id').notNullable();
      table.specificType('code_hash', type).notNullable();
      table.primary(['user_id', 'code_hash']);
    });
    await db.schema.createTable('passkeys', (table) => {
      table.increments('id');
      table.integer('user_id').notNullable().index();
      table.specificType('credential_id', type).notNullable().unique();
      table.specificType('public_key', type).notNullable();
      table.bigInteger('sign_count').notNullable();
      table.specificType('transports', type).notNullable().defaultTo('');
      table.specificType('name', type).notNullable();
      table.integer('synced').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('last_used_at').notNullable().defaultTo(0);
    });
  },
};
