/**
 * Keys, accounts and channels carry budgets by the period, a JSON list each, and what was taken from them is counted by
 * period and node; keys of channels may have tokens a minute and calls at once. Those there are stay without any.
 */
import type { Knex } from 'knex';

const subjects = ['tokens', 'users', 'channels'];

export const budgets = {
  name: '0018-budgets',
  async up(db: Knex): Promise<void> {
    for (const name of subjects) {
      await db.schema.alterTable(name, (table) => {
        table.text('budgets').notNullable().defaultTo('[]');
      });
      // Lists of budgets ask for the few rows that have any.
      await db.raw(`CREATE INDEX ?? ON ?? (id) WHERE budgets <> '[]'`, [`${name}_budgets`, name]);
    }
    await db.schema.alterTable('channel_keys', (table) => {
      table.integer('tpm').notNullable().defaultTo(0);
      table.integer('concurrency').notNullable().defaultTo(0);
    });
    await db.schema.createTable('budget_uses', (table) => {
      table.string('subject', 8).notNullable();
      table.integer('subject_id').notNullable();
      // Unix seconds at which the period began.
      table.bigInteger('starts_at').notNullable();
      table.string('kind', 8).notNullable();
      table.string('per', 8).notNullable();
      table.string('node', 128).notNullable();
      table.bigInteger('used').notNullable();
      table.primary(['subject', 'subject_id', 'starts_at', 'kind', 'per', 'node']);
      table.index('starts_at');
    });
  },
};
