/**
 * A gateway with real parts around it: SQLite, ledger, transport and an HTTP server on a free port. Channels and options
 * are given as values and can be exchanged while it runs.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { MemoryCounters } from '../../daemon/cluster/memory-counters.ts';
import type { OptionValues } from '../../daemon/contract/options.ts';
import { CacheAffinity, ResponseAffinity } from '../../daemon/domain/affinity.ts';
import { BudgetBook } from '../../daemon/domain/budget-book.ts';
import { BudgetPeriods } from '../../daemon/domain/budget-periods.ts';
import { ChannelCooling } from '../../daemon/domain/channel-cooling.ts';
import { ChannelHealth, type ChannelHealthDeps } from '../../daemon/domain/channel-health.ts';
import { KeyLimits } from '../../daemon/domain/key-limits.ts';
import { Ledger } from '../../daemon/domain/ledger.ts';
import { shippedOptionDefaults } from '../../daemon/domain/options.ts';
import { RateLimits } from '../../daemon/domain/rate-limits.ts';
import type { Settlement } from '../../daemon/domain/settlement.ts';
import { UsageLog } from '../../daemon/domain/usage-log.ts';
import type { RequestLimits } from '../../daemon/gateway/admit.ts';
import { ChannelLoad } from '../../daemon/gateway/channel-load.ts';
import { createGateway, type Gateway, type GatewayConfig } from '../../daemon/gateway/gateway.ts';
import { RequestIds } from '../../daemon/gateway/request-id.ts';
import { sensitiveWordFilter, type WordHit } from '../../daemon/gateway/word-filter.ts';
import { TrustedProxies } from '../../daemon/http/middleware/client-address.ts';
import { tellQueuedAnswers } from '../../daemon/http/queued-answers.ts';
import { createUpgradeListener } from '../../daemon/http/routes/realtime.ts';
import { createRelayListener } from '../../daemon/http/routes/relay.ts';
import { serverOptions } from '../../daemon/http/server-options.ts';
import { ChannelIndexImage } from '../../daemon/snapshots/channel-index.ts';
import type { ChannelView } from '../../daemon/snapshots/channel-view.ts';
import { Identities } from '../../daemon/snapshots/identities.ts';
import type { Snapshot } from '../../daemon/snapshots/snapshots.ts';
import type { ChannelKeyLimits } from '../../daemon/store/channel-keys.ts';
import type { ChannelRecord } from '../../daemon/store/channels.ts';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import type { LogRecord } from '../../daemon/store/logs.ts';
import type { TokenRecord } from '../../daemon/store/tokens.ts';
import type { UserRecord } from '../../daemon/store/users.ts';
import { AwsSigner } from '../../daemon/upstream/auth/aws.ts';
import { GoogleSigner } from '../../daemon/upstream/auth/google.ts';
import { Credentials, type Signer } from '../../daemon/upstream/auth/index.ts';
import { TencentTc3 } from '../../daemon/upstream/auth/tencent-tc3.ts';
import { TokenCache } from '../../daemon/upstream/auth/token-cache.ts';
import { Transport } from '../../daemon/upstream/transport.ts';
import { channelView } from './channel-records.ts';
import { migratedFileIn } from './migrated.ts';
import { optionsView } from './options-view.ts';
import { onFailedCount, sharedTokenCounter } from './shared-token-counter.ts';
import { type TestTasks, testTasks } from './task-parts.ts';
import { downloadsOf, type TestDownloads } from './test-downloads.ts';
import { until } from './until.ts';
import { createWorkspace } from './workspace.ts';

type Disabling = Parameters<ChannelHealthDeps['channelSwitch']['disable']>[0];

/** A channel with its keys. */
export interface HarnessChannel extends Partial<ChannelRecord> {
  readonly keys?: readonly string[];
  /** Of each of its keys. */
  readonly limits?: ChannelKeyLimits;
  /** Of each of its keys, which are enabled by themselves. */
  readonly keyStatus?: 1 | 2 | 3;
}

export interface HarnessOptions {
  readonly channels: readonly HarnessChannel[];
  readonly options?: OptionValues;
  readonly user?: Partial<UserRecord>;
  readonly token?: Partial<TokenRecord>;
  readonly config?: Partial<GatewayConfig>;
  readonly limits?: RequestLimits;
  /** Files that requests and answers name by address; none by default. */
  readonly downloads?: TestDownloads;
  /** Of schemes that trade a key first, or of one vendor alone. */
  readonly signers?: Readonly<Record<string, Signer>>;
  /** Told of every settlement that is in the books. */
  readonly settled?: (settlement: Settlement) => void;
  /** Milliseconds by which keys and pauses of channels age; those of the process by default. */
  readonly monotonic?: () => number;
}

/** A key of 48 characters that nobody else has. */
export function testKey(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 48);
}

/** No token is traded for in these tests. */
const nobody = () => Promise.reject(new Error('no token server'));

const noLimits: RequestLimits = { take: () => undefined, takeQuestion: () => undefined };

export class GatewayHarness {
  readonly url: string;
  readonly key: string;
  readonly database: Database;
  readonly ledger: Ledger;
  readonly gateway: Gateway;
  readonly health: ChannelHealth;
  /** What was to be disabled, in order. */
  readonly disabled: Disabling[];
  readonly reports: unknown[];
  /** Refused prompts, as the administrator's log gets them. */
  readonly wordHits: readonly WordHit[];
  readonly databaseUrl: string;
  /** The world that the next request sees. */
  view: Snapshot;
  /** Work that goes on after its answer. */
  readonly tasks: TestTasks;
  readonly #stop: () => Promise<void>;

  private constructor(parts: {
    url: string;
    key: string;
    database: Database;
    ledger: Ledger;
    gateway: Gateway;
    health: ChannelHealth;
    disabled: Disabling[];
    reports: unknown[];
    wordHits: readonly WordHit[];
    databaseUrl: string;
    view: Snapshot;
    tasks: TestTasks;
    stop: () => Promise<void>;
  }) {
    this.url = parts.url;
    this.key = parts.key;
    this.database = parts.database;
    this.ledger = parts.ledger;
    this.gateway = parts.gateway;
    this.health = parts.health;
    this.disabled = parts.disabled;
    this.reports = parts.reports;
    this.wordHits = parts.wordHits;
    this.databaseUrl = parts.databaseUrl;
    this.view = parts.view;
    this.tasks = parts.tasks;
    this.#stop = parts.stop;
  }

  static async start(wanted: HarnessOptions): Promise<GatewayHarness> {
    const workspace = createWorkspace();
    const { folder } = workspace;
    const databaseUrl = await migratedFileIn(workspace);
    const database = await openDatabase({ url: databaseUrl });
    const key = testKey('first');
    await seed(database, wanted, key);
    const reports: unknown[] = [];
    const disabled: Disabling[] = [];
    const wordHits: WordHit[] = [];
    const options = optionsView({ ...shippedOptionDefaults(), ...wanted.options });
    const monotonic = wanted.monotonic ?? (() => performance.now());
    const identities = new Identities({
      findToken: (hash) => database.stores.tokens.findByKeyHash(hash),
      findUser: (id) => database.stores.users.find(id),
      bus: { onChange: () => () => undefined },
      now: monotonic,
    });
    const ledger = new Ledger({
      database,
      node: 'test',
      dataDir: folder,
      now: Date.now,
      report: (event) => reports.push(event),
      formatQuota: String,
      language: 'en',
      ...(wanted.settled ? { settled: wanted.settled } : {}),
    });
    await ledger.start();
    const health = new ChannelHealth({
      options: () => harness.view.options,
      cooling: new ChannelCooling({ now: monotonic, options: () => harness.view.options }),
      channelSwitch: {
        disable: async (target) => {
          disabled.push(target);
          return true;
        },
      },
      database,
      now: monotonic,
      nowSeconds: () => Math.floor(Date.now() / 1000),
      report: (error) => reports.push(error),
    });
    const transport = new Transport({ guard: { allow: [], channelAllowPrivate: true } });
    const stopHearing = onFailedCount((error) => reports.push(error));
    const signers = new Map<string, Signer>([
      ['aws', new AwsSigner(Date.now)],
      ['tencent-tc3', new TencentTc3(Date.now)],
      ['google', new GoogleSigner({ call: nobody, tokens: new TokenCache(monotonic), now: Date.now })],
      ...Object.entries(wanted.signers ?? {}),
    ]);
    const credentials = new Credentials(signers);
    const config = { ...defaultConfig, forms: { ...formLimits, folder }, ...wanted.config };
    const { timeouts, version, maxRequestBodyBytes: maxBodyBytes } = config;
    const upstreams = { transport, credentials, timeouts, version, maxBodyBytes, view: () => harness.view };
    const tasks = testTasks(database, upstreams, (error) => reports.push(error));
    const gateway = createGateway({
      config,
      view: () => harness.view,
      identities,
      tokenHash: hashOf,
      markToken: () => undefined,
      ledger,
      usageLog: new UsageLog({ language: 'en' }),
      health,
      cacheAffinity: new CacheAffinity(monotonic),
      load: new ChannelLoad(),
      responseAffinity: new ResponseAffinity({ now: monotonic, ttlSeconds: 3600 }),
      limits: wanted.limits ?? noLimits,
      rates: new RateLimits({ counters: new MemoryCounters({ now: monotonic }) }),
      keyLimits: new KeyLimits({ counters: new MemoryCounters({ now: monotonic }), now: monotonic }),
      budgets: new BudgetBook({
        store: database.stores.budgets,
        node: 'test',
        periods: new BudgetPeriods('UTC'),
        now: Date.now,
        monotonic,
        formatQuota: String,
        report: (error) => reports.push(error),
      }),
      words: sensitiveWordFilter(
        (hit) => wordHits.push(hit),
        (error) => reports.push(error),
      ),
      transport,
      credentials,
      drawings: tasks.drawings,
      drawingHooks: tasks.drawingHooks,
      songs: tasks.songs,
      lostTask: tasks.lostTask,
      downloads: downloadsOf(wanted.downloads),
      tokens: sharedTokenCounter,
      groupWithoutRatio: (group) => reports.push(`no ratio: ${group}`),
      report: (error) => reports.push(error),
      now: Date.now,
      random: Math.random,
    });
    const listener = createRelayListener({ gateway, trustedProxies: new TrustedProxies([]), ids: new RequestIds() });
    const server = createServer(serverOptions, (request, response) => {
      if (!listener(request, response)) response.writeHead(418).end();
    });
    tellQueuedAnswers(server);
    server.on(
      'upgrade',
      createUpgradeListener({ gateway, trustedProxies: new TrustedProxies([]), ids: new RequestIds() }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const harness = new GatewayHarness({
      url: `http://127.0.0.1:${port}`,
      key,
      database,
      ledger,
      gateway,
      health,
      disabled,
      reports,
      wordHits,
      databaseUrl,
      view: { revision: 1, options, channels: indexOf(wanted.channels), setupDone: true },
      tasks,
      stop: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await ledger.stop();
        stopHearing();
        await transport.destroy();
        await database.close();
        workspace.remove();
      },
    });
    return harness;
  }

  /** Sees other options from the next request on. */
  setOptions(options: OptionValues): void {
    this.view = {
      ...this.view,
      revision: this.view.revision + 1,
      options: optionsView({ ...shippedOptionDefaults(), ...options }),
    };
  }

  /** Sees other channels from the next request on. */
  setChannels(channels: readonly HarnessChannel[]): void {
    this.view = { ...this.view, revision: this.view.revision + 1, channels: indexOf(channels) };
  }

  /** A POST with the harness's key. */
  post(
    path: string,
    body: unknown,
    init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer sk-${this.key}`, ...init.headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    });
  }

  /** The newest log rows, in the order in which they were written, once everything pending is in the books. */
  async rows(most = 1000): Promise<(LogRecord & { facts: Record<string, unknown> })[]> {
    await this.settled();
    const page = await this.database.stores.logs.list({}, { offset: 0, limit: most });
    return page.items.reverse().map((row) => ({ ...row, facts: JSON.parse(row.other) }));
  }

  /** Resolves when no request runs and everything is in the books. */
  async settled(): Promise<void> {
    await until(() => this.gateway.running === 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await this.ledger.drain();
  }

  /** The calling user, once everything pending is in the books. */
  async user(): Promise<UserRecord> {
    await this.settled();
    const user = await this.database.stores.users.find(1);
    if (user === undefined) throw new Error('the user is gone');
    return user;
  }

  async stop(): Promise<void> {
    await this.#stop();
  }
}

const formLimits = { maxBytes: 8 * 1024 * 1024, maxImageBytes: 4 * 1024 * 1024, maxAudioBytes: 4 * 1024 * 1024 };

const defaultConfig: Omit<GatewayConfig, 'forms'> = {
  maxRequestBodyBytes: 128 * 1024 * 1024,
  maxHeldBytes: 1024 * 1024 * 1024,
  maxHeldBytesPerUser: 1024 * 1024 * 1024,
  realtimeMaxMs: 3_600_000,
  maxConcurrent: 5000,
  retryMaxMs: 60_000,
  streamWriteTimeoutMs: 120_000,
  errorLogEnabled: true,
  logLanguage: 'en',
  forceStreamUsage: true,
  maxImages: 16,
  countsMedia: { streamed: false, whole: false },
  version: '0.0.0',
  timeouts: { connectMs: 5000, headersMs: 0, firstTokenMs: 0, idleMs: 300_000, answerMaxMs: 0 },
};

/** The look-up form that the harness uses. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function indexOf(channels: readonly HarnessChannel[]): ChannelIndexImage {
  const views = new Map<number, ChannelView>();
  for (const [index, { keys, limits, keyStatus = 1, ...channel }] of channels.entries()) {
    const id = channel.id ?? index + 1;
    const view = channelView({ ...channel, id }, keys);
    views.set(id, { ...view, keys: view.keys.map((key) => ({ ...key, limits, status: keyStatus })) });
  }
  return ChannelIndexImage.empty().with(views);
}

async function seed(database: Database, wanted: HarnessOptions, key: string): Promise<void> {
  const { quota = 100_000_000, ...user } = wanted.user ?? {};
  await database.transaction(async (stores) => {
    await stores.users.insert({ username: 'caller', createdAt: 0, status: 1, role: 1, group: 'default', ...user });
    await stores.tokens.insert({
      userId: 1,
      keyHash: hashOf(key),
      keySealed: '',
      keyHint: 'test',
      name: 'test',
      createdTime: 0,
      expiredTime: -1,
      unlimitedQuota: true,
      modelLimitsEnabled: false,
      modelLimits: '',
      allowIps: '',
      group: '',
      ...wanted.token,
    });
    for (const [index, { keys: _, keyStatus: __, ...channel }] of wanted.channels.entries()) {
      await stores.channels.insert({ type: 1, name: `channel ${index + 1}`, createdTime: 0, ...channel });
    }
    await stores.ledger.debitUsers([{ id: 1, amount: -quota }]);
    const remain = wanted.token?.remainQuota ?? 0;
    if (remain > 0) await stores.ledger.setTokenQuota({ id: 1, userId: 1, remain });
  });
}
