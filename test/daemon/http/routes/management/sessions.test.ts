/** Sessions, seen and ended by their owners and by administrators. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../../../daemon/contract/client.ts';
import { SessionService } from '../../../../../daemon/domain/sessions.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';

const sessions = suite('sessions over HTTP');

async function withHarness(run: (harness: HttpHarness, root: TestUser) => Promise<void>): Promise<void> {
  const harness = await startHttpHarness();
  try {
    await run(harness, await harness.setup());
  } finally {
    await harness.close();
  }
}

/** Signs in by password as another browser; its cookie. */
async function signIn(harness: HttpHarness, user: TestUser, agent: string): Promise<string> {
  const answer = await harness.request('/api/user/login', {
    method: 'POST',
    headers: { 'User-Agent': agent },
    body: JSON.stringify({ username: user.user.username, password: user.password }),
  });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** A client whose credential is a session's cookie. */
function browser(harness: HttpHarness, user: TestUser, cookie: string) {
  return harness.client(undefined, { credentials: () => ({ cookie, userId: user.user.id }) });
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => '',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
}

/** Details of the audit rows about sessions of this user that were ended, the newest first. */
async function auditedEnds(harness: HttpHarness, { user }: TestUser): Promise<unknown[]> {
  const filter = { action: 'session.end', target: `user:${user.id}` };
  const rows = await harness.world.database.stores.audits.listBefore(filter, { limit: 9 });
  return rows.map(({ detail }) => JSON.parse(detail));
}

sessions('are listed with the current one marked, and without what would open one', () =>
  withHarness(async (harness) => {
    const alice = await harness.addUser();
    const cookie = await signIn(harness, alice, 'Firefox');
    const client = browser(harness, alice, cookie);
    const listed = await client.sessions.list({});
    assert.is(listed.length, 2);
    const [current] = listed.filter((session) => session.current);
    assert.equal([current?.user_agent, current?.ip], ['Firefox', '127.0.0.1']);
    assert.is(listed.filter((session) => session.current).length, 1);
    const stored = await harness.world.database.stores.sessions.listOfUser(alice.user.id);
    for (const { idHash } of stored) assert.not.ok(JSON.stringify(listed).includes(idHash.slice(0, 12)));
    assert.ok(
      (await harness.client(alice).sessions.list({})).every((session) => !session.current),
      'a token is none',
    );
  }),
);

sessions('end at once, one by one or all others, and their cookies open nothing any more', () =>
  withHarness(async (harness) => {
    const alice = await harness.addUser();
    const bob = await harness.addUser();
    const [mine, lost] = [await signIn(harness, alice, 'mine'), await signIn(harness, alice, 'lost')];
    const client = browser(harness, alice, mine);
    const [target] = (await client.sessions.list({})).filter(({ user_agent }) => user_agent === 'lost');
    assert.is(await codeOf(harness.client(bob).sessions.end({ session: target?.id ?? '' })), 'session_not_found');
    await client.sessions.end({ session: target?.id ?? '' });
    assert.equal(await auditedEnds(harness, alice), [{ ended: 1 }]);
    assert.is(await codeOf(browser(harness, alice, lost).account.get()), 'session_expired');
    assert.is(await codeOf(client.sessions.end({ session: target?.id ?? '' })), 'session_not_found');
    await signIn(harness, alice, 'another');
    assert.equal(await client.sessions.endAll({ others: true }), { ended: 2 });
    assert.is((await client.account.get()).id, alice.user.id);
    const ended = await harness.request('/api/session/', {
      method: 'DELETE',
      headers: { Cookie: mine, 'Tollgate-User': String(alice.user.id) },
    });
    assert.match(ended.headers.get('set-cookie') ?? '', /session=;/);
    assert.is(await codeOf(client.account.get()), 'session_expired');
    assert.is((await harness.client(alice).account.get()).id, alice.user.id, 'the access token is no session');
  }),
);

sessions('of others are for administrators, by the rules of managing users, and audited', () =>
  withHarness(async (harness, root) => {
    const [alice, admin, peer] = [await harness.addUser(), ...(await addAdmins(harness))];
    const of = (user: TestUser) => ({ user_id: user.user.id });
    const cases: [TestUser, TestUser, string][] = [
      [alice, admin, 'forbidden_role'],
      [admin, alice, ''],
      [admin, peer, 'user_same_level'],
      [admin, root, 'user_same_level'],
      [root, admin, ''],
      [alice, alice, ''],
    ];
    for (const [caller, whose, code] of cases) {
      const client = harness.client(caller);
      assert.is(await codeOf(client.sessions.list(of(whose))), code);
      assert.is(await codeOf(client.sessions.endAll(of(whose))), code);
    }
    assert.is(await codeOf(browser(harness, alice, alice.cookie).account.get()), 'session_expired');
    const target = `user:${alice.user.id}`;
    const audited = await harness.world.database.stores.audits.listBefore(
      { action: 'session.end', target },
      { limit: 9 },
    );
    assert.equal(audited.map(({ actorId }) => actorId).sort(), [alice.user.id, admin.user.id]);
    assert.is(await codeOf(harness.client(admin).sessions.list({ user_id: 999 })), 'user_not_found');
  }),
);

sessions('that a new password has ended are listed no more, and cannot be ended again', () =>
  withHarness(async (harness, root) => {
    const alice = await harness.addUser();
    const of = { user_id: alice.user.id };
    const [listed] = await harness.client(root).sessions.list(of);
    assert.ok(listed);
    await harness.client(root).users.update({ id: alice.user.id, password: 'another good one' });
    const stored = () => harness.world.database.stores.sessions.listOfUser(alice.user.id);
    assert.is((await stored()).length, 1, 'its row goes with its time');
    assert.equal(await harness.client(root).sessions.list(of), []);
    assert.is(await codeOf(harness.client(root).sessions.end({ session: listed.id, ...of })), 'session_not_found');
    await signIn(harness, { ...alice, password: 'another good one' }, 'later');
    assert.equal(await harness.client(root).sessions.endAll(of), { ended: 1 }, 'the one that there was to end');
    assert.equal(await stored(), [], 'and no row is left');
  }),
);

sessions('that a new password has ended lose their rows as soon as one of their browsers calls', () =>
  withHarness(async (harness, root) => {
    const alice = await harness.addUser();
    await harness.client(root).users.update({ id: alice.user.id, password: 'another good one' });
    const stored = () => harness.world.database.stores.sessions.listOfUser(alice.user.id);
    assert.is((await stored()).length, 1);
    assert.is(await codeOf(browser(harness, alice, alice.cookie).account.get()), 'session_expired');
    assert.equal(await stored(), []);
  }),
);

sessions('keep the beginning of a long name of the program that opened them', () =>
  withHarness(async (harness) => {
    const alice = await harness.addUser();
    const { database, keyring, nowSeconds } = harness.world;
    const agent = 'a'.repeat(501);
    await signIn(harness, alice, agent);
    const stored = await database.stores.sessions.listOfUser(alice.user.id);
    assert.ok(stored.some(({ userAgent }) => userAgent === 'a'.repeat(500)));
    const opened = { action: 'session.open', actorId: alice.user.id };
    const [audited] = await database.stores.audits.listBefore(opened, { limit: 1 });
    assert.is(JSON.parse(audited?.detail ?? '{}').user_agent, 'a'.repeat(500));
    const { stores } = database;
    const hashId = (id: string) => keyring.sessionHash(id);
    const service = new SessionService({ stores, hashId, nowSeconds, report: () => assert.unreachable() });
    const id = await service.openAnonymous({ ip: '', userAgent: agent, state: {} });
    assert.is((await service.find(id))?.userAgent, 'a'.repeat(500));
  }),
);

sessions('whose time is over are listed no more, and are none that could be ended', () =>
  withHarness(async (harness) => {
    const alice = await harness.addUser();
    const mine = harness.client(alice);
    harness.world.clock.seconds += 30 * 86_400 - 1;
    const [listed] = await mine.sessions.list({});
    assert.is(listed?.expires_at, harness.world.nowSeconds() + 1);
    harness.world.clock.seconds += 1;
    assert.equal(await mine.sessions.list({}), []);
    assert.is(await codeOf(mine.sessions.end({ session: listed?.id ?? '' })), 'session_not_found');
    assert.equal(await mine.sessions.endAll({}), { ended: 0 });
  }),
);

sessions('keep what somebody else has noted in them since they were read', () =>
  withHarness(async (harness) => {
    const alice = await harness.addUser();
    const { sessions: stored } = harness.world.database.stores;
    const [session] = await stored.listOfUser(alice.user.id);
    assert.ok(session);
    const { idHash, data } = session;
    assert.ok(await stored.replaceData(idHash, { from: data, to: '{"humanUntil":1}' }));
    assert.is(await stored.replaceData(idHash, { from: data, to: '{"humanUntil":2}' }), undefined);
    assert.is((await stored.find(idHash))?.data, '{"humanUntil":1}');
  }),
);

async function addAdmins(harness: HttpHarness): Promise<[TestUser, TestUser]> {
  return [await harness.addUser({ role: 10 }), await harness.addUser({ role: 10 })];
}

sessions.run();
