/** What the database server says about itself. */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';

export interface ServerFacts {
  /** Without the product's name. */
  readonly version: string;
  /** Unix milliseconds of the server's own clock; undefined where it is that of this machine. */
  readonly clockMs: number | undefined;
  /** Undefined where there is no server to connect to. */
  readonly connections: { readonly used: number; readonly most: number } | undefined;
}

export class ServerFactStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  async read(): Promise<ServerFacts> {
    if (this.#engine === 'sqlite') {
      const row: { version: string } | undefined = await this.#db
        .select(this.#db.raw('sqlite_version() as ??', ['version']))
        .first();
      return { version: row?.version ?? '', clockMs: undefined, connections: undefined };
    }
    const row: { version: string; clock: number; most: number; used: number } | undefined = await this.#db
      .select(
        this.#db.raw(
          `current_setting('server_version') as ??, (extract(epoch from clock_timestamp()) * 1000)::bigint as ??,
           current_setting('max_connections')::int as ??, (select count(*) from pg_stat_activity)::int as ??`,
          ['version', 'clock', 'most', 'used'],
        ),
      )
      .first();
    if (!row) return { version: '', clockMs: undefined, connections: undefined };
    return { version: row.version, clockMs: row.clock, connections: { used: row.used, most: row.most } };
  }
}
