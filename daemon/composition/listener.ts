/** What answers the requests of the daemon's port: API, pages and relay. */
import type { RequestListener } from 'node:http';
import type { Config } from '../config/schema.ts';
import type { OptionsView } from '../contract/options.ts';
import { ApiLimits } from '../domain/api-limits.ts';
import type { Authentication } from '../domain/authentication.ts';
import type { HumanCheck } from '../domain/human-check.ts';
import type { IdempotentCalls } from '../domain/idempotency.ts';
import type { StepUp } from '../domain/step-up.ts';
import { TollgateError } from '../errors.ts';
import { errorLanguage } from '../gateway/failure-answer.ts';
import { RequestIds } from '../gateway/request-id.ts';
import { createRequestListener } from '../http/app.ts';
import type { ConsoleFiles } from '../http/console-files.ts';
import type { Route } from '../http/implement.ts';
import type { TrustedProxies } from '../http/middleware/client-address.ts';
import { createRelayKeyCheck } from '../http/middleware/relay-key.ts';
import { createDrawingImageListener } from '../http/routes/drawing-image.ts';
import { createPlaygroundListener } from '../http/routes/playground.ts';
import type { Foundation } from './foundation.ts';
import type { RelayParts } from './relay.ts';

/** What stands behind the port, and what is asked before it is reached. */
export interface ListenerNeeds {
  readonly routes: readonly Route[];
  readonly authentication: Authentication;
  readonly humanCheck: HumanCheck;
  readonly idempotency: IdempotentCalls;
  readonly stepUp: StepUp;
  readonly trustedProxies: TrustedProxies;
  /** The built console; undefined where there is none. */
  readonly console: ConsoleFiles | undefined;
  /** False from the moment the daemon begins to stop. */
  readonly isServing: () => boolean;
  /** Told of each management call that met a bug. */
  readonly metBug: () => void;
}

export function buildListener(foundation: Foundation, relay: RelayParts, needs: ListenerNeeds): RequestListener {
  const { config, log, keyring, database, snapshots, identities, nowSeconds } = foundation;
  const { routes, authentication, humanCheck, idempotency, stepUp, trustedProxies, isServing, metBug } = needs;
  const options = () => snapshots.current().options;
  const limits = buildApiLimits(foundation);
  const ids = new RequestIds();
  const doors = { gateway: relay.gateway, limits, authentication, signer: keyring, trustedProxies, ids };
  const playground = createPlaygroundListener(doors);
  const pictures = createDrawingImageListener(doors);
  return createRequestListener({
    routes,
    relay: (request, response) =>
      relay.listener(request, response) || playground(request, response) || pictures(request, response),
    authentication,
    limits,
    humanCheck,
    relayKeys: createRelayKeyCheck({
      tokenHash: (key) => keyring.tokenHash(key),
      resolve: (hash) => identities.resolve(hash),
      nowSeconds,
      setupDone: () => snapshots.current().setupDone,
    }),
    relayLanguage: (asked) => errorLanguage(snapshots.current(), asked),
    idempotency,
    stepUp,
    signer: keyring,
    secureCookies: (isSecure) => secureCookies(config.security.cookie_secure, isSecure, options),
    isServing,
    pingDatabase: () => database.ping(),
    takesWrites: () => foundation.presence.isWritten,
    console: needs.console,
    options,
    pagesElsewhere: config.node.type === 'slave' ? config.site.frontend_base_url : undefined,
    trustedProxies,
    logAccess: (entry) => log.debug({ access: entry }, 'request'),
    reportFailure: (error, request) => {
      const isBug = !(error instanceof TollgateError) || error.kind === 'bug';
      if (!isBug) return;
      log.error({ err: error, requestId: request.requestId }, 'a management call met a bug');
      metBug();
    },
  });
}

function buildApiLimits({ config: { limits }, counters, snapshots }: Foundation): ApiLimits {
  return new ApiLimits({
    counters,
    rules: () => ({
      globalApi: limits.global_api,
      globalWeb: limits.global_web,
      critical: limits.critical,
      search: limits.search,
      download: limits.download,
      // How many is an option (D23), so that it can be changed while the daemon runs.
      perUser: { ...limits.per_user, count: snapshots.current().options.get('UserApiRateLimit') },
    }),
  });
}

/** `auto` marks cookies secure when the call or the site's own address is https (management-api.md 2.1). */
function secureCookies(
  wish: Config['security']['cookie_secure'],
  isSecure: boolean,
  options: () => OptionsView,
): boolean {
  if (wish !== 'auto') return wish === 'true';
  return isSecure || options().get('ServerAddress').startsWith('https:');
}
