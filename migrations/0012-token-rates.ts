/** Relay keys say how many requests and tokens a minute they may use; the keys there are stay without a limit. */
import type { Knex } from 'knex';

export const tokenRates = {
  name: '0012-token-rates',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('tokens', (table) => {
      table.integer('rpm_limit').notNullable().defaultTo(0);
      table.integer('tpm_limit').notNullable().defaultTo(0);
    });
  },
};
