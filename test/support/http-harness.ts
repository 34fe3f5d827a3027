/** The management API over a real database and a real socket, composed of what these tests need. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryCounters } from '../../daemon/cluster/memory-counters.ts';
import { buildSecondFactors } from '../../daemon/composition/second-factors.ts';
import { type Client, type ClientOptions, createClient } from '../../daemon/contract/client.ts';
import type { Endpoint } from '../../daemon/contract/endpoint.ts';
import { AccessTokenService } from '../../daemon/domain/access-tokens.ts';
import { ApiLimits, type RateRules } from '../../daemon/domain/api-limits.ts';
import { Authentication } from '../../daemon/domain/authentication.ts';
import { CliSignIns } from '../../daemon/domain/cli-sign-ins.ts';
import { HumanCheck, type HumanCheckVerifier } from '../../daemon/domain/human-check.ts';
import { IdempotentCalls } from '../../daemon/domain/idempotency.ts';
import { MachineTokenService } from '../../daemon/domain/machine-tokens.ts';
import { MailLimits } from '../../daemon/domain/mail-limits.ts';
import { NoticeTests } from '../../daemon/domain/notice-tests.ts';
import { OwnAccountService } from '../../daemon/domain/own-account.ts';
import { Passwords } from '../../daemon/domain/passwords.ts';
import { RegistrationService } from '../../daemon/domain/registration.ts';
import { SessionList } from '../../daemon/domain/session-list.ts';
import { SessionService } from '../../daemon/domain/sessions.ts';
import { SetupService } from '../../daemon/domain/setup.ts';
import { SignInService } from '../../daemon/domain/sign-in.ts';
import { Catalogue } from '../../daemon/domain/usable-models.ts';
import { UserService } from '../../daemon/domain/users.ts';
import { createRequestListener } from '../../daemon/http/app.ts';
import type { Route } from '../../daemon/http/implement.ts';
import type { AccessEntry } from '../../daemon/http/middleware/access-log.ts';
import { TrustedProxies } from '../../daemon/http/middleware/client-address.ts';
import { createRelayKeyCheck } from '../../daemon/http/middleware/relay-key.ts';
import { accountRoutes } from '../../daemon/http/routes/management/account.ts';
import { cliSignInRoutes } from '../../daemon/http/routes/management/cli-sign-ins.ts';
import { machineTokenRoutes } from '../../daemon/http/routes/management/machine-tokens.ts';
import { referenceRoutes } from '../../daemon/http/routes/management/reference.ts';
import { sessionRoutes } from '../../daemon/http/routes/management/sessions.ts';
import { setupRoutes } from '../../daemon/http/routes/management/setup.ts';
import { statusRoutes } from '../../daemon/http/routes/management/status.ts';
import { userRoutes } from '../../daemon/http/routes/management/users.ts';
import type { NewUser, UserRecord } from '../../daemon/store/users.ts';
import { checkAnswer } from './answer-check.ts';
import { type DomainWorld, openDomainWorld } from './domain-world.ts';
import { openRules, unlimited } from './open-rules.ts';

export interface HarnessOptions {
  readonly setupToken?: string;
  readonly trustedProxies?: readonly string[];
  readonly rules?: Partial<RateRules>;
  readonly failuresPerName?: number;
  /** Whether reading channel keys and changing root's options wants a fresh proof. */
  readonly proofForAdministration?: 'asked' | 'not-asked';
  readonly verifyHuman?: HumanCheckVerifier;
  readonly originalPassword?: 'when-sent' | 'of-administrators' | 'always';
  readonly isServing?: () => boolean;
  readonly takesWrites?: () => boolean;
  readonly pagesElsewhere?: string;
  /** Instead of all routes of this harness. */
  readonly onlyRoutes?: readonly Route[];
  /** Routes of other resources, made over the same world. */
  readonly routes?: (world: DomainWorld) => readonly Route[];
}

/** A user of the harness with every credential there is. */
export interface TestUser {
  readonly user: UserRecord;
  readonly password: string;
  readonly cookie: string;
  readonly accessToken: string;
}

export interface HttpHarness {
  readonly url: string;
  readonly world: DomainWorld;
  readonly accessTokens: AccessTokenService;
  readonly machineTokens: MachineTokenService;
  readonly access: AccessEntry[];
  /** What was thrown, the newest last. */
  readonly failures: unknown[];
  /** Rows that calls are let in by instead of the stored ones, as on a node that has not been told of a change yet. */
  readonly remembered: Map<number, UserRecord>;
  /** Token of the first start; undefined when none was made. */
  readonly printedToken: string | undefined;
  client(user?: TestUser, options?: Partial<ClientOptions>): Client;
  request(path: string, init?: RequestInit & { as?: TestUser; via?: 'session' | 'access-token' }): Promise<Response>;
  /** Runs the setup as `root`, password `root password`. */
  setup(): Promise<TestUser>;
  /** A user made beside the API, with a session and an access token. */
  addUser(fields?: Partial<NewUser> & { readonly quota?: number }): Promise<TestUser>;
  close(): Promise<void>;
}

const testPassword = 'a good password';
/** Hashed once: it is made to take its time. */
let testPasswordHash: Promise<string> | undefined;

export async function startHttpHarness(options: HarnessOptions = {}): Promise<HttpHarness> {
  const opened = await openDomainWorld();
  const idempotency = new IdempotentCalls({
    database: opened.database,
    seal: (context, plain) => opened.keyring.seal(context, plain),
    unseal: (context, sealed) => opened.keyring.open(context, sealed),
    hash: (route, content) => opened.keyring.codeHash('idempotency', route, content),
    nowSeconds: opened.nowSeconds,
    sleep: () => sleep(5),
  });
  const world = { ...opened, database: idempotency.database };
  const { database, bus, keyring, nowSeconds, snapshots } = world;
  const passwords = new Passwords();
  const view = () => snapshots.current();
  const optionsView = () => view().options;
  const setupDone = () => view().setupDone;
  const access: AccessEntry[] = [];
  const failures: unknown[] = [];
  const remembered = new Map<number, UserRecord>();
  const counters = new MemoryCounters({ now: () => performance.now() });
  const sessions = new SessionService({
    stores: database.stores,
    hashId: (id) => keyring.sessionHash(id),
    nowSeconds,
    report: (cause) => failures.push(cause),
  });
  const accessTokens = new AccessTokenService({
    database,
    bus,
    hashToken: (token) => keyring.accessTokenHash(token),
    lifeDays: 365,
    nowSeconds,
  });
  const machineTokens = new MachineTokenService({
    database,
    hashSecret: (secret) => keyring.machineTokenHash(secret),
    nowSeconds,
    report: (cause) => failures.push(cause),
  });
  const authentication = new Authentication({
    findSession: (id) => sessions.find(id),
    endSession: (id) => sessions.end(id),
    sessionSeen: (session) => sessions.seen(session),
    findUser: (id) => remembered.get(id) ?? database.stores.users.find(id),
    findUserByAccessToken: (token) => accessTokens.findUser(token),
    findMachineToken: (secret) => machineTokens.find(secret),
    machineTokenSeen: (token) => machineTokens.seen(token),
    nowSeconds,
  });
  const setup = new SetupService({
    database,
    bus,
    passwords,
    options: optionsView,
    language: 'en',
    version: '0.0.0-test',
    configuredToken: options.setupToken,
    nowSeconds,
  });
  const failureLimit = { enabled: true, count: options.failuresPerName ?? 10, seconds: 900 };
  const failureLimits = {
    failuresPerName: failureLimit,
    failuresPerAddress: { enabled: true, count: 1000, seconds: 1200 },
  };
  const cliSignIns = new CliSignIns({
    database,
    machineTokens,
    counters,
    ...failureLimits,
    hash: keyring.codeHash,
    siteAddress: () => optionsView().get('ServerAddress'),
    nowSeconds,
  });
  const config = {
    limits: {
      login_failures: failureLimits.failuresPerName,
      login_failures_by_address: failureLimits.failuresPerAddress,
    },
    security: { fresh_proof_for_administration: options.proofForAdministration === 'asked' },
  };
  const {
    secondStep,
    stepUp,
    routes: secondFactorRoutes,
  } = buildSecondFactors(
    { ...world, counters, config },
    { sessions, passwords, letters: { secondFactorChanged: () => undefined } },
  );
  const signIn = new SignInService({
    database,
    passwords,
    secondStep,
    counters,
    options: optionsView,
    setupDone,
    ...failureLimits,
  });
  const registration = new RegistrationService({
    database,
    passwords,
    options: optionsView,
    setupDone,
    emailProof: undefined,
    language: 'en',
    nowSeconds,
  });
  const { originalPassword = 'when-sent' } = options;
  const renamedLimits = { carry: async () => async () => undefined };
  const ofAccounts = { database, bus, passwords, originalPassword, renamedLimits, nowSeconds };
  const acceptsWebhook = (url: string) => !url.includes('127.0.0.1');
  const ownAccount = new OwnAccountService({ ...ofAccounts, ...failureLimits, counters, sessions, acceptsWebhook });
  const users = new UserService({ ...ofAccounts, options: optionsView, language: 'en' });
  const signInPages = { github: 'https://github.example/authorize', linuxdo: 'https://linuxdo.example/authorize' };
  const facts = { version: '0.0.0-test', startTime: nowSeconds(), timeZone: 'UTC', batchUpdate: false };
  const site = { ...facts, signInPages, features: [] };
  const pingDatabase = () => database.ping();
  const prepared = await setup.prepare();
  const printedToken = typeof prepared === 'string' ? undefined : prepared.token;
  const listener = createRequestListener({
    routes: options.onlyRoutes ?? [
      ...setupRoutes(setup),
      ...statusRoutes({ site, options: optionsView, setupDone, pingDatabase }),
      ...accountRoutes({
        signIn,
        registration,
        authentication,
        sessions,
        stepUp,
        ownAccount,
        accessTokens,
        signOutAddress: async () => undefined,
        noticeTests: new NoticeTests({
          database,
          deliver: async () => undefined,
          limits: new MailLimits({
            counters,
            perCaller: unlimited,
            perRecipient: unlimited,
            perRecipientAndDay: unlimited,
          }),
          options: optionsView,
          nowSeconds,
        }),
        catalogue: new Catalogue(view),
      }),
      ...userRoutes(users, stepUp),
      ...secondFactorRoutes,
      ...machineTokenRoutes(machineTokens),
      ...cliSignInRoutes(cliSignIns),
      ...sessionRoutes(new SessionList({ database, hashId: (id) => keyring.sessionHash(id), nowSeconds })),
      ...referenceRoutes(site.version),
      ...(options.routes?.(world) ?? []),
    ],
    authentication,
    limits: new ApiLimits({ counters, rules: () => ({ ...openRules, ...options.rules }) }),
    humanCheck: new HumanCheck({ options: optionsView, verify: options.verifyHuman, sessions, nowSeconds }),
    relayLanguage: () => 'en',
    relayKeys: createRelayKeyCheck({
      setupDone: () => true,
      tokenHash: (key) => keyring.tokenHash(key),
      resolve: async (hash) => {
        const token = await database.stores.tokens.findByKeyHash(hash);
        const user = token && (await database.stores.users.find(token.userId));
        return token && user ? { token, user } : undefined;
      },
      nowSeconds,
    }),
    idempotency,
    stepUp,
    signer: keyring,
    secureCookies: (isSecure) => isSecure,
    inspectAnswer: (endpoint: Endpoint, value: unknown) => checkAnswer(endpoint, value),
    isServing: options.isServing ?? (() => true),
    pingDatabase,
    takesWrites: options.takesWrites ?? (() => true),
    console: undefined,
    options: optionsView,
    pagesElsewhere: options.pagesElsewhere,
    trustedProxies: new TrustedProxies(options.trustedProxies ?? []),
    logAccess: (entry) => access.push(entry),
    reportFailure: (error) => failures.push(error),
  });
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${portOf(server)}`;

  const credentialsOf = async (user: UserRecord, password: string): Promise<TestUser> => {
    const id = await sessions.openFor(user, { ip: '127.0.0.1', userAgent: 'test', replaces: undefined });
    const token = await accessTokens.issue({ ...user, userId: user.id, via: 'session', ip: '127.0.0.1' });
    const fresh = (await database.stores.users.find(user.id)) ?? user;
    return { user: fresh, password, cookie: `session=${keyring.signSession(id)}`, accessToken: token };
  };
  let added = 0;

  return {
    url,
    world,
    accessTokens,
    machineTokens,
    access,
    failures,
    remembered,
    printedToken,
    client: (user, over = {}) =>
      createClient({
        baseUrl: url,
        retries: 0,
        language: () => 'en',
        credentials: () => (user ? { accessToken: user.accessToken, userId: user.user.id } : {}),
        ...over,
      }),
    request: (path, { as, via = 'session', ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (as && via === 'session') {
        headers.set('Cookie', as.cookie);
        if (!headers.has('Tollgate-User')) headers.set('Tollgate-User', String(as.user.id));
      }
      if (as && via === 'access-token') headers.set('Authorization', `Bearer ${as.accessToken}`);
      if (typeof init.body === 'string' && !headers.has('Content-Type'))
        headers.set('Content-Type', 'application/json');
      return fetch(`${url}${path}`, { redirect: 'manual', ...init, headers });
    },
    setup: async () => {
      const password = 'root password';
      await createClient({ baseUrl: url, retries: 0 }).setup.submit(
        { username: 'root', password, confirmPassword: password },
        { headers: { 'X-Setup-Token': options.setupToken ?? printedToken ?? '' } },
      );
      const root = await database.stores.users.findByUsername('root');
      if (!root) throw new Error('the setup left no root user');
      return credentialsOf(root, password);
    },
    addUser: async ({ quota, ...fields } = {}) => {
      added += 1;
      const number = added;
      const inserted = await database.stores.users.insert({
        role: 1,
        status: 1,
        group: 'default',
        displayName: `User ${number}`,
        password: await (testPasswordHash ??= passwords.hash(testPassword)),
        affCode: `code${number}`,
        createdAt: nowSeconds(),
        ...fields,
        username: fields.username ?? `user${number}`,
      });
      if (!inserted.inserted) throw new Error(`a test user's ${inserted.conflict} is taken`);
      if (quota) {
        await database.transaction(async (stores) => {
          await stores.ledger.applySettlements({
            users: [{ id: inserted.user.id, refund: quota, used: 0, requests: 0 }],
          });
        });
      }
      return credentialsOf(inserted.user, testPassword);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await world.close();
    },
  };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server is not listening');
  return address.port;
}
