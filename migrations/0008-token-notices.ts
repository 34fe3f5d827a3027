/** Relay keys say below which remaining quota their owner is told; the keys there are follow their accounts. */
import type { Knex } from 'knex';

export const tokenNotices = {
  name: '0008-token-notices',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('tokens', (table) => {
      table.bigInteger('quota_warning_threshold').notNullable().defaultTo(-1);
    });
  },
};
