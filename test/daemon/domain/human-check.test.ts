import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpHarness, startHttpHarness } from '../../support/http-harness.ts';

const human = suite('human check');

let harness: HttpHarness;
const asked: string[] = [];

human.before(async () => {
  harness = await startHttpHarness({
    verifyHuman: async ({ secret, response, clientAddress }) => {
      asked.push(`${secret}/${response}/${clientAddress}`);
      return response === 'good';
    },
  });
  await harness.setup();
  const { database, keyring, snapshots } = harness.world;
  await database.stores.options.set('TurnstileCheckEnabled', 'true');
  const sealed = keyring.seal({ table: 'options', column: 'value', row: 'TurnstileSecretKey' }, 'the secret');
  await database.stores.options.set('TurnstileSecretKey', sealed);
  await snapshots.reload('options');
});

human.after(() => harness.close());

async function login(query: string, cookie = ''): Promise<{ code?: string; message: string; cookie: string }> {
  const user = await harness.addUser();
  const response = await harness.request(`/api/user/login${query}`, {
    method: 'POST',
    body: JSON.stringify({ username: user.user.username, password: 'not the password' }),
    headers: { 'Accept-Language': 'en', ...(cookie ? { Cookie: cookie } : {}) },
  });
  const answer: { code?: string; message: string } = JSON.parse(await response.text());
  return { ...answer, cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
}

human('is asked for before anything else, and names the widget in its texts', async () => {
  const missing = await login('');
  assert.is(missing.code, 'turnstile_missing');
  assert.match(missing.message, 'Turnstile');
  assert.is((await login('?turnstile=')).code, 'turnstile_missing');
  const failed = await login('?turnstile=bad');
  assert.is(failed.code, 'turnstile_failed');
  assert.match(failed.message, 'Turnstile');
  assert.equal(asked, ['the secret/bad/127.0.0.1']);
});

human('counts for half an hour in a session of its own', async () => {
  const passed = await login('?turnstile=good');
  assert.is(passed.code, 'login_failed');
  assert.match(passed.cookie, /^session=.+/);
  asked.length = 0;
  assert.is((await login('', passed.cookie)).code, 'login_failed');
  assert.equal(asked, []);
  harness.world.clock.seconds += 30 * 60;
  assert.is((await login('', passed.cookie)).code, 'turnstile_missing');
});

human('does not sign anybody in by itself', async () => {
  const { cookie } = await login('?turnstile=good');
  const response = await harness.request('/api/user/self', { headers: { Cookie: cookie, 'Tollgate-User': '1' } });
  assert.equal([response.status, (await response.json()).code], [401, 'auth_required']);
});

human('leaves those who are signed in signed in, and remembers nothing for them', async () => {
  const { cookie } = await harness.addUser();
  const passed = await login('?turnstile=good', cookie);
  assert.equal([passed.code, passed.cookie], ['login_failed', '']);
  assert.is((await login('', cookie)).code, 'turnstile_missing');
});

human('refuses everybody while it is on and nobody can verify', async () => {
  const bare = await startHttpHarness();
  try {
    await bare.setup();
    await bare.world.database.stores.options.set('TurnstileCheckEnabled', 'true');
    await bare.world.snapshots.reload('options');
    const response = await bare.request('/api/user/login?turnstile=x', {
      method: 'POST',
      body: '{"username":"a","password":"b"}',
    });
    assert.is((await response.json()).code, 'turnstile_failed');
  } finally {
    await bare.close();
  }
});

human.run();
