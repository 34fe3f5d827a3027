/** A database with rows in every table that there is, whatever the tables are: made from the schema itself. */
import { openDatabase, type Stores } from '../../daemon/store/database.ts';
import { SqliteConnection } from '../../daemon/store/sqlite-connection.ts';
import type { CellValue, ColumnShape, TableRow, TableShape } from '../../daemon/store/whole-tables.ts';

export const rowsOfEach = 3;
/** Rows that the migrations themselves have written, and the list of those. */
const writtenByMigrations = new Set(['schema_migrations', 'audit_head', 'log_sum_state']);

/** The largest number that the program counts with; a sum of several is beyond what a number can hold. */
const most = Number.MAX_SAFE_INTEGER;

/** Fills all tables of a migrated SQLite file. */
export async function fillEveryTable(url: string): Promise<void> {
  const path = url.slice('sqlite:'.length);
  const connection = await SqliteConnection.open({ path, pragmas: ['query_only = on'] });
  const declared = new Map<string, { type: string; isNullable: boolean }>();
  const database = await openDatabase({ url });
  try {
    const shapes = await database.stores.wholeTables.shapes();
    for (const { name } of shapes) {
      const { rows } = await connection.execute(
        'select name, type, "notnull" as filled, pk from pragma_table_info(?)',
        [name],
      );
      for (const row of rows) {
        const { name: column, type, filled, pk } = Object(row);
        declared.set(`${name}.${column}`, { type: String(type), isNullable: filled === 0 && pk === 0 });
      }
    }
    await database.transaction(async ({ wholeTables }) => {
      for (const shape of shapes) {
        if (writtenByMigrations.has(shape.name)) continue;
        const rows = Array.from({ length: rowsOfEach }, (_none, index) => rowOf(shape, index, declared));
        await wholeTables.insert(shape, rows);
        // Rows that were deleted have had numbers, too.
        if (shape.key.join() === 'id' && (await wholeTables.lastNumber(shape)) !== undefined) {
          await wholeTables.setLastNumber(shape, 1000);
        }
      }
    });
  } finally {
    await database.close();
    await connection.close();
  }
}

function rowOf(
  shape: TableShape,
  index: number,
  declared: ReadonlyMap<string, { type: string; isNullable: boolean }>,
): TableRow {
  const cells = shape.columns.map((column): [string, CellValue] => {
    const { type, isNullable } = declared.get(`${shape.name}.${column.name}`) ?? { type: '', isNullable: false };
    if (isNullable && index === 1) return [column.name, null];
    return [column.name, cellOf(column, { type, index })];
  });
  return Object.fromEntries(cells);
}

function cellOf({ name, kind }: ColumnShape, { type, index }: { type: string; index: number }): CellValue {
  if (kind === 'integer') return type === 'bigint' && !/(^|_)id$/.test(name) ? most - index : index + 1;
  if (kind === 'number') return 0.1 + index / 3;
  if (kind === 'flag') return index % 2 === 0;
  if (kind === 'time') return 1_700_000_000_123 + index;
  // Nothing that this could say would be sealed.
  if (/seal|^secret$/.test(name)) return '';
  if (name === 'money') return `${7 + index}.3`;
  if (type.startsWith('varchar')) return `${name.slice(0, 4)}-${index}`;
  return `${name} ${index} 中文 "\\\u2028\n\t'`;
}

/** Every row of every table, as text that can be compared between engines. */
export async function everything(stores: Stores): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const shape of await stores.wholeTables.shapes()) {
    const rows: string[] = [];
    for await (const portion of stores.wholeTables.portions(shape)) {
      rows.push(...portion.map((row) => JSON.stringify(row, exactMoney)));
    }
    found[shape.name] = rows.sort();
  }
  return found;
}

/** One engine keeps a decimal with all of its places. */
function exactMoney(name: string, value: unknown): unknown {
  return name === 'money' && typeof value === 'string' ? Number(value) : value;
}
