/**
 * What can be found wrong beside the daemon, whether it runs or not: configuration, secret, disk, database, Redis,
 * clocks, ports and limits. Nothing is made or changed, but for one row that tells how fast the database writes.
 */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { migrations } from '../migrations/index.ts';
import { RedisLink } from './cluster/redis.ts';
import { type Finding, finding, isThere, type LocalFinding, ok, skip, whyNot } from './composition/local-finding.ts';
import { checkSecret } from './composition/secret-check.ts';
import { availableMemory } from './config/available-memory.ts';
import { isDataFolderClaimed } from './config/data-folder.ts';
import type { ListenAddress } from './config/key.ts';
import { type ConfigReading, type Environment, readConfig } from './config/load.ts';
import type { Config } from './config/schema.ts';
import { type Database, openDatabase } from './store/database.ts';
import { migrationStatus } from './store/migrate.ts';
import { withForbiddenFile } from './store/sqlite-files.ts';
import { openFileLimit } from './telemetry/open-files.ts';

type Check = (scene: Scene) => Promise<Finding[]> | Finding[];

const mebibyte = 1024 * 1024;
const clockWarnsMs = 1000;
const clockFailsMs = 5000;
const writeWarnsMs = 50;
const writeFailsMs = 500;
/** Every look may write its mark, and PostgreSQL keeps the number of them in 32 bits. */
const writesOfWindow = 2 ** 31 - 1;

/** The configuration, and the database as far as there is one. */
class Scene {
  readonly config: Config;
  #database: Promise<Database | undefined> | undefined;

  constructor(config: Config) {
    this.config = config;
  }

  /** File of the embedded database; undefined for a server. */
  get databaseFile(): string | undefined {
    const { url } = this.config.database;
    return url.startsWith('sqlite:') && url !== 'sqlite::memory:' ? url.slice('sqlite:'.length) : undefined;
  }

  /** Undefined while the embedded database was not made: looking must not make it. Throws `db_unavailable`. */
  database(): Promise<Database | undefined> {
    const file = this.databaseFile;
    const open = async () =>
      file !== undefined && !(await isThere(file))
        ? undefined
        : openDatabase({ url: this.config.database.url, poolSize: 2 });
    this.#database ??= open();
    return this.#database;
  }

  async close(): Promise<void> {
    await (await this.#database?.catch(() => undefined))?.close();
  }
}

/** In the order in which they are told. */
const checks: Readonly<Record<string, Check>> = {
  secret: async (scene) => [await checkSecret(scene.config, () => scene.database())],
  disk: checkDisk,
  database: checkDatabase,
  redis: checkRedis,
  clock: checkClock,
  port: checkPorts,
  files: ({ config }) => [checkFiles(config)],
  memory: () => [checkMemory()],
  zone: ({ config }) => {
    const time = new Intl.DateTimeFormat('sv-SE', { timeZone: config.site.time_zone, timeStyle: 'short' });
    return [ok(`${config.site.time_zone}, where it is ${time.format(new Date())}`)];
  },
};

/** Names of all checks. */
export const localChecks: readonly string[] = ['config', ...Object.keys(checks)];

/** Makes the named checks, in their own order; all of them without names. Never throws. */
export async function examineLocally(
  options: { config?: string; checks?: readonly string[] },
  environment: Environment,
): Promise<LocalFinding[]> {
  const names = localChecks.filter((name) => options.checks?.includes(name) ?? true);
  const began = performance.now();
  const reading = readConfig({ file: options.config, env: environment });
  const findings: LocalFinding[] = [];
  if (names.includes('config')) findings.push(...timed('config', began, configFindings(reading)));
  const rest = names.filter((name) => name !== 'config');
  if (reading.config === undefined) {
    const unknown = [skip('the configuration cannot be used')];
    return [...findings, ...rest.flatMap((name) => timed(name, performance.now(), unknown))];
  }
  const scene = new Scene(reading.config);
  try {
    for (const name of rest) {
      const startedAt = performance.now();
      findings.push(...timed(name, startedAt, (await checks[name]?.(scene)) ?? []));
    }
  } finally {
    await scene.close();
  }
  return findings;
}

function timed(check: string, startedAt: number, found: readonly Finding[]): LocalFinding[] {
  const ms = Math.round(performance.now() - startedAt);
  return found.map((one) => ({ check, ...one, ms }));
}

function configFindings({ config, problems, idle, unknown }: ConfigReading): Finding[] {
  if (config !== undefined) {
    const inVain = [...unknown, ...idle].map(({ path, message }) =>
      finding('warn', `${path}: ${message}`, '', 'tollgate config print'),
    );
    return [ok(unknown.length === 0 ? 'valid, no unknown key' : 'valid'), ...inVain];
  }
  return problems.map(({ path, message }) => finding('fail', `${path}: ${message}`, '', 'tollgate config check'));
}

/** Room where the data folder and the embedded database lie. */
async function checkDisk({ config, databaseFile }: Scene): Promise<Finding[]> {
  const places = new Set(
    [config.data_dir, ...(databaseFile === undefined ? [] : [dirname(databaseFile)])].map(existing),
  );
  return Promise.all(
    [...places].map(async (place): Promise<Finding> => {
      const check = `disk ${place}`;
      const { bavail, blocks, bsize } = await statfs(place);
      const percent = blocks === 0 ? 100 : (Number(bavail) / Number(blocks)) * 100;
      const free = `${percent.toFixed(0)} % free, ${Math.round((Number(bavail) * Number(bsize)) / mebibyte)} MiB`;
      if (percent >= 15) return ok(free, { check });
      return { check, ...finding(percent < 5 ? 'fail' : 'warn', free, 'at least 15 % free', 'tollgate log delete') };
    }),
  );
}

/** The folder, or the nearest one above it that there is. */
function existing(folder: string): string {
  let place = resolve(folder);
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return place;
}

async function checkDatabase(scene: Scene): Promise<Finding[]> {
  const { config } = scene;
  let database: Database | undefined;
  try {
    database = await scene.database();
    await database?.ping();
  } catch (error) {
    const reason = withForbiddenFile(whyNot(error), config.database.url);
    return [finding('fail', reason, 'a database that answers', 'tollgate config print')];
  }
  if (database === undefined)
    return [finding('warn', `${scene.databaseFile} was not made yet`, '', 'tollgate migrate')];
  const { version, connections } = await database.stores.serverFacts.read();
  const findings: Finding[] = [];
  if (connections === undefined) {
    findings.push(ok(`SQLite ${version}, write-ahead log`));
  } else {
    const wanted = config.database.pool_size * config.node.count * config.server.workers;
    const found = `PostgreSQL ${version}, ${connections.used} of ${connections.most} connections used`;
    const isEnough = wanted < connections.most;
    findings.push(
      isEnough
        ? ok(found)
        : finding(
            'fail',
            found,
            `more than the ${wanted} that the nodes may open`,
            `psql -c 'alter system set max_connections = ${wanted + 10}'`,
          ),
    );
  }
  const { pending, unknown } = await migrationStatus(database, migrations);
  const check = 'migrations';
  if (unknown.length > 0) {
    findings.push({
      check,
      ...finding('fail', `made by a newer program: ${unknown.join(', ')}`, '', 'tollgate version --check'),
    });
  } else if (pending.length > 0) {
    findings.push({ check, ...finding('warn', `${pending.length} have not run`, 'none', 'tollgate migrate') });
  } else {
    findings.push(ok('all have run', { check }), await checkWriting(database, config));
  }
  return findings;
}

/** How long a committed write takes; the row is cleared away like any other mark. */
async function checkWriting(database: Database, config: Config): Promise<Finding> {
  const check = 'database write';
  const began = performance.now();
  try {
    const nowSeconds = Math.floor(Date.now() / 1000);
    await database.stores.notices.mark('doctor', { count: writesOfWindow, seconds: 60 }, nowSeconds);
  } catch (error) {
    const reason = withForbiddenFile(whyNot(error), config.database.url);
    return { check, ...finding('fail', reason, 'a database that takes writes', '') };
  }
  const ms = performance.now() - began;
  const found = `${ms.toFixed(1)} ms`;
  if (ms < writeWarnsMs) return ok(found, { check });
  return { check, ...finding(ms < writeFailsMs ? 'warn' : 'fail', found, `below ${writeWarnsMs} ms`, '') };
}

interface RedisFacts {
  readonly version: string;
  readonly policy: string;
  readonly clockMs: number;
}

/** Undefined when Redis did not answer; `cause` says why. */
async function askRedis(config: Config): Promise<{ facts: RedisFacts | undefined; cause: unknown }> {
  let cause: unknown;
  const link = new RedisLink({ url: config.redis.url, report: (event) => (cause = event.cause ?? cause) });
  try {
    await link.start();
    const answer = await link.attempt((redis) => Promise.all([redis.info(), redis.time()]));
    if (answer === undefined) return { facts: undefined, cause };
    const [info, [seconds, microseconds]] = answer.value;
    const line = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
    const clockMs = Number(seconds) * 1000 + Number(microseconds) / 1000;
    return { facts: { version: line('redis_version'), policy: line('maxmemory_policy'), clockMs }, cause };
  } finally {
    await link.stop();
  }
}

async function checkRedis({ config }: Scene): Promise<Finding[]> {
  if (config.redis.url === '') {
    if (config.node.count * config.server.workers === 1) return [skip('not used')];
    return [finding('warn', 'not used', 'limits that all nodes share need it', 'set redis.url')];
  }
  const { facts, cause } = await askRedis(config);
  if (facts === undefined) {
    const found = cause === undefined ? 'not reached' : whyNot(cause);
    return [finding('fail', found, 'a Redis that answers', 'tollgate config print')];
  }
  const found = `Redis ${facts.version}${facts.policy === '' ? '' : `, ${facts.policy}`}`;
  if (!facts.policy.startsWith('allkeys')) return [ok(found)];
  // A full server would forget leases and counters that are in use.
  return [
    finding(
      'warn',
      found,
      'noeviction, or a policy for keys that expire',
      'redis-cli config set maxmemory-policy noeviction',
    ),
  ];
}

async function checkClock(scene: Scene): Promise<Finding[]> {
  const against: (readonly [string, () => Promise<number | undefined>])[] = [
    ['database', async () => (await (await scene.database())?.stores.serverFacts.read())?.clockMs],
    ['redis', async () => (scene.config.redis.url === '' ? undefined : (await askRedis(scene.config)).facts?.clockMs)],
  ];
  const findings: Finding[] = [];
  for (const [name, read] of against) {
    const check = `clock ${name}`;
    const began = Date.now();
    const theirs = await read().catch(() => undefined);
    if (theirs === undefined) {
      findings.push(skip('no clock of its own, or not reached', { check }));
      continue;
    }
    // It was read at some moment between asking and now.
    const ended = Date.now();
    const apart = theirs < began ? began - theirs : theirs > ended ? theirs - ended : 0;
    const found = `${(apart / 1000).toFixed(1)} s apart`;
    const isClose = apart < clockWarnsMs;
    findings.push(
      isClose
        ? ok(found, { check })
        : { check, ...finding(apart < clockFailsMs ? 'warn' : 'fail', found, 'below 1 s', 'timedatectl set-ntp true') },
    );
  }
  return findings;
}

async function checkPorts({ config }: Scene): Promise<Finding[]> {
  const wanted = [
    ['port', config.listen],
    ['port metrics', config.metrics.listen],
  ] as const;
  const isRunning = await isDataFolderClaimed(config.data_dir);
  const findings: Finding[] = [];
  for (const [check, address] of wanted) {
    if (address === null) continue;
    const place = `${address.host}:${address.port}`;
    const refused = address.port === 0 ? undefined : await refusalOf(address);
    if (refused === undefined) findings.push(ok(address.port === 0 ? 'any free port' : `${place} is free`, { check }));
    else if (refused === 'EADDRINUSE' && isRunning)
      findings.push(ok(`${place}, taken by the daemon that runs`, { check }));
    else
      findings.push({
        check,
        ...finding('fail', `${place}: ${refused}`, 'an address that can be listened on', 'tollgate serve --listen'),
      });
  }
  return findings;
}

/** Why nobody can listen there now; undefined when one can. */
function refusalOf({ host, port }: ListenAddress): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)));
  });
}

/** Each call has a socket of its client and one to its vendor. */
function checkFiles(config: Config): Finding {
  const most = openFileLimit();
  if (most === undefined) return skip('told on Linux alone');
  const needed = 2 * config.relay.max_concurrent + 256;
  const found = `${Number.isFinite(most) ? most : 'unlimited'} open files`;
  if (most >= needed) return ok(found);
  const expected = `${needed}, for ${config.relay.max_concurrent} calls at once`;
  return finding(most < 1024 ? 'fail' : 'warn', found, expected, `ulimit -n ${needed}`);
}

function checkMemory(): Finding {
  const available = availableMemory();
  const heap = getHeapStatistics().heap_size_limit;
  const found = `${Math.round(available / mebibyte)} MiB, heap up to ${Math.round(heap / mebibyte)} MiB`;
  if (available < 256 * mebibyte) return finding('fail', found, 'at least 512 MiB', '');
  if (available < 512 * mebibyte) return finding('warn', found, 'at least 512 MiB', '');
  if (heap <= available) return ok(found);
  return finding(
    'warn',
    found,
    'a heap that fits into the memory',
    `NODE_OPTIONS=--max-old-space-size=${Math.round((available * 0.75) / mebibyte)}`,
  );
}
