/** All data from one database into another, whatever the engines. */
import type { Config } from '../config/schema.ts';
import { migrationStatus, refuseNewer } from '../store/migrate.ts';
import type { TableTotals } from '../store/whole-tables.ts';
import { expectNobodyAtWork, type Watch } from './at-work.ts';
import type { Program, Watcher } from './backup.ts';
import { type CopyReport, reportOf } from './copy-report.ts';
import { databaseName, exists, withDatabase, withTarget } from './database-place.ts';
import { databaseSource, tablesOf } from './database-source.ts';
import { expectRoom, fillDatabase } from './fill.ts';
import { isCarried } from './table-copy.ts';

export interface MoveWish extends Watcher, Pick<Watch, 'watchMs'> {
  /** Address of the database to fill. */
  readonly to: string;
  /** Counts what would be moved and looks whether there is room; writes nothing. */
  readonly dryRun: boolean;
}

export interface MoveReport extends CopyReport {
  /** Name of the database that was filled. */
  database: string;
}

/**
 * Fills an empty database, all of it or nothing; the source stays as it is. Throws `database_missing`,
 * `database_not_empty`, `database_in_use`, `copy_differs`, `schema_newer`.
 */
export async function moveTo(config: Config, program: Program, wish: MoveWish): Promise<MoveReport> {
  const { to, dryRun, onRows, signal, watchMs } = wish;
  const place = { url: to, field: '--to' };
  const name = databaseName(place);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const ownTables = await tablesOf(program.migrations);
  const room = { ...program, ownTables, replace: false };
  return withDatabase({ url: config.database.url }, async (from) => {
    refuseNewer(await migrationStatus(from, program.migrations));
    // What they write from now on would be missing, charges among it.
    await expectNobodyAtWork(from.stores, { nowSeconds, watchMs, signal });
    return from.snapshot(async (stores) => {
      const facts = { createdAt: nowSeconds, program: program.version, engine: from.engine, excluded: [] };
      const open = () => databaseSource(stores, { ...facts, rootSecret: undefined }, ownTables);
      const { head } = await open();
      if (dryRun) {
        const tables: Record<string, TableTotals> = {};
        for (const shape of await stores.wholeTables.shapes()) {
          if (ownTables.has(shape.name) && isCarried(shape.name)) {
            tables[shape.name] = await stores.wholeTables.totals(shape);
          }
        }
        if (exists(to)) await withDatabase(place, (target) => expectRoom(target.stores, { ...room, nowSeconds }));
        return { ...reportOf(head, tables), database: name };
      }
      const tables = await withTarget(place, (target) =>
        fillDatabase(target, open, {
          ...room,
          nowSeconds,
          watchMs,
          signal,
          keyrings: undefined,
          onRows,
          finish: () => Promise.resolve(),
        }),
      );
      return { ...reportOf(head, tables), database: name };
    });
  });
}
