/** A MySQL or MariaDB database that another program made, read in one transaction that cannot write. */
import type { Connection, ConnectionOptions } from 'mysql2';
import { ForeignTableStore, type ForeignTables } from './foreign-tables.ts';
import { knexOver, knexPool } from './knex-connection.ts';
import type { MysqlAddress } from './mysql-address.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** Before anything is read: the server's own settings decide neither how texts are quoted nor what is seen. */
const opening = [
  "set session sql_mode = ''",
  'set session transaction isolation level repeatable read',
  'start transaction with consistent snapshot, read only',
];

/** Runs the work on the data as they stand at this moment; it runs once. Throws what the client throws. */
export async function lookIntoMysql<T>(address: MysqlAddress, work: (tables: ForeignTables) => Promise<T>): Promise<T> {
  const connection = await connect(address);
  try {
    const reader = knexOver(
      'mysql2',
      knexPool(
        () => Promise.resolve(connection),
        () => undefined,
      ),
    );
    for (const statement of opening) await reader.raw(statement);
    return await work(new ForeignTableStore(reader, 'mysql'));
  } finally {
    connection.end();
  }
}

async function connect(address: MysqlAddress): Promise<Connection> {
  const { user, password, database, server, tls } = address;
  const options: ConnectionOptions = {
    user,
    password,
    database,
    ...server,
    charset: 'utf8mb4',
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Whole numbers beyond what a double counts are texts, times and JSON always.
    supportBigNumbers: true,
    dateStrings: true,
    jsonStrings: true,
    // Rows are read without code made on the way, and no server may ask for a file of this machine.
    disableEval: true,
    flags: ['-LOCAL_FILES'],
  };
  if (tls === 'off') return opened(options);
  const isChecked = tls === 'checked';
  const ssl = { rejectUnauthorized: isChecked, verifyIdentity: isChecked };
  try {
    return await opened({ ...options, ssl });
  } catch (error) {
    const isClearOnly = error instanceof Error && 'code' in error && error.code === 'HANDSHAKE_NO_SSL_SUPPORT';
    if (tls !== 'preferred' || !isClearOnly) throw error;
    return opened(options);
  }
}

/** Loaded when it is needed: whoever serves never does. */
async function opened(options: ConnectionOptions): Promise<Connection> {
  const { createConnection } = await import('mysql2');
  const connection = createConnection(options);
  // A connection that breaks fails whatever is asked next.
  connection.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  return connection;
}
