/**
 * The lower half of the daemon: what everything else stands on, opened in order and closed in reverse.
 * Composition files know every room and hold no logic beyond configuration.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { expectSecretFits } from '../archive/database-source.ts';
import { type Closing, closeInTurn, endsWithin } from '../close-in-turn.ts';
import { type Bus, RevisionBus } from '../cluster/bus.ts';
import type { Counters } from '../cluster/counters.ts';
import { type Leases, MemoryLeases, RedisLeases } from '../cluster/leases.ts';
import { MemoryCounters } from '../cluster/memory-counters.ts';
import type { RedisLink } from '../cluster/redis.ts';
import { RedisCounters } from '../cluster/redis-counters.ts';
import { claimDataFolder, makeFolder } from '../config/data-folder.ts';
import type { Config } from '../config/schema.ts';
import { resolveRootSecret } from '../config/secret-file.ts';
import { createKeyring, type Keyring } from '../config/secrets.ts';
import { NodePresence } from '../domain/node-presence.ts';
import { shippedOptionDefaults } from '../domain/options.ts';
import { Identities } from '../snapshots/identities.ts';
import { Snapshots } from '../snapshots/snapshots.ts';
import { snapshotSource } from '../snapshots/source.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type News, openNews } from './news.ts';
import { databaseLine, redisLines, type StartLine, secretLine } from './start-lines.ts';
import { workersTransport } from './workers.ts';

/** Clocks; tests bring their own. */
export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

export interface Foundation {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly nowSeconds: () => number;
  readonly keyring: Keyring;
  readonly database: Database;
  readonly bus: Bus;
  readonly counters: Counters;
  readonly leases: Leases;
  /** What nodes tell each other and may forget. */
  readonly news: News;
  readonly snapshots: Snapshots;
  readonly identities: Identities;
  readonly redis: () => 'off' | 'connected' | 'lost';
  /** Names this process among all that ever ran on the database. */
  readonly nodeId: string;
  readonly presence: NodePresence;
  /** This process's own part of the data folder. */
  readonly folder: string;
  /** Folder for large files of requests under way. */
  readonly uploads: string;
  /** One line per dependency: what is used, or not, and why. */
  readonly lines: readonly StartLine[];
  stop(): Promise<void>;
}

interface Redis {
  readonly link: RedisLink | undefined;
  readonly counters: Counters;
  readonly leases: Leases;
  readonly line: StartLine;
}

async function openRedis(config: Config, log: Logger, clock: Clock): Promise<Redis> {
  const memory = new MemoryCounters({ now: clock.monotonic });
  const memoryLeases = new MemoryLeases(clock.monotonic);
  if (config.redis.url === '') {
    return {
      link: undefined,
      counters: memory,
      leases: memoryLeases,
      line: redisLines.unset,
    };
  }
  // Loaded only where it is wanted, to keep the start short.
  const { RedisLink: Link } = await import('../cluster/redis.ts');
  const link = new Link({
    url: config.redis.url,
    prefix: `${config.redis.key_prefix}tollgate:`,
    report: ({ state, cause }) =>
      state === 'lost'
        ? log.warn({ cause }, 'redis is away; this node counts by itself until it is back')
        : log.info({}, 'redis is connected'),
  });
  await link.start();
  const newToken = () => randomBytes(12).toString('hex');
  return {
    link,
    counters: new RedisCounters({ link, fallback: memory, newMember: newToken }),
    leases: new RedisLeases({ link, fallback: memoryLeases, newToken }),
    line: link.ready ? redisLines.connected : redisLines.unreached,
  };
}

function openConfigured({ database: { url, pool_size: poolSize } }: Config): Promise<Database> {
  if (url.startsWith('sqlite:') && url !== 'sqlite::memory:') {
    makeFolder(dirname(url.slice('sqlite:'.length)));
  }
  return openDatabase({ url, poolSize });
}

/** Returns what the start says of it. */
async function bringUpToDate(database: Database, { database: { url } }: Config, log: Logger): Promise<StartLine> {
  const onLong = (migration: string) => log.info({ migration }, 'a migration takes long; the start waits for it');
  const ran = await migrate(database, migrations, { onLong });
  return databaseLine(database.engine === 'sqlite' ? url : 'postgres', ran.length);
}

export interface Ground {
  readonly log: Logger;
  readonly clock: Clock;
  /** This process's own part of the data folder. */
  readonly folder: string;
}

/** What other nodes are told, and what is read of them, is not waited for where the database has fallen silent. */
async function endsSoon(work: Promise<void>): Promise<void> {
  await endsWithin(work, 1000);
}

/** Opens everything. What was opened is closed again when a later step fails. */
export async function openFoundation(config: Config, { log, clock, folder }: Ground): Promise<Foundation> {
  const closing: Closing[] = [];
  const stop = () =>
    closeInTurn(closing.toReversed(), (part, error) =>
      log.error({ part, err: error }, 'a part of the foundation could not be closed in order'),
    );
  try {
    const dataFolder = await claimDataFolder(folder);
    closing.push(['the data folder', () => dataFolder.release()]);
    const secret = resolveRootSecret(config);
    const keyring = createKeyring(secret.value);
    const database = await openConfigured(config);
    closing.push(['the database', () => database.close()]);
    const line = await bringUpToDate(database, config, log);
    // Relay keys would be unknown and channels without keys: every call would fail, as if callers were to blame.
    await expectSecretFits(database.stores, keyring, 'first-rows').catch((error: unknown) => {
      // Left behind, it would look like the one that was lost.
      if (secret.origin === 'created' && secret.path !== undefined) rmSync(secret.path);
      throw error;
    });
    const redis = await openRedis(config, log, clock);
    closing.push(['redis', () => redis.link?.stop()]);
    const bus = new RevisionBus({
      readRevisions: () => database.stores.revisions.byTopic(),
      transport: redis.link?.transport() ?? workersTransport(),
      report: ({ topic, cause }) =>
        log.warn({ topic, cause }, 'a change could not be taken in; it will be tried again'),
    });
    await bus.start();
    closing.push(['what other nodes change', () => endsSoon(bus.stop())]);
    const nowSeconds = () => Math.floor(clock.now() / 1000);
    const news = await openNews({
      redis: redis.link,
      database,
      bus,
      nowSeconds,
      monotonic: clock.monotonic,
      report: (cause) => log.warn({ err: cause }, 'the other nodes were not told of pauses and uses of keys'),
    });
    closing.push(['what other nodes are told', () => endsSoon(news.stop())]);
    const snapshots = new Snapshots({
      source: snapshotSource(database),
      bus,
      unseal: (context, sealed) => keyring.open(context, sealed),
      optionDefaults: shippedOptionDefaults(),
      report: (problem) => log.warn({ problem }, 'something stored could not be read'),
      syncSeconds: config.jobs.sync_frequency_seconds,
    });
    await snapshots.start();
    closing.push(['snapshots', () => snapshots.stop()]);
    const identities = new Identities({
      findToken: (hash) => database.stores.tokens.findByKeyHash(hash),
      findUser: (id) => database.stores.users.find(id),
      bus,
      now: clock.monotonic,
    });
    identities.start();
    closing.push(['identities', () => identities.stop()]);
    return {
      config,
      log,
      clock,
      nowSeconds,
      keyring,
      database,
      bus,
      counters: redis.counters,
      leases: redis.leases,
      news,
      snapshots,
      identities,
      redis: () => (redis.link === undefined ? 'off' : redis.link.ready ? 'connected' : 'lost'),
      nodeId: config.node.id === '' ? dataFolder.nodeId : config.node.id,
      presence: new NodePresence({
        nodes: database.stores.nodes,
        now: clock.monotonic,
        shared: (name) => log.error({ node: name }, 'another process has the name of this node; give each its node.id'),
      }),
      folder,
      uploads: dataFolder.uploads,
      lines: [line, redis.line, secretLine(secret.origin, secret.path)],
      stop,
    };
  } catch (error) {
    // What could not be closed is in the log; why nothing was opened is what the caller is told.
    await stop().catch(() => undefined);
    throw error;
  }
}
