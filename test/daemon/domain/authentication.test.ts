/** Who is calling, judged without a server: headers, sessions and tokens in the order of management-api.md 2.4. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Authentication,
  type AuthenticationDeps,
  endsSession,
  type Presented,
} from '../../../daemon/domain/authentication.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import type { MachineTokenRecord } from '../../../daemon/store/machine-tokens.ts';
import type { SessionRecord } from '../../../daemon/store/sessions.ts';
import type { UserRecord } from '../../../daemon/store/users.ts';
import { userRecord } from '../../support/account-records.ts';
import { codeOf } from '../../support/refusal-code.ts';

const callers = suite('callers of the management API');

const now = 1_800_000_000;
const accessToken = 'a'.repeat(32);
const secret = `tgm_${'b'.repeat(43)}`;
const sessionOf = (over: Partial<SessionRecord> = {}): SessionRecord => ({
  idHash: 'hash',
  userId: 7,
  data: '',
  authVersion: 1,
  createdAt: now,
  lastSeenAt: now,
  expiresAt: now + 60,
  ip: '',
  userAgent: '',
  ...over,
});
const machineTokenOf = (over: Partial<MachineTokenRecord> = {}): MachineTokenRecord => ({
  id: 3,
  userId: 7,
  name: 'a script',
  secretHash: 'hash',
  previousHash: null,
  previousUntil: 0,
  scopes: 'user:read',
  allowIps: '',
  role: 10,
  createdAt: now,
  expiresAt: now + 1,
  lastUsedAt: 0,
  ...over,
});

interface Known {
  readonly user?: UserRecord | undefined;
  readonly session?: SessionRecord | undefined;
  readonly token?: MachineTokenRecord | undefined;
}

/** User 7, an administrator, with a session, an access token and a machine token. */
function world(known: Known = {}) {
  const { user, session, token } = {
    user: userRecord({ id: 7, role: 10, accessTokenHash: 'of token', accessTokenExpiresAt: now + 9 }),
    session: sessionOf(),
    token: machineTokenOf(),
    ...known,
  };
  const ended: string[] = [];
  const seen: string[] = [];
  const asked: string[] = [];
  const deps: AuthenticationDeps = {
    findSession: async (id) => (id === 'mine' ? session : undefined),
    endSession: async (id) => void ended.push(id),
    sessionSeen: ({ idHash }) => void seen.push(idHash),
    findUser: (id) => (id === user?.id ? user : undefined),
    findUserByAccessToken: async (sent) => {
      asked.push(sent);
      return sent === accessToken ? user : undefined;
    },
    findMachineToken: async (sent) => {
      asked.push(sent);
      return sent === secret && token ? { token, isCurrent: true } : undefined;
    },
    machineTokenSeen: ({ name }) => void seen.push(name),
    nowSeconds: () => now,
  };
  return { authentication: new Authentication(deps), deps, ended, seen, asked };
}

const shown = (over: Partial<Presented> = {}): Presented => ({
  authorization: undefined,
  session: undefined,
  userIds: [],
  clientAddress: '203.0.113.1',
  ...over,
});
const named = (...values: string[]) => values.map((value) => ({ name: 'New-Api-User', value }));
const mine = (over: Partial<Presented> = {}) => shown({ session: 'mine', userIds: named('7'), ...over });
const byToken = (token: string, over: Partial<Presented> = {}) => shown({ authorization: token, ...over });

callers('are known by session and header, or by a token, which ends when its credential does', async () => {
  const { authentication, seen } = world();
  const actors = [mine(), byToken(accessToken), byToken(`Bearer ${secret}`)].map((one) =>
    authentication.require(one, 10),
  );
  assert.equal(
    (await Promise.all(actors)).map(({ userId, role, via, credentialEndsAt, ip }) => [
      userId,
      role,
      via,
      credentialEndsAt,
      ip,
    ]),
    [
      [7, 10, 'session', now + 60, '203.0.113.1'],
      [7, 10, 'access-token', now + 9, '203.0.113.1'],
      [7, 10, 'machine-token', now + 1, '203.0.113.1'],
    ],
  );
  const [bySession, byAccess, byMachine] = await Promise.all(actors);
  assert.equal(
    [bySession?.authVersion, byAccess?.accessTokenHash, byMachine?.machineToken],
    [1, 'of token', { id: 3, name: 'a script', scopes: ['user:read'], isCurrent: true }],
  );
  assert.equal(seen.sort(), ['a script', 'hash']);
});

callers('of a route for everybody are nobody where their session or its header does not hold', async () => {
  const { authentication } = world();
  const whose = async (presented: Presented) => (await authentication.findOptional(presented))?.userId;
  assert.equal(await Promise.all([whose(mine()), whose(mine({ userIds: [] }))]), [7, 7]);
  assert.equal(
    await Promise.all([
      whose(mine({ userIds: named('8') })),
      whose(mine({ userIds: named('x') })),
      whose(shown()),
      whose(shown({ session: 'invalid' })),
    ]),
    [undefined, undefined, undefined, undefined],
  );
  assert.is(await codeOf(authentication.findOptional(mine({ authorization: 'wrong' }))), 'access_token_invalid');
  assert.is((await authentication.findBySession(mine({ userIds: named('8') })))?.userId, 7);
  const disabled = world({ user: userRecord({ id: 7, status: 2 }) });
  assert.is(await disabled.authentication.findBySession(mine()), undefined);
  assert.is(await disabled.authentication.findOptional(mine()), undefined);
});

callers('sign out of their own session alone', async () => {
  const ends = (presented: Presented, known: Known = {}) => world(known).authentication.sessionToEnd(presented);
  assert.is(await ends(mine()), 'mine');
  assert.is(await codeOf(ends(mine({ userIds: [] }))), 'user_header_missing');
  assert.is(await codeOf(ends(mine({ userIds: named('8') }))), 'user_header_mismatch');
  assert.is(await ends(mine({ userIds: [] }), { session: sessionOf({ userId: null }) }), 'mine');
  assert.is(await ends(mine({ userIds: [] }), { user: undefined }), 'mine');
  for (const session of ['invalid', 'unknown', undefined] as const) assert.is(await ends(mine({ session })), undefined);
});

callers('are refused by the first thing that is wrong, and their session ends with their account', async () => {
  const refusal = async (presented: Presented, known: Known = {}) => {
    const { authentication, ended } = world(known);
    return [await codeOf(authentication.require(presented, 10)), ...ended];
  };
  const deleted = userRecord({ id: 7, authVersion: 2, deletedAt: new Date() });
  const disabled = userRecord({ id: 7, status: 2, authVersion: 2 });
  assert.equal(await refusal(shown()), ['auth_required']);
  assert.equal(await refusal(shown({ session: 'invalid' })), ['session_expired']);
  assert.equal(await refusal(mine({ session: 'unknown' })), ['session_expired']);
  assert.equal(await refusal(mine(), { session: sessionOf({ userId: null }) }), ['auth_required']);
  assert.equal(await refusal(mine(), { session: sessionOf({ authVersion: 0 }) }), ['session_expired', 'mine']);
  assert.equal(await refusal(mine(), { user: undefined }), ['user_gone']);
  assert.equal(await refusal(mine(), { user: deleted }), ['user_gone', 'mine']);
  assert.equal(await refusal(mine(), { user: disabled }), ['user_disabled', 'mine']);
  assert.equal(await refusal(mine({ authorization: accessToken }), { user: disabled }), ['user_disabled']);
  assert.equal(await refusal(mine({ userIds: named('7', '8') })), ['user_header_mismatch']);
  assert.equal(await refusal(mine(), { user: userRecord({ id: 7 }) }), ['forbidden_role']);
  assert.equal(await refusal(mine(), { user: userRecord({ id: 7, role: 50 }) }), ['forbidden_role']);
});

callers('by machine token act as no more than it may, from where it may, until it ends', async () => {
  const outcome = async (token: MachineTokenRecord | undefined, user?: UserRecord) => {
    const { authentication } = world({ token, ...(user ? { user } : {}) });
    return authentication.require(byToken(secret), 1).then(
      ({ role }) => role,
      (error: unknown) => (error instanceof TollgateError ? error.code : error),
    );
  };
  const root = userRecord({ id: 7, role: 100 });
  assert.equal([await outcome(machineTokenOf(), root), await outcome(machineTokenOf({ role: 100 }), root)], [10, 100]);
  assert.is(await outcome(machineTokenOf(), userRecord({ id: 7, role: 1 })), 1);
  assert.is(await outcome(machineTokenOf(), userRecord({ id: 7, role: 50 })), 'forbidden_role');
  assert.is(await outcome(machineTokenOf({ expiresAt: now })), 'machine_token_expired');
  assert.is(await outcome(machineTokenOf({ allowIps: '198.51.100.0/24' })), 'ip_not_allowed');
  assert.is(await outcome(machineTokenOf({ userId: 8 })), 'user_gone');
  assert.is(await outcome(undefined), 'machine_token_invalid');
});

callers('are told which header is missing or malformed; spaces around a number are none of its faults', async () => {
  const { authentication } = world();
  const refusal = (userIds: Presented['userIds']) =>
    authentication.require(mine({ userIds }), 1).then(
      ({ userId }) => userId,
      (error: unknown) => (error instanceof TollgateError ? [error.code, error.params.name] : error),
    );
  assert.equal(await refusal([]), ['user_header_missing', 'Veloera-User']);
  const malformed = { name: 'User-id', value: '7x' };
  assert.equal(await refusal([...named('7'), malformed]), ['user_header_malformed', 'User-id']);
  assert.is(await refusal(named(' 7 ')), 7);
});

callers('are what their account is, and bring what the request says of itself', async () => {
  const { authentication } = world({ user: userRecord({ id: 7, username: 'grace', group: 'vip' }) });
  const actor = await authentication.require(mine({ requestId: 'a request', userAgent: 'a browser' }), 1);
  const { username, status, group, requestId, userAgent } = actor;
  assert.equal([username, status, group, requestId, userAgent], ['grace', 1, 'vip', 'a request', 'a browser']);
});

callers('are not taken for nobody while the database is away', async () => {
  const away = new Authentication({
    ...world().deps,
    findSession: () => Promise.reject(new TollgateError('db_unavailable')),
  });
  assert.is(await codeOf(away.findOptional(mine())), 'db_unavailable');
  assert.is(await codeOf(away.findBySession(mine())), 'db_unavailable');
});

callers('cost no look-up with what cannot be a token', async () => {
  const { authentication, asked } = world();
  for (const sent of ['x', 'a'.repeat(33), `${secret}c`, 'tgm_'])
    await codeOf(authentication.require(byToken(sent), 1));
  assert.equal(asked, []);
  for (const none of ['Basic dXNlcjpwYXNz', 'basic', ' ', 'Bearer ', 'bearer']) {
    assert.is((await authentication.require(mine({ authorization: none }), 1)).via, 'session', none);
  }
});

callers('lose their cookie by refusals that end a session, and by no others', () => {
  const ending = (
    ['session_expired', 'user_gone', 'user_disabled', 'auth_required', 'user_header_mismatch'] as const
  ).filter((code) => endsSession(new TollgateError(code)));
  assert.equal(ending, ['session_expired', 'user_gone', 'user_disabled']);
  assert.is(endsSession(new Error('session_expired')), false);
});

callers.run();
