/** A private PostgreSQL server: own folder, free port, no superuser of the machine involved. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { handOver, postgresPrograms, withoutRoot } from './engine-programs.ts';
import { freePort, startGuarded, untilReady } from './guarded-server.ts';
import { temporaryBase } from './workspace.ts';

export interface PostgresServer {
  /** Address of the maintenance database; its user may create others. */
  readonly url: string;
  /** Makes a database, empty or a copy of another one on this server; answers its address. */
  createDatabase(template?: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** Drops every database of this run that its tests left behind. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/** A server of this process alone, which can also fall over and come back with its data. */
export interface PrivatePostgresServer extends PostgresServer {
  /** Ends the server as a crash would; resolves when nothing listens any more. */
  crash(): Promise<void>;
  /** Starts it again on the same port and data. */
  resume(): Promise<void>;
}

export interface PostgresOptions {
  /** True: commits reach the disk, as a bench needs. Otherwise speed is all that counts. */
  readonly durable?: boolean;
  /** Keeps the server on one core. */
  readonly core?: 0 | 1;
}

const owner = 'postgres';
const fast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'];

/** Starts a server; ready when the promise resolves. It ends with this process at the latest. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PrivatePostgresServer> {
  const base = options.durable === true ? tmpdir() : temporaryBase();
  const folder = mkdtempSync(join(base, 'tollgate-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const url = `postgres://${owner}@127.0.0.1:${port}/postgres`;
  try {
    handOver(folder, owner);
    makeCluster(data);
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw cause;
  }
  const server = startGuarded({
    command: serverCommand({ folder, data, port, settings: options.durable === true ? [] : fast }),
    folder,
    signal: 'QUIT',
    ...(options.core === undefined ? {} : { core: options.core }),
  });
  const ready = () => untilReady(server, 'PostgreSQL', () => onServer(url, async () => undefined));
  await ready();
  return {
    ...postgresAt(url),
    crash: server.halt,
    async resume() {
      server.resume();
      await ready();
    },
    stop: server.stop,
  };
}

function makeCluster(data: string): void {
  const init = [postgresPrograms().initdb, '-D', data, '-U', owner, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  const [program = 'initdb', ...rest] = [...withoutRoot(owner), ...init, '--no-sync'];
  execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function serverCommand(place: { folder: string; data: string; port: number; settings: readonly string[] }): string[] {
  const settings = [
    `port=${place.port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${place.folder}`,
    'max_connections=300',
    'shared_buffers=128MB',
    'timezone=UTC',
    ...place.settings,
  ];
  const command = [...withoutRoot(owner), postgresPrograms().postgres, '-D', place.data];
  return [...command, ...settings.flatMap((setting) => ['-c', setting])];
}

/** A server that runs already; `stop` leaves it running. */
export function postgresAt(url: string): PostgresServer {
  return {
    url,
    async createDatabase(template) {
      const name = databaseName();
      // Names cannot be bound parameters; both are of this file's making or quoted by the driver.
      const copy = template === undefined ? 'template0' : pg.escapeIdentifier(nameOf(template));
      await onServer(url, async (client) => {
        const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
        // Copying files is several times faster than writing a copy through the log, which 15 made the default.
        const strategy = Number(rows[0]?.server_version_num) >= 150_000 ? 'STRATEGY FILE_COPY' : '';
        await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${copy} ${strategy}`);
      });
      const address = new URL(url);
      address.pathname = `/${name}`;
      return address.href;
    },
    async dropDatabase(database) {
      const name = pg.escapeIdentifier(nameOf(database));
      await onServer(url, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
    async sweep() {
      await onServer(url, async (client) => {
        const found = await client.query<{ datname: string }>(
          'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
          [testDatabasePrefix()],
        );
        for (const { datname } of found.rows) {
          await client.query(`DROP DATABASE ${pg.escapeIdentifier(datname)} WITH (FORCE)`);
        }
      });
    },
    stop: async () => undefined,
  };
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Databases of one run of the runner share a prefix, so that it can sweep a server that is not its own. */
function testDatabasePrefix(): string {
  return `tollgate_test_${process.env.TEST_RUN_ID ?? process.pid}_`;
}

function databaseName(): string {
  return `${testDatabasePrefix()}${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 10)}`;
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
