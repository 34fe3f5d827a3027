/** Channels as administrators see them: their services over the stores and the relay, and their routes. */
import { setTimeout } from 'node:timers/promises';
import type { ChannelRules } from '../domain/channel-admission.ts';
import { ChannelCheckService } from '../domain/channel-checks.ts';
import { coolingSeconds } from '../domain/channel-cooling.ts';
import { ChannelDrafts } from '../domain/channel-drafts.ts';
import { ChannelKeyService } from '../domain/channel-key-rows.ts';
import { ChannelTagService } from '../domain/channel-tags.ts';
import { ChannelTransfer } from '../domain/channel-transfer.ts';
import { ChannelWriter } from '../domain/channel-writer.ts';
import { ChannelService } from '../domain/channels.ts';
import { enabledModels, type ModelCatalog } from '../domain/models.ts';
import type { StepUp } from '../domain/step-up.ts';
import { RoutingDryRun } from '../gateway/dry-run.ts';
import type { Endpoint } from '../gateway/exchange.ts';
import { RequestIds } from '../gateway/request-id.ts';
import type { Route } from '../http/implement.ts';
import { channelCheckRoutes } from '../http/routes/management/channel-checks.ts';
import { channelKeyRoutes } from '../http/routes/management/channel-keys.ts';
import { channelTransferRoutes } from '../http/routes/management/channel-transfer.ts';
import { channelRoutes } from '../http/routes/management/channels.ts';
import { matchRelayPath } from '../http/routes/relay-paths.ts';
import type { Foundation } from './foundation.ts';
import type { RelayParts } from './relay.ts';

export interface ChannelParts {
  readonly checks: ChannelCheckService;
  readonly keys: ChannelKeyService;
  /** For what changes channels together with other things. */
  readonly writer: ChannelWriter;
  readonly rules: ChannelRules;
  readonly routes: readonly Route[];
}

/** What other parts bring to channels. */
export interface ChannelNeeds {
  readonly catalog: ModelCatalog;
  readonly acceptsBaseUrl: (url: string) => boolean;
  readonly stepUp: Pick<StepUp, 'require'>;
  /** Told when a test of all channels has ended. */
  readonly testEnded: (run: { readonly tested: number; readonly failed: number; readonly outage: boolean }) => void;
}

/** Builds the services and routes of channels. */
export function buildChannels(foundation: Foundation, relay: RelayParts, parts: ChannelNeeds): ChannelParts {
  const { config, log, nowSeconds, keyring, database, bus, snapshots, leases } = foundation;
  const { catalog, acceptsBaseUrl, testEnded } = parts;
  const ids = new RequestIds();
  const writer = new ChannelWriter({ database, bus, secrets: keyring, nowSeconds });
  const checks = new ChannelCheckService({
    database,
    probe: relay.probe,
    channelSwitch: relay.channelSwitch,
    health: relay.health,
    leases,
    options: () => snapshots.current().options,
    acceptsBaseUrl,
    language: config.site.default_language,
    nowSeconds,
    newRequestId: () => ids.next(),
    pause: (signal) => rest(config.jobs.polling_interval_seconds * 1000 + Math.random() * 200, signal),
    report: (event) => {
      if (event.kind === 'run-failed') {
        log.error({ err: event.cause }, 'the test of all channels broke off');
        return;
      }
      if (event.kind === 'channel-failed') {
        log.error({ err: event.cause, channel: event.channelId }, 'a channel could not be tested');
        return;
      }
      log.info({ run: event }, 'the test of all channels ended');
      testEnded(event);
    },
  });
  const dryRun = new RoutingDryRun({
    view: () => snapshots.current(),
    findUser: (id) => database.stores.users.find(id),
    findToken: (id) => database.stores.tokens.find(id),
    endpointAt,
    coolingMs: (channelId, keyId, model) => relay.health.isCooling(channelId, keyId, model),
    fullMs: (key) => relay.keyLimits.fullMs(key),
    spentMs: ({ record }) => relay.budgets.spentMs(record),
    nowSeconds,
  });
  const rules: ChannelRules = {
    revealKeys: config.security.reveal_channel_keys ? 'shown' : 'hidden',
    acceptsBaseUrl,
  };
  const routes = channelRoutes({
    channels: new ChannelService({
      database,
      writer,
      secrets: keyring,
      cooling: relay.cooling,
      rules,
      nowSeconds,
    }),
    tags: new ChannelTagService({ database, writer, cooling: relay.cooling }),
    stepUp: parts.stepUp,
    dryRun,
    catalog,
    standingOf(id) {
      const channel = snapshots.current().channels.get(id);
      const keys = channel?.keys ?? [];
      const enabled = keys.filter(({ status }) => status === 1).length;
      return { cooling: coolingSeconds(relay.cooling, channel), keyCounts: { total: keys.length, enabled } };
    },
    enabledModels: () => enabledModels(snapshots.current().channels),
  });
  const keys = new ChannelKeyService({
    database,
    writer,
    cooling: relay.cooling,
    openKeys: (id) => snapshots.current().channels.get(id)?.keys ?? [],
    nowSeconds,
  });
  const transfer = new ChannelTransfer({ database, writer, cooling: relay.cooling, rules, nowSeconds });
  const drafts = new ChannelDrafts({ database, writer, acceptsBaseUrl });
  return {
    checks,
    keys,
    writer,
    rules,
    routes: [
      ...routes,
      ...channelCheckRoutes({ checks, drafts }),
      ...channelKeyRoutes({ keys, checks }),
      ...channelTransferRoutes(transfer, parts.stepUp),
    ],
  };
}

async function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // A pause that is cut short has ended, which is all that is asked of it.
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

function endpointAt(path: string): Endpoint | undefined {
  const match = matchRelayPath('POST', path);
  return match?.kind === 'call' || match?.kind === 'drawing' || match?.kind === 'song' ? match.endpoint : undefined;
}
