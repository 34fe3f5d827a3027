/** What the daemon tells of itself: to everybody, and to administrators. */
import type { CallTimes } from '../domain/call-times.ts';
import { coolingSeconds } from '../domain/channel-cooling.ts';
import type { FailedTries } from '../domain/failed-tries.ts';
import { SystemStateService } from '../domain/system-state.ts';
import type { Route } from '../http/implement.ts';
import type { SiteFacts } from '../http/present/status.ts';
import { statusRoutes } from '../http/routes/management/status.ts';
import { systemRoutes } from '../http/routes/management/system.ts';
import { reachThrough } from '../integrations/reach.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { Foundation } from './foundation.ts';
import type { NoticeParts } from './notices.ts';
import type { RelayParts } from './relay.ts';
import { buildSelfTests } from './self-tests.ts';

export interface SystemFacts {
  readonly version: string;
  readonly notices: NoticeParts;
  /** What this node has counted of its calls. */
  readonly times: CallTimes;
  readonly failedTries: FailedTries;
  readonly signInPages: SiteFacts['signInPages'];
}

/** What clients may ask for that older versions do not have. */
const features = [
  'alerts',
  'budgets',
  'channel-cooling',
  'channel-drafts',
  'channel-files',
  'channel-keys',
  'channel-models',
  'cli-sign-in',
  'code-uses',
  'declared-state',
  'idempotency',
  'live-events',
  'machine-tokens',
  'mail-test',
  'option-changes',
  'orders',
  'passkeys',
  'price-work',
  'prices',
  'rate-rules',
  'routing-explanation',
  'sessions',
  'step-up',
  'two-factor',
] as const;

export function buildSystem(foundation: Foundation, relay: RelayParts, facts: SystemFacts): Route[] {
  const { config, clock, nowSeconds, database, snapshots } = foundation;
  const { version, notices, times, failedTries, signInPages } = facts;
  const options = () => snapshots.current().options;
  return [
    ...statusRoutes({
      site: {
        version,
        startTime: nowSeconds(),
        timeZone: config.site.time_zone,
        batchUpdate: config.jobs.batch_update_enabled,
        signInPages,
        features,
      },
      options,
      setupDone: () => snapshots.current().setupDone,
      pingDatabase: pingAtMostEvery(() => database.ping(), { ms: 10_000, now: clock.monotonic }),
    }),
    ...systemRoutes({
      system: new SystemStateService({
        database,
        options,
        channels: () => snapshots.current().channels.all(),
        coolingSeconds: (channel) => coolingSeconds(relay.cooling, channel),
        defaultAddress: (type) => providerOf(type)?.baseUrl,
        reach: reachThrough(relay.guard),
        mailKeptAwayFrom: () => notices.mailer.keptAwayFrom(),
        own: { nodeId: foundation.nodeId, times, failedTries },
        presence: foundation.presence,
        nowSeconds,
        now: clock.monotonic,
      }),
      tests: buildSelfTests(foundation, { guard: relay.guard, mailer: notices.mailer }),
      facts: {
        version,
        trustedProxies: config.trusted_proxies,
        egressAllow: config.security.egress_allow,
      },
    }),
  ];
}

/** Shares one answer among all who ask within the time. */
function pingAtMostEvery(ping: () => Promise<void>, every: { ms: number; now: () => number }): () => Promise<void> {
  let last: Promise<void> | undefined;
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (last === undefined || every.now() - at >= every.ms) {
      at = every.now();
      last = ping();
      last.catch(() => undefined);
    }
    return last;
  };
}
