/** A rare act is found without reading the trail: a search of all by an action alone read every row, newest first. */
import type { Knex } from 'knex';

export const auditActions = {
  name: '0027-audit-actions',
  async up(db: Knex): Promise<void> {
    await db.schema.alterTable('audit_logs', (table) => {
      table.index(['action', 'id']);
    });
  },
};
