import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpHarness, startHttpHarness } from '../../support/http-harness.ts';
import { assertRefused } from '../../support/refusals.ts';

const setup = suite('first run');

const good = { username: 'root', password: 'root password', confirmPassword: 'root password' };
/** A client that does not speak for itself, so it is not local. */
const elsewhere = { 'X-Forwarded-For': '203.0.113.9' };

async function withHarness(work: (harness: HttpHarness) => Promise<void>, options = {}): Promise<void> {
  const harness = await startHttpHarness(options);
  try {
    await work(harness);
  } finally {
    await harness.close();
  }
}

setup('creates root with its quota, options and log row, once', () =>
  withHarness(async (harness) => {
    const { stores } = harness.world.database;
    assert.is((await harness.client().status.get()).setup, false);
    await harness.client().setup.submit({ ...good, username: '  root ', SelfUseModeEnabled: true });
    const status = await harness.client().status.get();
    assert.equal([status.setup, status.self_use_mode_enabled, status.demo_site_enabled], [true, true, false]);
    const root = await stores.users.findByUsername('root');
    assert.equal([root?.role, root?.quota, root?.displayName, root?.status], [100, 100_000_000, 'Root User', 1]);
    const logs = await stores.logs.list({}, { offset: 0, limit: 10 });
    assert.equal(
      logs.items.map(({ type, quota }) => [type, quota]),
      [[4, 100_000_000]],
    );
    await assertRefused(harness.client().setup.submit(good), 'setup_done', 400);
    assert.equal(await harness.client().setup.get(), {
      status: true,
      root_init: false,
      database_type: '',
      setup_token_required: false,
    });
  }),
);

setup('makes one root of two submissions at the same moment', () =>
  withHarness(async (harness) => {
    const submissions = ['one', 'two', 'three'].map((username) =>
      harness
        .client()
        .setup.submit({ ...good, username })
        .then(
          () => 'done',
          (error: { code: string }) => error.code,
        ),
    );
    assert.equal((await Promise.all(submissions)).sort(), ['done', 'setup_done', 'setup_done']);
    const users = await harness.world.database.stores.users.list({}, { offset: 0, limit: 10 });
    assert.is(users.total, 1);
  }),
);

setup('serves only loopback, or whoever holds the printed token', () =>
  withHarness(async (harness) => {
    const remote = harness.client(undefined, {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...elsewhere } }),
    });
    assert.is((await remote.setup.get()).setup_token_required, true);
    assert.is((await harness.client().setup.get()).setup_token_required, false);
    await assertRefused(remote.setup.submit(good), 'setup_token_invalid', 403);
    // A page elsewhere that the browser of this very machine has open.
    const byPage = harness.client().setup.submit(good, { headers: { 'Sec-Fetch-Site': 'cross-site' } });
    await assertRefused(byPage, 'cross_site', 403);
    await assertRefused(
      remote.setup.submit(good, { headers: { 'X-Setup-Token': 'wrong' } }),
      'setup_token_invalid',
      403,
    );
    assert.match(harness.printedToken ?? '', /^[\w-]{43}$/);
    await remote.setup.submit(good, { headers: { 'X-Setup-Token': harness.printedToken ?? '' } });
    assert.is((await remote.status.get()).setup, true);
  }),
);

setup('asks loopback too when the configuration names the token', () =>
  withHarness(
    async (harness) => {
      assert.is(harness.printedToken, undefined);
      assert.is((await harness.client().setup.get()).setup_token_required, true);
      await assertRefused(harness.client().setup.submit(good), 'setup_token_invalid', 403);
      await harness.client().setup.submit(good, { headers: { 'X-Setup-Token': 'from the environment' } });
    },
    { setupToken: 'from the environment' },
  ),
);

const refused: [string, Record<string, unknown>, string][] = [
  ['a missing name', { username: ' ' }, 'setup_username_invalid'],
  ['a long name', { username: 'x'.repeat(21) }, 'setup_username_invalid'],
  ['a name that looks like an address', { username: 'a@b' }, 'setup_username_invalid'],
  ['one that looks like an address in wide letters', { username: 'a＠b' }, 'setup_username_invalid'],
  ['a name with a sign that nobody sees', { username: 'ro\u200bot' }, 'setup_username_invalid'],
  ['a short password', { password: 'short', confirmPassword: 'short' }, 'setup_password_short'],
  ['a password beyond 72 bytes', { password: '密'.repeat(25), confirmPassword: '密'.repeat(25) }, 'password_invalid'],
  ['two passwords that differ', { confirmPassword: 'another password' }, 'password_mismatch'],
  ['both modes at once', { SelfUseModeEnabled: true, DemoSiteEnabled: true }, 'invalid_params'],
  ['a member of the wrong type', { DemoSiteEnabled: 'yes' }, 'invalid_params'],
];

setup('refuses bad submissions with 400 and leaves nothing behind', () =>
  withHarness(async (harness) => {
    for (const [name, change, code] of refused) {
      const response = await harness.request('/api/setup', {
        method: 'POST',
        body: JSON.stringify({ ...good, ...change }),
      });
      const answer: { code: string } = JSON.parse(await response.text());
      assert.equal([response.status, answer.code], [400, code], name);
    }
    const users = await harness.world.database.stores.users.list({}, { offset: 0, limit: 10 });
    assert.is(users.total, 0);
  }),
);

setup('counts a database with a root user as initialised', () =>
  withHarness(async (harness) => {
    await harness.addUser({ username: 'older', role: 100 });
    const state = await harness.client().setup.get();
    assert.equal([state.status, state.root_init], [false, true]);
    await harness.client().setup.submit({});
    const users = await harness.world.database.stores.users.list({}, { offset: 0, limit: 10 });
    assert.is(users.total, 1);
  }),
);

setup('lets nobody sign in or register before it is done', () =>
  withHarness(async (harness) => {
    await assertRefused(harness.client().account.login({ username: 'a', password: 'b' }), 'setup_required', 200);
    await assertRefused(
      harness.client().account.register({ username: 'a', password: 'long enough' }),
      'setup_required',
      200,
    );
  }),
);

setup.run();
