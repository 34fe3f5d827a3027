/** Nodes without Redis tell each other what may be forgotten: pauses, uses of keys. */
import type { Knex } from 'knex';

export const nodeMessages = {
  name: '0011-node-messages',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('node_messages', (table) => {
      table.bigIncrements('id');
      table.specificType('sender', type).notNullable();
      table.specificType('name', type).notNullable();
      table.specificType('body', type).notNullable();
      table.bigInteger('created_at').notNullable();
    });
  },
};
