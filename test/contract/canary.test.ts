/** Canaries planted in every secret column appear in no answer, no log line and no reported failure (S2, W1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Endpoint, pathNames } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../support/http-harness.ts';

const canary = suite('secrets in answers');

const resources = ['setup', 'status', 'pageContent', 'account', 'users', 'reference'];
const endpoints = endpointsOf(contract).filter(({ name }) => resources.includes(name.split('.')[0] ?? ''));

let harness: HttpHarness;
let callers: (TestUser | undefined)[];
let secrets: string[];
let victimId: number;

canary.before(async () => {
  harness = await startHttpHarness();
  const { database, keyring, nowSeconds, snapshots } = harness.world;
  const { stores } = database;
  const root = await harness.setup();
  const victim = await harness.addUser({
    username: 'victim',
    setting: JSON.stringify({
      notify_type: 'webhook',
      webhook_url: 'https://canary-url.example',
      webhook_secret: 'canary-webhook',
    }),
  });
  victimId = victim.user.id;
  const hash = keyring.accessTokenHash('canary-access-token');
  await stores.users.setAccessToken(victimId, hash, nowSeconds() + 1000);
  const stored = await stores.users.find(victimId);
  for (const key of [
    'GitHubClientSecret',
    'oidc.client_secret',
    'SMTPToken',
    'TurnstileSecretKey',
    'EpayKey',
  ] as const) {
    const sealed = keyring.seal({ table: 'options', column: 'value', row: key }, `canary-${key}`);
    await stores.options.set(key, sealed);
  }
  await snapshots.reload('options');
  secrets = [
    stored?.password ?? '',
    hash,
    'canary-',
    keyring.sessionHash('anything').slice(0, 16),
    ...(harness.printedToken === undefined ? [] : [harness.printedToken]),
  ].filter((text) => text !== '');
  callers = [undefined, await harness.addUser(), await harness.addUser({ role: 10 }), root];
});

canary.after(() => harness.close());

async function answerOf(endpoint: Endpoint, as: TestUser | undefined): Promise<string> {
  const path = endpoint.path.replace(/:[a-z_]+/g, String(victimId));
  const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
  const members = pathNames(endpoint.path).length === 0 && hasBody ? { id: victimId, display_name: 'seen' } : {};
  const response = await harness.request(`${path}?keyword=victim`, {
    method: endpoint.method,
    ...(as ? { as } : {}),
    ...(hasBody ? { body: JSON.stringify(members) } : {}),
  });
  return `${JSON.stringify([...response.headers])} ${await response.text()}`;
}

canary('reach nobody, whatever the role', async () => {
  for (const as of callers) {
    for (const { name, endpoint } of endpoints) {
      // Deleting or signing out would end the caller that the rest of this walk needs.
      if (endpoint.method === 'DELETE' || name === 'account.logout' || name === 'account.issueToken') continue;
      const answer = await answerOf(endpoint, as);
      for (const secret of secrets) {
        assert.not(answer.includes(secret), `${name} as ${as?.user.username ?? 'nobody'} shows ${secret.slice(0, 12)}`);
      }
    }
  }
});

canary('reach no log line and no reported failure', () => {
  const written = JSON.stringify(harness.access) + harness.failures.map(String).join();
  for (const secret of secrets) assert.not(written.includes(secret));
});

canary('are shown to their owner alone where the owner needs them', async () => {
  const owner = await harness.addUser({ setting: '{"webhook_secret":"canary-own"}' });
  assert.match((await harness.client(owner).account.get()).setting, 'canary-own');
  const admin = callers[2];
  const seen = await harness.client(admin).users.get({ id: owner.user.id });
  assert.not.match(JSON.stringify(seen), 'canary-own');
});

canary.run();
