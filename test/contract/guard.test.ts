/**
 * Every endpoint of the contract against every kind of caller (management-api.md 2.4, 3.20, 6.3). Runs once: a guard reads
 * rows of users, sessions and keys, whose stores have a suite of their own on both engines.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressesOf, type Endpoint } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import type { Actor } from '../../daemon/domain/actor.ts';
import { TollgateError } from '../../daemon/errors.ts';
import type { Route } from '../../daemon/http/implement.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../support/http-harness.ts';
import { routeIndex } from './route-index.ts';

const guard = suite('guard of every route');

/** For whom a handler was reached last; undefined for nobody. */
let reachedBy: Actor | undefined;

/** A handler that says that it was reached: `busy` is what no guard says. */
const reached = (endpoint: Endpoint): Route => ({
  endpoint,
  answer: async ({ actor }) => {
    reachedBy = actor;
    throw new TollgateError('busy');
  },
});

const routes = endpointsOf(contract).map(({ endpoint }) => reached(endpoint));
const levels = { public: 0, optional: 0, user: 1, admin: 10, root: 100 } as const;

interface Caller {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** Code that a protected route answers; undefined when the identity is good. */
  readonly refused?: string;
  /** True when an optional route refuses as well: an explicit credential failed. */
  readonly strict?: boolean;
  readonly role?: number;
  readonly byToken?: boolean;
  /** True for a relay key that exists: good where relay keys are asked for, unknown everywhere else (S21). */
  readonly isRelayKey?: boolean;
}

let harness: HttpHarness;
let callers: Caller[];

function session(user: TestUser, id: string = String(user.user.id)): Record<string, string> {
  return { Cookie: user.cookie, 'Tollgate-User': id };
}

function token(user: TestUser, headers: Record<string, string> = {}): Record<string, string> {
  return { Authorization: `Bearer ${user.accessToken}`, ...headers };
}

guard.before(async () => {
  harness = await startHttpHarness({ onlyRoutes: routes });
  const [user, admin, root] = [
    await harness.addUser({ role: 1 }),
    await harness.addUser({ role: 10 }),
    await harness.addUser({ role: 100 }),
  ];
  const odd = await harness.addUser({ role: 5 });
  callers = [
    { name: 'anonymous', headers: {}, refused: 'auth_required' },
    { name: 'reverse-proxy password', headers: { Authorization: 'Basic dTpw' }, refused: 'auth_required' },
    { name: 'forged cookie', headers: { Cookie: 'session=abc.def', 'Tollgate-User': '1' }, refused: 'session_expired' },
    {
      name: 'unknown session',
      headers: { Cookie: `session=${harness.world.keyring.signSession('nobody')}`, 'Tollgate-User': '1' },
      refused: 'session_expired',
    },
    {
      name: 'unknown token',
      headers: { Authorization: `Bearer ${'x'.repeat(32)}` },
      refused: 'access_token_invalid',
      strict: true,
    },
    {
      name: 'relay key',
      headers: { Authorization: `Bearer sk-${'a'.repeat(48)}` },
      refused: 'access_token_invalid',
      strict: true,
    },
    {
      name: 'relay key of a user',
      headers: { Authorization: `Bearer sk-${await relayKeyOf(user)}` },
      refused: 'access_token_invalid',
      strict: true,
      isRelayKey: true,
    },
    { name: 'session without header', headers: { Cookie: user.cookie }, refused: 'user_header_missing' },
    { name: 'session with another id', headers: session(admin, String(user.user.id)), refused: 'user_header_mismatch' },
    { name: 'session with -1', headers: session(admin, '-1'), refused: 'user_header_malformed' },
    {
      name: 'session with two different ids',
      headers: { ...session(admin), 'New-Api-User': '999' },
      refused: 'user_header_mismatch',
    },
    {
      name: 'token with another id',
      headers: token(admin, { 'Veloera-User': '999' }),
      refused: 'user_header_mismatch',
      strict: true,
    },
    { name: 'role that is none', headers: token(odd), role: 5, refused: 'forbidden_role' },
    { name: 'role that is none by session', headers: session(odd), role: 5, refused: 'forbidden_role' },
  ];
  for (const [name, known] of Object.entries({ user, admin, root })) {
    const role = known.user.role;
    callers.push({ name: `${name} by session`, headers: session(known), role });
    callers.push({ name: `${name} by token`, headers: token(known), role, byToken: true });
    const ids = { 'New-Api-User': String(known.user.id), 'User-id': String(known.user.id) };
    callers.push({ name: `${name} by token with ids`, headers: token(known, ids), role, byToken: true });
  }
});

guard.after(() => harness.close());

async function relayKeyOf({ user }: TestUser): Promise<string> {
  const { database, keyring, nowSeconds } = harness.world;
  const key = 'K'.repeat(48);
  const limits = { modelLimitsEnabled: false, modelLimits: '', allowIps: '', group: '' };
  const quota = { unlimitedQuota: true, expiredTime: -1, createdTime: nowSeconds() };
  const secrets = { keyHash: keyring.tokenHash(key), keySealed: '', keyHint: 'KKKKKKKK' };
  await database.stores.tokens.insert({ userId: user.id, name: 'of the guard', ...secrets, ...quota, ...limits });
  return key;
}

function expected(endpoint: Endpoint, caller: Caller): string {
  if (endpoint.access === 'public') return 'busy';
  if (endpoint.access === 'key' || endpoint.access === 'key-read') {
    return caller.isRelayKey ? 'busy' : 'access_denied';
  }
  if (endpoint.access === 'optional') return caller.strict ? (caller.refused ?? 'busy') : 'busy';
  if (caller.refused) return caller.refused;
  if ((caller.role ?? 0) < levels[endpoint.access]) return 'forbidden_role';
  if (caller.byToken) return endpoint.credential === 'session-only' ? 'access_token_not_supported' : 'busy';
  return isProofAsked(endpoint) ? 'step_up_required' : 'busy';
}

/** Whether a session of an account without a second factor is asked who sits there (console.md N6). */
function isProofAsked({ freshProof }: Endpoint): boolean {
  return freshProof === 'second_factor' || freshProof === 'machine_token';
}

async function call(
  endpoint: Endpoint,
  headers: Record<string, string>,
  path: string,
): Promise<{ status: number; code: string }> {
  const { method } = endpoint;
  const body = method === 'POST' || method === 'PUT' ? { body: '{}' } : {};
  const response = await harness.request(path, { method, headers, ...body });
  const text = await response.text();
  if (endpoint.failures === 'callback') {
    assert.is(text, 'fail');
    return { status: response.status, code: 'busy' };
  }
  const answer: { code: string; success?: boolean; message: string } =
    endpoint.failures === 'openai' ? JSON.parse(text).error : JSON.parse(text);
  if (endpoint.failures === undefined) assert.is(answer.success, false);
  assert.type(answer.message, 'string');
  assert.match(response.headers.get('content-type') ?? '', 'json');
  assert.is(response.headers.get('cache-control'), 'no-store');
  return { status: response.status, code: answer.code };
}

/** Status under which the handler's refusal leaves; `openai` failures carry real ones. */
function reachedStatus({ failures, refusalStatus }: Endpoint): number {
  return failures === 'openai' ? 409 : (refusalStatus ?? 200);
}

const statusOf: Record<string, number> = {
  access_token_not_supported: 200,
  forbidden_role: 403,
  step_up_required: 403,
};

guard('lets each caller as far as its role and credential reach, on every endpoint', async () => {
  for (const { name, endpoint } of endpointsOf(contract)) {
    const path = endpoint.path.replace(/:[a-z_]+/g, '7');
    for (const caller of callers) {
      const answer = await call(endpoint, caller.headers, path);
      const code = expected(endpoint, caller);
      const status = code === 'busy' ? reachedStatus(endpoint) : (statusOf[code] ?? 401);
      assert.equal(answer, { status, code }, `${name} called by ${caller.name}`);
    }
  }
});

guard('takes a session whose header names somebody else for nobody where nobody may call, too', async () => {
  const [user, other] = [await harness.addUser(), await harness.addUser()];
  const optional = endpointsOf(contract).filter(({ endpoint }) => endpoint.access === 'optional');
  assert.ok(optional.length > 0);
  for (const { name, endpoint } of optional) {
    const path = endpoint.path.replace(/:[a-z_]+/g, '7');
    const actorBy = async (headers: Record<string, string>) => {
      assert.is((await call(endpoint, headers, path)).code, 'busy', name);
      return reachedBy?.userId;
    };
    assert.is(await actorBy(session(user)), user.user.id, name);
    assert.is(await actorBy(session(user, String(other.user.id))), undefined, name);
    assert.is(await actorBy(session(user, 'x')), undefined, name);
  }
});

guard('refuses disabled and deleted users with an old session and token, on every endpoint', async () => {
  const { stores } = harness.world.database;
  const disabled = await harness.addUser();
  const deleted = await harness.addUser();
  await stores.users.update(disabled.user.id, { status: 2 });
  await stores.users.softDelete(deleted.user.id, new Date());
  for (const { name, endpoint } of endpointsOf(contract)) {
    if (endpoint.access === 'public' || endpoint.access.startsWith('key')) continue;
    const path = endpoint.path.replace(/:[a-z_]+/g, '7');
    const isOptional = endpoint.access === 'optional';
    const byToken = await call(endpoint, token(disabled), path);
    assert.equal(byToken, { status: 403, code: 'user_disabled' }, name);
    // A soft deletion takes the access token away, so it is simply unknown.
    assert.equal(await call(endpoint, token(deleted), path), { status: 401, code: 'access_token_invalid' }, name);
    if (isOptional) continue;
    for (const [user, first, status] of [
      [disabled, 'user_disabled', 403],
      [deleted, 'user_gone', 401],
    ] as const) {
      const id = await openSession(user);
      const headers = { Cookie: `session=${id}`, 'Tollgate-User': String(user.user.id) };
      assert.equal(await call(endpoint, headers, path), { status, code: first }, name);
      assert.equal(await call(endpoint, headers, path), { status: 401, code: 'session_expired' }, `${name} again`);
    }
  }
});

async function openSession(user: TestUser): Promise<string> {
  const { database, keyring, nowSeconds } = harness.world;
  const id = `session-of-${user.user.id}-${Math.random()}`;
  await database.stores.sessions.insert({
    idHash: keyring.sessionHash(id),
    userId: user.user.id,
    data: '',
    authVersion: user.user.authVersion,
    createdAt: nowSeconds(),
    lastSeenAt: nowSeconds(),
    expiresAt: nowSeconds() + 1000,
    ip: '',
    userAgent: '',
  });
  return keyring.signSession(id);
}

guard('answers with and without trailing slash, never with a redirect', async () => {
  const root = await harness.addUser({ role: 100 });
  for (const { endpoint } of endpointsOf(contract)) {
    const plain = endpoint.path.replace(/:[a-z_]+/g, '7').replace(/\/$/, '');
    for (const path of [plain, `${plain}/`]) {
      const { status } = await call(endpoint, session(root), path);
      assert.ok(
        status === (isProofAsked(endpoint) ? 403 : (endpoint.refusalStatus ?? 200)) || status === 401,
        `${endpoint.method} ${path} answers ${status}`,
      );
    }
  }
});

guard('has every registered address, with its level, in the route index', () => {
  for (const { endpoint } of endpointsOf(contract)) {
    for (const { method, path } of addressesOf(endpoint)) {
      const address = `${method} ${path.length > 1 ? path.replace(/\/$/, '') : path}`;
      assert.is(routeIndex.get(address), endpoint.access, address);
    }
  }
});

guard('answers HEAD wherever a GET changes nothing, and 405 with Allow elsewhere', async () => {
  const root = await harness.addUser({ role: 100 });
  for (const { endpoint } of endpointsOf(contract)) {
    if (endpoint.method !== 'GET') continue;
    const path = endpoint.path.replace(/:[a-z_]+/g, '7');
    const { status, headers } = await harness.request(path, { method: 'HEAD', as: root });
    if (endpoint.effect === 'changes') {
      assert.is(status, 405, path);
      assert.not.match(headers.get('allow') ?? '', 'HEAD');
    } else assert.is.not(status, 405, path);
  }
});

guard.run();
