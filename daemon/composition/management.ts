/** The management half: services over the stores, their routes, and the listener that serves API, pages and relay. */
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/schema.ts';
import type { OptionsView } from '../contract/options.ts';
import { ApiLimits } from '../domain/api-limits.ts';
import { AuditTrail } from '../domain/audit-trail.ts';
import { CalendarDays } from '../domain/calendar-day.ts';
import type { CallTimes } from '../domain/call-times.ts';
import type { ChannelCheckService } from '../domain/channel-checks.ts';
import { coolingSeconds } from '../domain/channel-cooling.ts';
import type { FailedTries } from '../domain/failed-tries.ts';
import { firstKeyIssuer } from '../domain/first-key.ts';
import { groupNames } from '../domain/groups.ts';
import { HumanCheck } from '../domain/human-check.ts';
import { IdempotentCalls } from '../domain/idempotency.ts';
import { LogService } from '../domain/logs.ts';
import { ModelCatalog } from '../domain/models.ts';
import { ObjectSearch } from '../domain/object-search.ts';
import { OptionService } from '../domain/options.ts';
import { OwnAccountService } from '../domain/own-account.ts';
import { Passwords } from '../domain/passwords.ts';
import { RedemptionService } from '../domain/redemptions.ts';
import { RegistrationService } from '../domain/registration.ts';
import { RenamedLimits } from '../domain/renamed-limits.ts';
import { SessionList } from '../domain/session-list.ts';
import { SessionService } from '../domain/sessions.ts';
import { SetupService } from '../domain/setup.ts';
import { SignInService } from '../domain/sign-in.ts';
import { SystemStateService } from '../domain/system-state.ts';
import { TokenService } from '../domain/tokens.ts';
import { Catalogue } from '../domain/usable-models.ts';
import { UsageDataService } from '../domain/usage-data.ts';
import { UsageReportService } from '../domain/usage-report.ts';
import { UserService } from '../domain/users.ts';
import { WorkLists } from '../domain/works.ts';
import { TollgateError } from '../errors.ts';
import { errorLanguage } from '../gateway/failure-answer.ts';
import { RequestIds } from '../gateway/request-id.ts';
import { createRequestListener } from '../http/app.ts';
import type { ConsoleFiles } from '../http/console-files.ts';
import type { Route } from '../http/implement.ts';
import type { TrustedProxies } from '../http/middleware/client-address.ts';
import { createRelayKeyCheck } from '../http/middleware/relay-key.ts';
import { billingRoutes } from '../http/routes/billing.ts';
import { createDrawingImageListener } from '../http/routes/drawing-image.ts';
import { accountRoutes } from '../http/routes/management/account.ts';
import { alertRoutes } from '../http/routes/management/alerts.ts';
import { auditRoutes } from '../http/routes/management/audits.ts';
import { groupRoutes } from '../http/routes/management/groups.ts';
import { logRoutes } from '../http/routes/management/logs.ts';
import { modelRoutes } from '../http/routes/management/models.ts';
import { optionRoutes } from '../http/routes/management/options.ts';
import { redemptionRoutes } from '../http/routes/management/redemptions.ts';
import { referenceRoutes } from '../http/routes/management/reference.ts';
import { searchRoutes } from '../http/routes/management/search.ts';
import { sessionRoutes } from '../http/routes/management/sessions.ts';
import { setupRoutes } from '../http/routes/management/setup.ts';
import { statusRoutes } from '../http/routes/management/status.ts';
import { systemRoutes } from '../http/routes/management/system.ts';
import { tokenRoutes } from '../http/routes/management/tokens.ts';
import { usageDataRoutes } from '../http/routes/management/usage-data.ts';
import { usageReportRoutes } from '../http/routes/management/usage-reports.ts';
import { userRoutes } from '../http/routes/management/users.ts';
import { workRoutes } from '../http/routes/management/works.ts';
import { createPlaygroundListener } from '../http/routes/playground.ts';
import { reachThrough } from '../integrations/reach.ts';
import { providerOf, providers } from '../relay/providers/index.ts';
import { buildAccounts } from './accounts.ts';
import { buildAuthentication } from './authentication.ts';
import { buildChannels } from './channels.ts';
import { buildDeclaredState } from './declared-state.ts';
import { buildEvents } from './events.ts';
import { buildExternalSignIn } from './external-sign-in.ts';
import type { Foundation } from './foundation.ts';
import { buildLimits } from './limits.ts';
import type { NoticeParts } from './notices.ts';
import { buildPayments } from './payments.ts';
import { buildPrices } from './prices.ts';
import type { RelayParts } from './relay.ts';
import { buildSecondFactors } from './second-factors.ts';
import { buildSelfTests } from './self-tests.ts';

export interface ManagementFacts {
  readonly version: string;
  readonly trustedProxies: TrustedProxies;
  /** The built console; undefined where there is none. */
  readonly console: ConsoleFiles | undefined;
  readonly notices: NoticeParts;
  /** What this node has counted of its calls. */
  readonly times: CallTimes;
  readonly failedTries: FailedTries;
  /** False from the moment the daemon begins to stop. */
  readonly isServing: () => boolean;
}

export interface ManagementParts {
  readonly setup: SetupService;
  readonly options: OptionService;
  readonly checks: ChannelCheckService;
  readonly listener: RequestListener;
  /** Ends all streams of events. */
  endStreams(): void;
}

/** Builds services, routes and the listener. */
export function buildManagement(base: Foundation, relay: RelayParts, facts: ManagementFacts): ManagementParts {
  const idempotency = new IdempotentCalls({
    database: base.database,
    seal: (context, plain) => base.keyring.seal(context, plain),
    unseal: (context, sealed) => base.keyring.open(context, sealed),
    hash: (route, content) => base.keyring.codeHash('idempotency', route, content),
    nowSeconds: base.nowSeconds,
    sleep,
  });
  // Services work through the database that claims the keys of calls that may be repeated.
  const foundation = { ...base, database: idempotency.database };
  const { config, log, clock, nowSeconds, keyring, database, bus, snapshots, identities, counters } = foundation;
  const language = config.site.default_language;
  const originalPassword = config.security.require_original_password ? 'always' : 'when-sent';
  const options = () => snapshots.current().options;
  const setupDone = () => snapshots.current().setupDone;
  const channelName = (id: number) => snapshots.current().channels.get(id)?.record.name ?? '';
  const passwords = new Passwords();
  const ids = new RequestIds();
  const report = (cause: unknown) => log.error({ err: cause }, 'a background step failed');
  const common = { database, bus, options, nowSeconds };
  const guard = relay.guard;
  const acceptsBaseUrl = (url: string) => guard.accepts(url, 'channel');

  const sessions = new SessionService({
    stores: database.stores,
    hashId: (id) => keyring.sessionHash(id),
    nowSeconds,
    report,
  });
  const { authentication, accessTokens, ...credentials } = buildAuthentication(foundation, { sessions, report });
  const setup = new SetupService({
    ...common,
    passwords,
    language,
    version: facts.version,
    configuredToken: config.security.setup_token === '' ? undefined : config.security.setup_token,
  });
  const optionService = new OptionService({
    database,
    bus,
    current: () => snapshots.parsedOptions(),
    seal: (context, plain) => keyring.seal(context, plain),
    unseal: (context, sealed) => keyring.open(context, sealed),
    nowSeconds,
  });
  const renamedLimits = new RenamedLimits({ options, optionService, bus });
  const catalog = new ModelCatalog(providers);
  const accounts = buildAccounts(foundation, { notices: facts.notices, passwords, guard });
  const { letters } = accounts;
  const { secondStep, stepUp, ...factors } = buildSecondFactors(foundation, { sessions, passwords, letters });
  const channels = buildChannels(foundation, relay, {
    catalog,
    acceptsBaseUrl,
    testEnded: (run) => facts.notices.alerts.channelTestEnded(run),
    stepUp,
  });
  const tokens = new TokenService({
    ...common,
    secrets: keyring,
    reveal: config.security.reveal_tokens,
    maxTokensPerUser: config.security.max_tokens_per_user,
  });
  const signIn = new SignInService({
    database,
    options,
    passwords,
    secondStep,
    counters,
    setupDone,
    failuresPerName: config.limits.login_failures,
    failuresPerAddress: config.limits.login_failures_by_address,
  });
  const issueFirstKey = config.security.generate_default_token ? firstKeyIssuer(tokens) : undefined;
  const elsewhere = buildExternalSignIn(foundation, { guard, sessions, secondStep, authentication, issueFirstKey });
  const logs = new LogService({ database, options, nowSeconds, siteLanguage: language });
  const live = buildEvents(foundation, { cooling: relay.cooling, logs, channelName, report });
  const routes: Route[] = [
    ...setupRoutes(setup),
    ...statusRoutes({
      site: {
        version: facts.version,
        startTime: nowSeconds(),
        timeZone: config.site.time_zone,
        batchUpdate: config.jobs.batch_update_enabled,
        signInPages: elsewhere.pages,
        features: [
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
        ],
      },
      options,
      setupDone,
      pingDatabase: pingAtMostEvery(() => database.ping(), { ms: 10_000, now: clock.monotonic }),
    }),
    ...accountRoutes({
      signIn,
      registration: new RegistrationService({
        ...common,
        passwords,
        setupDone,
        emailProof: accounts.emails,
        issueFirstKey,
        language,
      }),
      authentication,
      sessions,
      ownAccount: new OwnAccountService({
        ...common,
        passwords,
        sessions,
        originalPassword,
        acceptsWebhook: facts.notices.acceptsWebhook,
        renamedLimits,
        passwordChanged: (user) => accounts.letters.passwordChanged(user),
      }),
      accessTokens,
      noticeTests: accounts.noticeTests,
      signOutAddress: (at) => elsewhere.signIns.signOutAddress(at),
      catalogue: new Catalogue(() => snapshots.current()),
    }),
    ...userRoutes(new UserService({ ...common, passwords, originalPassword, renamedLimits, language })),
    ...tokenRoutes(tokens),
    ...buildLimits(foundation, { options, optionService, tokens, keys: channels.keys }),
    ...channels.routes,
    ...optionRoutes(optionService, stepUp),
    ...logRoutes({ logs, channelName }),
    ...live.routes,
    ...auditRoutes(new AuditTrail({ database })),
    ...searchRoutes(new ObjectSearch({ database, secrets: keyring })),
    ...groupRoutes(() => groupNames(options())),
    ...modelRoutes(catalog),
    ...buildPrices(foundation, { options: optionService, catalog, guard, report }),
    ...buildDeclaredState(foundation, { channels, alerts: facts.notices.alerts, cooling: relay.cooling }),
    ...workRoutes(new WorkLists({ stores: database.stores, options })),
    ...billingRoutes(options),
    ...usageDataRoutes(new UsageDataService({ database, options, nowSeconds })),
    ...usageReportRoutes({
      reports: new UsageReportService({ database, days: new CalendarDays(config.site.time_zone), nowSeconds }),
      channelName,
    }),
    ...redemptionRoutes(
      new RedemptionService({
        database,
        options,
        language,
        balanceChanged: (userId) => identities.forgetUser(userId),
        counters,
        nowSeconds,
      }),
    ),
    ...buildPayments(foundation, guard),
    ...accounts.routes,
    ...factors.routes,
    ...alertRoutes(facts.notices.alerts),
    ...elsewhere.routes,
    ...credentials.routes,
    ...sessionRoutes(new SessionList({ database, hashId: (id) => keyring.sessionHash(id), nowSeconds })),
    ...systemRoutes({
      system: new SystemStateService({
        database,
        options,
        channels: () => snapshots.current().channels.all(),
        coolingSeconds: (channel) => coolingSeconds(relay.cooling, channel),
        defaultAddress: (type) => providerOf(type)?.baseUrl,
        reach: reachThrough(guard),
        own: { nodeId: base.nodeId, times: facts.times, failedTries: facts.failedTries },
        nowSeconds,
        now: clock.monotonic,
      }),
      tests: buildSelfTests(foundation, { guard, mailer: facts.notices.mailer }),
      facts: {
        version: facts.version,
        trustedProxies: config.trusted_proxies,
        egressAllow: config.security.egress_allow,
      },
    }),
    ...referenceRoutes(facts.version),
  ];
  const { limits } = config;
  const apiLimits = new ApiLimits({
    counters,
    rules: () => ({
      globalApi: limits.global_api,
      globalWeb: limits.global_web,
      critical: limits.critical,
      search: limits.search,
      download: limits.download,
      // How many is an option (D23), so that it can be changed while the daemon runs.
      perUser: { ...limits.per_user, count: options().get('UserApiRateLimit') },
    }),
  });
  const doors = {
    gateway: relay.gateway,
    limits: apiLimits,
    authentication,
    signer: keyring,
    trustedProxies: facts.trustedProxies,
    ids,
  };
  const playground = createPlaygroundListener(doors);
  const pictures = createDrawingImageListener(doors);
  const listener = createRequestListener({
    routes,
    relay: (request, response) =>
      relay.listener(request, response) || playground(request, response) || pictures(request, response),
    authentication,
    limits: apiLimits,
    humanCheck: new HumanCheck({ options, verify: accounts.verifyHuman, sessions, nowSeconds }),
    relayKeys: createRelayKeyCheck({
      tokenHash: (key) => keyring.tokenHash(key),
      resolve: (hash) => identities.resolve(hash),
      nowSeconds,
      setupDone,
    }),
    relayLanguage: (asked) => errorLanguage(snapshots.current(), asked),
    idempotency,
    stepUp,
    signer: keyring,
    secureCookies: (isSecure) => secureCookies(config.security.cookie_secure, isSecure, options),
    isServing: facts.isServing,
    pingDatabase: () => database.ping(),
    takesWrites: () => foundation.presence.isWritten,
    console: facts.console,
    options,
    pagesElsewhere: config.node.type === 'slave' ? config.site.frontend_base_url : undefined,
    trustedProxies: facts.trustedProxies,
    logAccess: (entry) => log.debug({ access: entry }, 'request'),
    reportFailure: (error, request) => {
      const isBug = !(error instanceof TollgateError) || error.kind === 'bug';
      if (isBug) log.error({ err: error, requestId: request.requestId }, 'a management call met a bug');
    },
  });
  return { setup, options: optionService, checks: channels.checks, listener, endStreams: () => live.events.close() };
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
