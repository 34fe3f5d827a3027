/** The jobs of this node and of the cluster, and the node's own heartbeat. */
import type { ChannelCheckService } from '../domain/channel-checks.ts';
import { alertJobs } from '../jobs/alerts.ts';
import { channelJobs } from '../jobs/channel-checks.ts';
import { channelKeyUseJob } from '../jobs/channel-key-use.ts';
import { holdRetention } from '../jobs/hold-retention.ts';
import { holdSweeper } from '../jobs/hold-sweeper.ts';
import { hourlyUsageJob } from '../jobs/hourly-usage.ts';
import { logSumsJob } from '../jobs/log-sums.ts';
import { orderExpiryJob } from '../jobs/order-expiry.ts';
import { retentionJob } from '../jobs/retention.ts';
import { type Job, Scheduler } from '../jobs/scheduler.ts';
import { sessionCleanup } from '../jobs/session-cleanup.ts';
import { storedResponsesJob } from '../jobs/stored-responses.ts';
import type { Foundation } from './foundation.ts';
import type { NodeParts } from './node.ts';
import type { NoticeParts } from './notices.ts';
import type { RelayParts } from './relay.ts';

export interface RunningJobs {
  /** Announces the node and begins. */
  start(): Promise<void>;
  /** Plans nothing more and waits for what runs. */
  stop(): Promise<void>;
  /** Says that this node has stopped in order. */
  leave(): Promise<void>;
}

const heartbeatMs = 30_000;
/** A node that cannot say that it is alive is not ready, until it can. */
const heartbeatAgainMs = 5000;

function channelIntervals({ jobs }: Foundation['config']) {
  return {
    testEveryMinutes: jobs.channel_test_frequency_minutes,
    balanceEveryMinutes: jobs.channel_update_frequency_minutes,
  };
}

/** Puts together what runs beside the calls; nothing does before `start`. */
export function buildJobs(
  foundation: Foundation,
  relay: RelayParts,
  facts: { version: string; checks: ChannelCheckService; notices: NoticeParts; node: NodeParts },
): RunningJobs {
  const { config, log, nowSeconds, database, snapshots, leases, nodeId, presence } = foundation;
  const startedAt = nowSeconds();
  const address = `${config.listen.host}:${config.listen.port}`;
  const beat = () =>
    presence.beat({
      id: nodeId,
      address,
      version: facts.version,
      startedAt,
      heartbeatAt: nowSeconds(),
      facts: facts.node.figures.beat(),
    });
  const jobs: Job[] = [
    { name: 'heartbeat', everyMs: heartbeatMs, afterFailureMs: heartbeatAgainMs, scope: 'node', run: beat },
    holdSweeper({ ledger: relay.ledger }),
    holdRetention({ database, nowSeconds, options: () => snapshots.current().options }),
    retentionJob({ database, nowSeconds, options: () => snapshots.current().options }),
    logSumsJob({ database, nowSeconds }),
    sessionCleanup({ stores: database.stores, nowSeconds }),
    orderExpiryJob({ stores: database.stores, nowSeconds }),
    channelKeyUseJob({ health: relay.health }),
    ...(config.node.type === 'slave' ? [] : channelJobs({ checks: facts.checks, leases, ...channelIntervals(config) })),
    ...alertJobs(facts.notices),
    storedResponsesJob({ responses: relay.storedResponses }),
    ...relay.tasks.jobs,
    hourlyUsageJob({
      hourly: relay.hourly,
      intervalMinutes: () => snapshots.current().options.get('DataExportInterval'),
    }),
  ];
  const scheduler = new Scheduler({
    acquireLease: (name, ttlMs) => leases.acquire(name, ttlMs),
    report: ({ job, error }) => log.error({ job, err: error }, 'a job failed; it runs again at its next turn'),
    random: Math.random,
  });
  return {
    async start() {
      await beat();
      scheduler.start(jobs);
      facts.node.watchJobs(() => scheduler.states());
      await beat();
    },
    async stop() {
      await Promise.all([scheduler.stop(), facts.checks.stop()]);
    },
    leave: () => database.stores.nodes.delete(nodeId).catch(() => undefined),
  };
}
