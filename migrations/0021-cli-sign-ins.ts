/** Sign-ins of the command line that wait for their user in the console, or for the program to fetch its token. */
import type { Knex } from 'knex';

export const cliSignIns = {
  name: '0021-cli-sign-ins',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('cli_sign_ins', (table) => {
      table.increments('id');
      // What the program fetches its token with: the code of a device, or the one that a browser carried to it.
      table.specificType('exchange_hash', type).notNullable().unique();
      // Of the code that a person types; null where a browser on the same machine carries everything.
      table.specificType('user_code_hash', type).nullable().unique();
      table.specificType('challenge', type).notNullable().defaultTo('');
      table.text('status').notNullable();
      table.text('name').notNullable();
      table.text('scopes').notNullable();
      table.bigInteger('token_expires_at').notNullable();
      table.text('ip').notNullable();
      table.text('user_agent').notNullable();
      table.integer('user_id').nullable();
      table.integer('auth_version').notNullable().defaultTo(0);
      table.bigInteger('created_at').notNullable();
      table.bigInteger('expires_at').notNullable().index();
      table.bigInteger('last_poll_at').notNullable().defaultTo(0);
    });
  },
};
