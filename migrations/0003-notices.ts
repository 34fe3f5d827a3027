/** Alerts of operators, and what has been told lately, so that nobody is told twice by two nodes or after a restart. */
import type { Knex } from 'knex';

export const notices = {
  name: '0003-notices',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('alert_settings', (table) => {
      table.integer('id').notNullable().primary();
      table.specificType('sealed', type).notNullable();
      table.bigInteger('updated_at').notNullable();
    });
    await db.schema.createTable('notice_marks', (table) => {
      table.specificType('name', type).notNullable().primary();
      table.integer('told').notNullable();
      table.bigInteger('expires_at').notNullable().index();
    });
  },
};
