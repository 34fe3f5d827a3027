/** The management half: services over the stores, their routes, and the listener that serves API, pages and relay. */
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditTrail } from '../domain/audit-trail.ts';
import { CalendarDays } from '../domain/calendar-day.ts';
import type { ChannelCheckService } from '../domain/channel-checks.ts';
import { firstKeyIssuer } from '../domain/first-key.ts';
import { groupCounts } from '../domain/group-counts.ts';
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
import { TokenService } from '../domain/tokens.ts';
import { Catalogue } from '../domain/usable-models.ts';
import { UsageDataService } from '../domain/usage-data.ts';
import { UsageReportService } from '../domain/usage-report.ts';
import { UserService } from '../domain/users.ts';
import { WorkLists } from '../domain/works.ts';
import type { Route } from '../http/implement.ts';
import { billingRoutes } from '../http/routes/billing.ts';
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
import { tokenRoutes } from '../http/routes/management/tokens.ts';
import { usageDataRoutes } from '../http/routes/management/usage-data.ts';
import { usageReportRoutes } from '../http/routes/management/usage-reports.ts';
import { userRoutes } from '../http/routes/management/users.ts';
import { workRoutes } from '../http/routes/management/works.ts';
import { providers } from '../relay/providers/index.ts';
import { buildAccounts } from './accounts.ts';
import { buildAuthentication } from './authentication.ts';
import { buildChannels } from './channels.ts';
import { buildDeclaredState } from './declared-state.ts';
import { buildEvents } from './events.ts';
import { buildExternalSignIn } from './external-sign-in.ts';
import type { Foundation } from './foundation.ts';
import { buildLimits } from './limits.ts';
import { buildListener, type ListenerNeeds } from './listener.ts';
import { buildPayments } from './payments.ts';
import { buildPrices } from './prices.ts';
import type { RelayParts } from './relay.ts';
import { buildSecondFactors } from './second-factors.ts';
import { buildSystem, type SystemFacts } from './system.ts';

export interface ManagementFacts
  extends Pick<ListenerNeeds, 'trustedProxies' | 'console' | 'isServing' | 'metBug'>,
    Omit<SystemFacts, 'signInPages'> {}

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
  const { config, log, nowSeconds, keyring, database, bus, snapshots, identities, counters } = foundation;
  const language = config.site.default_language;
  const { require_original_password: needsOriginal, fresh_proof_for_administration: needsProof } = config.security;
  const originalPassword = needsOriginal ? 'always' : needsProof ? 'of-administrators' : 'when-sent';
  const options = () => snapshots.current().options;
  const setupDone = () => snapshots.current().setupDone;
  const channelName = (id: number) => snapshots.current().channels.get(id)?.record.name ?? '';
  const passwords = new Passwords();
  const failures = {
    failuresPerName: config.limits.login_failures,
    failuresPerAddress: config.limits.login_failures_by_address,
  };
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
    ...failures,
  });
  const issueFirstKey = config.security.generate_default_token
    ? firstKeyIssuer(tokens, ({ userId, error }) => log.warn({ err: error, userId }, 'a new account has no first key'))
    : undefined;
  const signInParts = { guard, sessions, secondStep, stepUp, authentication, issueFirstKey };
  const elsewhere = buildExternalSignIn(foundation, signInParts);
  const logs = new LogService({ database, options, nowSeconds, siteLanguage: language });
  const live = buildEvents(foundation, { cooling: relay.cooling, logs, channelName, report });
  const routes: Route[] = [
    ...setupRoutes(setup),
    ...buildSystem(foundation, relay, { ...facts, signInPages: elsewhere.pages }),
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
      stepUp,
      ownAccount: new OwnAccountService({
        ...common,
        passwords,
        sessions,
        counters,
        ...failures,
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
    ...userRoutes(new UserService({ ...common, passwords, originalPassword, renamedLimits, language }), stepUp),
    ...tokenRoutes(tokens),
    ...buildLimits(foundation, { options, optionService, tokens, keys: channels.keys }),
    ...channels.routes,
    ...optionRoutes(optionService, stepUp),
    ...logRoutes({ logs, channelName }),
    ...live.routes,
    ...auditRoutes(new AuditTrail({ database })),
    ...searchRoutes(new ObjectSearch({ database, secrets: keyring })),
    ...groupRoutes({ names: () => groupNames(options()), counts: (names) => groupCounts(names, database.stores) }),
    ...modelRoutes(catalog),
    ...buildPrices(foundation, { options: optionService, catalog, guard, report }),
    ...buildDeclaredState(foundation, { channels, alerts: facts.notices.alerts, cooling: relay.cooling }),
    ...workRoutes(new WorkLists({ stores: database.stores, options })),
    ...billingRoutes(options),
    ...usageDataRoutes(new UsageDataService({ database, options, hourly: relay.hourly, nowSeconds })),
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
    ...referenceRoutes(facts.version),
  ];
  const listener = buildListener(foundation, relay, {
    ...facts,
    routes,
    authentication,
    humanCheck: new HumanCheck({ options, verify: accounts.verifyHuman, sessions, nowSeconds }),
    idempotency,
    stepUp,
  });
  return { setup, options: optionService, checks: channels.checks, listener, endStreams: () => live.events.close() };
}
