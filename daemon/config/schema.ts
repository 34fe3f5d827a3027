/**
 * What the process must know before it can open the database. This room reads `config.yaml` and the environment once and
 * hands on one frozen value; it knows nothing of HTTP or SQL. Here every key is declared: path, environment name,
 * default, type and meaning. What an operator changes while the daemon runs is an option, in `contract/options.ts`.
 */
import {
  addressRange,
  databaseUrl,
  nodeName,
  notEmpty,
  optionalDatabaseUrl,
  optionalRedisUrl,
  rootSecret,
} from './checks.ts';
import {
  address,
  type ConfigKey,
  choice,
  integer,
  list,
  listenAddress,
  optionalListenAddress,
  secret,
  text,
} from './key.ts';
import { limitKeys, securityKeys, siteKeys } from './schema-management.ts';
import { jobKeys, relayKeys } from './schema-relay.ts';

/** The file of the embedded database inside the data folder. */
export const embeddedDatabaseFile = 'tollgate.db';

export const configKeys = {
  listen: listenAddress({
    environment: ['TOLLGATE_LISTEN'],
    default: { host: '0.0.0.0', port: 3000 },
    meaning:
      'Address and port to listen on; until set-up is done, only this machine or the holder of the set-up token gets in',
  }),
  data_dir: text({
    environment: ['TOLLGATE_DATA_DIR'],
    default: './data',
    check: notEmpty,
    meaning: 'Folder of the embedded database, the generated secret and the journal; never shared by two processes',
  }),
  secret: secret({
    environment: ['TOLLGATE_SECRET', 'CRYPTO_SECRET', 'SESSION_SECRET'],
    default: '',
    check: rootSecret,
    meaning:
      'Root of all keys that sign and seal; when empty, one is made in the data folder. Must be set with several nodes',
  }),
  trusted_proxies: list({
    environment: ['TRUSTED_PROXIES'],
    default: [],
    check: addressRange,
    meaning: 'Proxies whose X-Forwarded-For is believed, as addresses or ranges',
  }),
  server: {
    workers: integer({
      environment: ['TOLLGATE_WORKERS'],
      default: 1,
      min: 1,
      max: 64,
      meaning: 'Processes that share this address, each a node by itself; more than 1 needs PostgreSQL',
    }),
  },
  database: {
    url: address({
      environment: ['TOLLGATE_DATABASE_URL'],
      default: `sqlite:./data/${embeddedDatabaseFile}`,
      check: databaseUrl,
      meaning:
        'sqlite:PATH or postgres://user:password@host:port/name, encrypted with ?sslmode=verify-full (&sslrootcert=FILE); by default a file in the data folder',
    }),
    pool_size: integer({
      environment: ['TOLLGATE_DATABASE_POOL_SIZE'],
      default: 10,
      min: 2,
      max: 500,
      meaning: 'Connections that this node opens to PostgreSQL',
    }),
    log_url: address({
      environment: ['LOG_SQL_DSN'],
      default: '',
      check: optionalDatabaseUrl,
      meaning: 'Database that receives a copy of the log rows',
      idle: 'log rows stay beside the balances they belong to; a copy elsewhere is not written yet',
    }),
  },
  redis: {
    url: address({
      environment: ['TOLLGATE_REDIS_URL', 'REDIS_CONN_STRING'],
      default: '',
      check: optionalRedisUrl,
      meaning: 'redis://user:password@host:port/number; when empty, each process counts by itself',
    }),
    key_prefix: text({
      environment: ['TOLLGATE_REDIS_KEY_PREFIX'],
      default: '',
      meaning:
        'Prefix of every Redis key, for a Redis that several installations share; a Redis in cluster mode needs it in braces, as {tollgate}, and one shard',
    }),
  },
  node: {
    id: text({
      environment: ['TOLLGATE_NODE_ID', 'NODE_NAME'],
      check: nodeName,
      default: '',
      meaning: 'Name of this node, different on each; when empty, one is made and kept in the data folder',
    }),
    type: choice({
      environment: ['NODE_TYPE'],
      of: ['master', 'slave'],
      default: 'master',
      meaning: 'slave leaves tests and balances of channels, and the follow-up of drawings and songs, to others',
    }),
    count: integer({
      environment: ['TOLLGATE_NODE_COUNT'],
      default: 1,
      min: 1,
      max: 1000,
      meaning: 'How many nodes share the database; with more than 1 the secret must be set',
    }),
  },
  log: {
    level: choice({
      environment: ['TOLLGATE_LOG_LEVEL'],
      of: ['debug', 'info', 'warn', 'error', 'silent'],
      default: 'info',
      meaning: 'Least severe level that is written',
    }),
  },
  metrics: {
    listen: optionalListenAddress({
      environment: ['TOLLGATE_METRICS_LISTEN'],
      meaning:
        'Address and port of GET /metrics for Prometheus, apart from what callers reach; when empty, no metrics are served',
    }),
  },
  site: siteKeys,
  security: securityKeys,
  relay: relayKeys,
  jobs: jobKeys,
  limits: limitKeys,
};

/** The values of a tree of keys, by the same names. */
type ValuesOf<T> = {
  readonly [K in keyof T]: T[K] extends ConfigKey<infer V> ? V : ValuesOf<T[K]>;
};

/** The whole configuration, frozen. */
export type Config = ValuesOf<typeof configKeys>;

/** A limit of `count` calls within `seconds`. */
