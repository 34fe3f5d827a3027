/** Nodes add up how many calls failed, so that an alert sees the calls of all of them. */
import type { Knex } from 'knex';

export const errorCounts = {
  name: '0010-error-counts',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('error_counts', (table) => {
      // Unix minutes.
      table.integer('minute').notNullable();
      table.specificType('process_id', type).notNullable();
      // 0 for calls as a whole.
      table.integer('channel_id').notNullable();
      table.bigInteger('failed').notNullable();
      table.bigInteger('total').notNullable();
      table.primary(['minute', 'process_id', 'channel_id']);
    });
  },
};
