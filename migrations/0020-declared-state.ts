/**
 * Who declared what: sets of declared state, the objects that each owns, and the fields that it named when it was last
 * applied, each with the digest of its value. Nothing that was there before belongs to a set.
 */
import type { Knex } from 'knex';

export const declaredState = {
  name: '0020-declared-state',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    const type = engine === 'postgres' ? 'text collate "C"' : 'text';
    await db.schema.createTable('state_sets', (table) => {
      table.specificType('name', type).primary();
      table.bigInteger('applied_at').notNullable();
      table.integer('actor_id').notNullable();
      table.specificType('actor_name', type).notNullable();
      table.specificType('message', type).notNullable();
    });
    await db.schema.createTable('state_objects', (table) => {
      // option, group, price, rate_rule, limit, alert_rule, alert_target or channel.
      table.specificType('kind', type).notNullable();
      // What names the object for good: the id of a channel, else its name.
      table.specificType('target', type).notNullable();
      table.specificType('set_name', type).notNullable();
      // What the set calls it.
      table.specificType('key', type).notNullable();
      // JSON: digest by field, "" for secrets.
      table.specificType('fields', type).notNullable();
      table.primary(['kind', 'target']);
      table.unique(['set_name', 'kind', 'key']);
    });
  },
};
