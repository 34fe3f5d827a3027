/** What was done to one target is found without reading the trail: declared state asks for the last of each channel. */
import type { Knex } from 'knex';

export const auditTargets = {
  name: '0025-audit-targets',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('audit_logs', (table) => {
      table.index(['target', 'id']);
    });
  },
};
