/** The relay half: money, health and affinity around the gateway, and the listener that stands before everything else. */

import { randomUUID } from 'node:crypto';
import { heldBytesOf, heldBytesPerUserOf } from '../config/available-memory.ts';
import { CacheAffinity, ResponseAffinity } from '../domain/affinity.ts';
import { formatAffinityNews, GatheredAffinity, parseAffinityNews } from '../domain/affinity-news.ts';
import { BudgetBook } from '../domain/budget-book.ts';
import { BudgetPeriods } from '../domain/budget-periods.ts';
import { ChannelCooling, formatCoolingNews, parseCoolingNews } from '../domain/channel-cooling.ts';
import { ChannelHealth } from '../domain/channel-health.ts';
import type { ChannelProbe } from '../domain/channel-probe.ts';
import { ChannelSwitch } from '../domain/channel-switch.ts';
import { CoolingEnds } from '../domain/cooling-ends.ts';
import { KeyLimits } from '../domain/key-limits.ts';
import { formatKeyUses, parseKeyUses } from '../domain/key-uses.ts';
import { Ledger } from '../domain/ledger.ts';
import { ModelRequestLimits } from '../domain/limits.ts';
import { LogContentQueue } from '../domain/log-content.ts';
import { quotaText } from '../domain/quota-text.ts';
import { RateLimits } from '../domain/rate-limits.ts';
import { StoredResponses } from '../domain/stored-responses.ts';
import { TokenMarks } from '../domain/token-marks.ts';
import { UsageLog } from '../domain/usage-log.ts';
import { HourlyUsage } from '../domain/usage-log-hourly.ts';
import { ChannelLoad, formatLoadNews, parseLoadNews } from '../gateway/channel-load.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import type { FinishListener } from '../gateway/record.ts';
import { contentListener } from '../gateway/record-content.ts';
import type { RefusalListener } from '../gateway/refused-call.ts';
import { RequestIds } from '../gateway/request-id.ts';
import { requestLimits } from '../gateway/request-limits.ts';
import { sensitiveWordFilter } from '../gateway/word-filter.ts';
import type { RelayListener } from '../http/app.ts';
import type { TrustedProxies } from '../http/middleware/client-address.ts';
import { createUpgradeListener, type UpgradeListener } from '../http/routes/realtime.ts';
import { createRelayListener } from '../http/routes/relay.ts';
import { TokenCounter } from '../relay/tokens/token-counter.ts';
import { AddressGuard } from '../upstream/address-guard.ts';
import { Credentials } from '../upstream/auth/index.ts';
import { MediaDownloads } from '../upstream/media-download.ts';
import { Transport } from '../upstream/transport.ts';
import type { Foundation } from './foundation.ts';
import { ledgerReporter } from './ledger-report.ts';
import type { NoticeParts } from './notices.ts';
import { refusalReport } from './refusal-report.ts';
import { buildSigners } from './signers.ts';
import { buildTasks, type TaskParts } from './tasks.ts';

export interface RelayParts {
  readonly ledger: Ledger;
  readonly budgets: BudgetBook;
  readonly health: ChannelHealth;
  readonly keyLimits: KeyLimits;
  readonly cooling: ChannelCooling;
  readonly coolingEnds: CoolingEnds;
  readonly storedResponses: StoredResponses;
  readonly logContent: LogContentQueue;
  readonly channelSwitch: ChannelSwitch;
  readonly hourly: HourlyUsage;
  readonly transport: Transport;
  readonly tokens: TokenCounter;
  readonly guard: AddressGuard;
  readonly probe: ChannelProbe;
  readonly credentials: Credentials;
  readonly usageLog: UsageLog;
  readonly gateway: Gateway;
  readonly tasks: TaskParts;
  readonly listener: RelayListener;
  readonly upgrades: UpgradeListener;
}

/** What the upper rooms bring to the relay. */
export interface RelayPorts {
  readonly version: string;
  readonly trustedProxies: TrustedProxies;
  readonly notices: Pick<NoticeParts, 'alerts' | 'balances' | 'tokens'>;
  /** Told of every settled request. */
  readonly listeners: readonly FinishListener[];
  /** Told of every call that was refused before it was served. */
  readonly refused: RefusalListener;
  /** Told of each call that met a bug. */
  readonly metBug: () => void;
}

const second = 1000;

/** Builds the relay. */
export function buildRelay(foundation: Foundation, ports: RelayPorts): RelayParts {
  const { config, log, clock, nowSeconds, keyring, database, bus, snapshots, identities, counters } = foundation;
  const options = () => snapshots.current().options;
  const report = (error: unknown) => log.error({ err: error }, 'a background step failed');
  const refusals = refusalReport({ log, clock });
  const hourly = new HourlyUsage({ database });
  const periods = new BudgetPeriods(config.site.time_zone);
  const ledger = new Ledger({
    database,
    periods,
    node: foundation.nodeId,
    ownsName: () => foundation.presence.ownsName,
    dataDir: foundation.folder,
    now: clock.now,
    report: ledgerReporter(foundation),
    formatQuota: (quota) => quotaText(quota, options()),
    language: config.site.default_language,
    settled: (settlement, balance) => {
      ports.notices.balances.settled(settlement, balance);
      ports.notices.tokens.settled(settlement);
      if (options().get('DataExportEnabled')) hourly.count(settlement);
    },
    tokenShort: (tokenId, needed) => ports.notices.tokens.refused(tokenId, needed),
  });
  const budgets = new BudgetBook({
    store: database.stores.budgets,
    node: foundation.nodeId,
    periods,
    now: clock.now,
    monotonic: clock.monotonic,
    formatQuota: (quota) => quotaText(quota, options()),
    report,
  });
  const logContent = new LogContentQueue({ database, report });
  const storedResponses = new StoredResponses({ database, nowSeconds, report });
  const cooling = new ChannelCooling({
    now: clock.monotonic,
    options,
    share: (news) => foundation.news.cooling.publish(formatCoolingNews(news)),
  });
  foundation.news.cooling.subscribe((message) => {
    const news = parseCoolingNews(message);
    if (news) cooling.learn(news);
  });
  const affinityNews = new GatheredAffinity((news) => foundation.news.affinity.publish(formatAffinityNews(news)));
  const cacheAffinity = new CacheAffinity(clock.monotonic, (news) => affinityNews.note(news));
  foundation.news.affinity.subscribe((message) => {
    for (const news of parseAffinityNews(message)) cacheAffinity.learn(news, options().get('channel_affinity'));
  });
  const load = new ChannelLoad({
    node: randomUUID(),
    now: clock.monotonic,
    isAsked: () => options().get('RoutingStrategy') === 'least_busy',
    tell: (news) => foundation.news.load.publish(formatLoadNews(news)),
  });
  foundation.news.load.subscribe((message) => {
    const news = parseLoadNews(message);
    if (news) load.learn(news);
  });
  const coolingEnds = new CoolingEnds({ ends: database.stores.coolingEnds, bus, cooling });
  const channelSwitch = new ChannelSwitch({
    database,
    bus,
    options,
    nowSeconds,
    notify: (notice) => {
      log.warn({ notice }, 'a channel changed its state');
      ports.notices.alerts.channelChanged(notice);
    },
  });
  const health = new ChannelHealth({
    database,
    options,
    cooling,
    channelSwitch,
    now: clock.monotonic,
    nowSeconds,
    report,
  });
  const { keyUses } = foundation.news;
  const keyLimits = new KeyLimits({
    counters,
    now: clock.monotonic,
    tell: keyUses && ((uses) => keyUses.publish(formatKeyUses(uses))),
  });
  keyUses?.subscribe((message) => keyLimits.learn(parseKeyUses(message)));
  const guardConfig = {
    allow: config.security.egress_allow,
    channelAllowPrivate: config.security.channel_allow_private,
  };
  const guard = new AddressGuard(guardConfig);
  // As many as may run at once: a call that was let in must not wait for a socket, however many streams stay open.
  const connectionsPerOrigin = Math.max(512, config.relay.max_concurrent);
  const transport = new Transport({ guard: guardConfig, connectionsPerOrigin });
  const credentials = new Credentials(buildSigners(transport, clock));
  const tokenMarks = new TokenMarks({ tokens: database.stores.tokens, nowSeconds, report });
  const usageLog = new UsageLog({ language: config.site.default_language });
  const tokens = new TokenCounter({
    estimator: config.relay.estimator ? 'on' : 'off',
    timeoutMs: 5 * second,
    idleMs: 60 * second,
    report,
  });
  const { version } = ports;
  const maxRequestBodyBytes = config.relay.max_request_body_mb * 1024 * 1024;
  const timeouts = {
    connectMs: config.relay.connect_timeout_seconds * second,
    headersMs: config.relay.relay_timeout_seconds * second,
    firstTokenMs: config.relay.first_token_timeout_seconds * second,
    idleMs: config.relay.streaming_timeout_seconds * second,
    answerMaxMs: config.relay.stream_max_seconds * second,
  };
  const upstreams = { transport, credentials, timeouts, version, maxBodyBytes: maxRequestBodyBytes };
  const tasks = buildTasks(foundation, upstreams, options);
  const gateway = createGateway({
    drawings: tasks.drawings,
    drawingHooks: tasks.drawingHooks,
    songs: tasks.songs,
    lostTask: tasks.lostTask,
    config: {
      maxRequestBodyBytes,
      maxHeldBytes: heldBytesOf(config),
      maxHeldBytesPerUser: heldBytesPerUserOf(config),
      forms: {
        maxBytes: maxRequestBodyBytes,
        maxImageBytes: config.relay.max_file_download_mb * 1024 * 1024,
        maxAudioBytes: config.relay.max_audio_upload_mb * 1024 * 1024,
        folder: foundation.uploads,
      },
      realtimeMaxMs: config.relay.realtime_max_seconds * second,
      maxConcurrent: config.relay.max_concurrent,
      maxConcurrentPerUser: config.relay.max_concurrent_per_user,
      retryMaxMs: config.relay.retry_max_seconds * second,
      streamWriteTimeoutMs: config.relay.stream_write_timeout_seconds * second,
      errorLogEnabled: config.relay.error_log_enabled,
      logLanguage: config.site.default_language,
      forceStreamUsage: config.relay.force_stream_option,
      maxImages: config.relay.gemini_vision_max_image_num,
      countsMedia: {
        streamed: config.relay.get_media_token,
        whole: config.relay.get_media_token && config.relay.get_media_token_not_stream,
      },
      version,
      timeouts,
    },
    view: () => snapshots.current(),
    identities,
    tokenHash: (key) => keyring.tokenHash(key),
    markToken: (tokenId, state) => tokenMarks.mark(tokenId, state),
    ledger,
    usageLog,
    health,
    cacheAffinity,
    load,
    responseAffinity: new ResponseAffinity({
      now: clock.monotonic,
      ttlSeconds: config.relay.response_affinity_ttl_seconds,
      memory: storedResponses,
      report,
    }),
    limits: requestLimits(new ModelRequestLimits({ counters, countsPerMinute: config.relay.count_tokens_rate_limit })),
    rates: new RateLimits({ counters }),
    keyLimits,
    budgets,
    words: sensitiveWordFilter((hit) => log.warn({ words: hit }, 'a prompt with a sensitive word was refused'), report),
    transport,
    credentials,
    downloads: new MediaDownloads({
      guard,
      maxBytes: config.relay.max_file_download_mb * 1024 * 1024,
      allowHttp: config.relay.allow_http_media,
      worker: () => ({ url: options().get('WorkerUrl'), key: options().get('WorkerValidKey') }),
      userAgent: `Tollgate/${version}`,
    }),
    tokens,
    listeners: [...ports.listeners, refusals.finished, contentListener((content) => logContent.keep(content))],
    refused: (call) => {
      refusals.refused(call);
      ports.refused(call);
    },
    groupWithoutRatio: (group) => log.warn({ group }, 'a group has no ratio, and is charged at 1'),
    report: (error, requestId) => {
      log.error({ err: error, requestId }, 'a relay request met a bug');
      ports.metBug();
    },
    now: clock.now,
    random: Math.random,
  });
  const routes = { gateway, trustedProxies: ports.trustedProxies, ids: new RequestIds() };
  const listener = createRelayListener(routes);
  const upgrades = createUpgradeListener(routes);
  return {
    ledger,
    budgets,
    health,
    keyLimits,
    cooling,
    coolingEnds,
    storedResponses,
    logContent,
    channelSwitch,
    hourly,
    transport,
    tokens,
    guard,
    probe: gateway.probe,
    credentials,
    usageLog,
    gateway,
    tasks,
    listener,
    upgrades,
  };
}
