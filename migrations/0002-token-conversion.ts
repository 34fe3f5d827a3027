/** Relay keys say what becomes of fields that a channel's protocol has no word for; the keys there are keep dropping. */
import type { Knex } from 'knex';

export const tokenConversion = {
  name: '0002-token-conversion',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.alterTable('tokens', (table) => {
      table.specificType('conversion', type).notNullable().defaultTo('drop');
    });
  },
};
