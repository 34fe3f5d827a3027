/** Text columns of the first schema. */
import type { Knex } from 'knex';

export type Engine = 'sqlite' | 'postgres';

/** A text column; `""` by default, `null` when it may be absent. */
export function textColumns(table: Knex.CreateTableBuilder, engine: Engine) {
  const type = engine === 'postgres' ? 'text collate "C"' : 'text';
  return {
    filled: (name: string) => table.specificType(name, type).notNullable(),
    empty: (name: string, value = '') => table.specificType(name, type).notNullable().defaultTo(value),
    optional: (name: string) => table.specificType(name, type).nullable(),
  };
}
