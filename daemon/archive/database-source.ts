/** A database as the source of a copy: what one snapshot of it holds. */
import type { Keyring } from '../config/secrets.ts';
import { TollgateError } from '../errors.ts';
import { openDatabase, type Stores } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import type { Migration } from '../store/schema-migrations.ts';
import type { TableRow, TableShape } from '../store/whole-tables.ts';
import { opensUnder, sealedTables, withoutSecrets } from './secret-tables.ts';
import { type CopyHead, type CopySource, expectSameTotals, isCarried, Tally } from './table-copy.ts';

/**
 * @param head what the database itself does not know of the copy
 * @param ownTables others that share the database stay where they are
 */
export async function databaseSource(
  stores: Stores,
  head: Omit<CopyHead, 'migrations'>,
  ownTables: ReadonlySet<string>,
): Promise<CopySource> {
  const applied = (await stores.schemaMigrations.applied()) ?? [];
  return {
    head: { ...head, migrations: applied.map(({ name }) => name) },
    async *tables() {
      for (const shape of await stores.wholeTables.shapes()) {
        if (!ownTables.has(shape.name) || !isCarried(shape.name, head.excluded)) continue;
        yield {
          name: shape.name,
          columns: shape.columns,
          lastNumber: await stores.wholeTables.lastNumber(shape),
          portions: () => wholly(stores, shape),
        };
      }
    },
  };
}

/** Names of the tables that the migrations make, which only a database knows that has seen them. */
export async function tablesOf(migrations: readonly Migration[]): Promise<ReadonlySet<string>> {
  const database = await openDatabase({ url: 'sqlite::memory:' });
  try {
    await migrate(database, migrations);
    return new Set((await database.stores.wholeTables.shapes()).map(({ name }) => name));
  } finally {
    await database.close();
  }
}

/**
 * Throws `secret_differs` where this is not the secret that values of the database were sealed under.
 * @param look `first-rows` of each table: what a start has time for, where a large one holds nothing sealed
 */
export async function expectSecretFits(
  { wholeTables }: Stores,
  keyring: Keyring,
  look: 'all-rows' | 'first-rows' = 'all-rows',
): Promise<void> {
  const shapes = (await wholeTables.shapes()).filter(({ name }) => sealedTables.includes(name));
  let broken = 0;
  for (const shape of shapes) {
    for await (const rows of wholeTables.portions(shape)) {
      const opens = rows.map((row) => opensUnder(shape.name, row, keyring));
      // A single value that was damaged is no other secret.
      if (opens.includes(true)) return;
      broken += opens.filter((isOpen) => isOpen === false).length;
      if (look === 'first-rows') break;
    }
  }
  if (broken > 0) throw new TollgateError('secret_differs', { count: broken });
}

/** The copy without anything secret in it. */
export function withoutAnySecret(source: CopySource): CopySource {
  return {
    head: { ...source.head, rootSecret: undefined },
    async *tables() {
      for await (const table of source.tables()) {
        const strip = withoutSecrets(table.name);
        yield {
          ...table,
          async *portions() {
            for await (const rows of table.portions()) {
              const left = rows.map(strip).filter((row): row is TableRow => row !== undefined);
              if (left.length > 0) yield left;
            }
          },
        };
      }
    },
  };
}

/** All rows of a table, which the database itself has counted and added up. */
async function* wholly({ wholeTables }: Stores, shape: TableShape): AsyncGenerator<readonly TableRow[]> {
  const tally = new Tally(shape.columns);
  for await (const rows of wholeTables.portions(shape)) {
    tally.add(rows);
    yield rows;
  }
  expectSameTotals(shape.name, tally.totals, await wholeTables.totals(shape));
}
