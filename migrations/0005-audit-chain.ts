/** Audit rows become a chain: each carries the digest of itself and of the row before, so that no change goes unseen. */
import type { Knex } from 'knex';

export const auditChain = {
  name: '0005-audit-chain',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.alterTable('audit_logs', (table) => {
      // Rows of before have no digest: the chain begins after them.
      for (const name of ['request_id', 'user_agent', 'prev_hash', 'hash']) {
        table.specificType(name, type).notNullable().defaultTo('');
      }
    });
    await db.schema.createTable('audit_head', (table) => {
      table.integer('id').notNullable().primary();
      table.bigInteger('chained').notNullable();
      table.specificType('hash', type).notNullable();
    });
    await db('audit_head').insert({ id: 1, chained: 0, hash: '' });
  },
};
