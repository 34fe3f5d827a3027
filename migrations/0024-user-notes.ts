/** Users have notes, which administrators write down for themselves. */
import type { Knex } from 'knex';

export const userNotes = {
  name: '0024-user-notes',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('users', (table) => {
      table.text('notes').notNullable().defaultTo('');
    });
  },
};
