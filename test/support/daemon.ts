/** A whole daemon on a free port with a database of its own, set up and driven through its own API. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../daemon/composition/foundation.ts';
import { loadConfig } from '../../daemon/config/load.ts';
import { type Client, createClient } from '../../daemon/contract/client.ts';
import type { ConsoleFiles } from '../../daemon/http/console-files.ts';
import { builtConsole, type Daemon, startDaemon } from '../../daemon/main.ts';
import { createLogger } from '../../daemon/telemetry/logger.ts';
import { signedIn } from './api-browser.ts';
import { testDatabaseUrl, testRedisUrl } from './servers.ts';

export interface TestDaemon {
  readonly url: string;
  readonly daemon: Daemon;
  /** The typed client, signed in as root with an access token once `setUp` has run. */
  readonly root: Client;
  /** Root's access token. */
  readonly accessToken: string;
  readonly databaseUrl: string;
  /** Log lines so far. */
  readonly log: string[];
  /** A client with another credential. */
  client(accessToken: string | undefined): Client;
  /** Makes a channel of type OpenAI; returns its id. */
  addChannel(fields: { base_url: string; models: string; [name: string]: unknown }): Promise<number>;
  /** Makes a relay key; returns it with `sk-`. */
  addKey(fields?: Readonly<Record<string, unknown>>): Promise<string>;
  stop(): Promise<void>;
}

export interface TestDaemonOptions {
  /** Values by path of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Another daemon's database; by default a fresh one. */
  readonly databaseUrl?: string;
  readonly dataDir?: string;
  /** Clocks that the daemon goes by. */
  readonly clock?: Clock;
  /** False leaves the setup to the test: nobody is signed in, and `root` has no credential. */
  readonly isSetUp?: boolean;
  /** Options to set after setup. */
  readonly options?: Readonly<Record<string, string>>;
}

export const rootPassword = 'a root password';

/** Read once, as a daemon does: a thousand files are a quarter of what it needs to start. */
let pages: ConsoleFiles | undefined;

/** Starts a daemon and runs its setup; a database that is set up already is signed into. */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const place = options.databaseUrl === undefined ? await testDatabaseUrl() : undefined;
  const folder = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tollgate-daemon-'));
  const log: string[] = [];
  const unlimited = { 'limits.global_api.enabled': false, 'limits.critical.enabled': false };
  const redisUrl = testRedisUrl();
  const config = loadConfig({
    env: {},
    overrides: {
      listen: '127.0.0.1:0',
      data_dir: folder,
      'database.url': options.databaseUrl ?? place?.url,
      ...(redisUrl === undefined ? {} : { 'redis.url': redisUrl, 'redis.key_prefix': `${folder.slice(-6)}:` }),
      secret: 'a root secret for tests of the whole daemon',
      'security.egress_allow': ['127.0.0.0/8'],
      'relay.shutdown_grace_seconds': 5,
      ...unlimited,
      ...options.config,
    },
  });
  pages ??= builtConsole();
  const daemon = await startDaemon(config, {
    pages,
    log: createLogger({ level: config.log.level, write: (line) => log.push(line) }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const { url } = daemon;
  const accessToken =
    options.isSetUp === false
      ? ''
      : await rootToken(url, config.security.fresh_proof_for_administration ? 'asked' : 'not-asked');
  const client = (token: string | undefined) =>
    createClient({ baseUrl: url, retries: 0, credentials: () => ({ accessToken: token }) });
  const root = client(accessToken);
  for (const [key, value] of Object.entries(options.options ?? {})) await root.options.set({ key, value });
  return {
    url,
    daemon,
    root,
    accessToken,
    databaseUrl: config.database.url,
    log,
    client,
    async addChannel(fields) {
      const created = await root.channels.create({
        type: 1,
        name: 'test',
        key: 'sk-upstream-key',
        group: 'default',
        ...fields,
      });
      return 'items' in created ? (created.ids[0] ?? 0) : created.id;
    },
    async addKey(fields = {}) {
      const created = await root.tokens.create({ name: 'test', expired_time: -1, unlimited_quota: true, ...fields });
      return `sk-${created.key}`;
    },
    async stop() {
      await daemon.stop();
      await place?.drop();
      if (options.dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function rootToken(url: string, proof: 'asked' | 'not-asked'): Promise<string> {
  const root = { username: 'root', password: rootPassword };
  const { setup } = createClient({ baseUrl: url, retries: 0 });
  if (!(await setup.get()).status) await setup.submit({ ...root, confirmPassword: rootPassword });
  const session = await signedIn(url, root);
  if (proof === 'asked') {
    await session.stepUp.prove({ action: 'account', method: 'password', password: rootPassword });
  }
  return session.account.issueToken();
}
