/** Canaries planted in every secret column appear in no answer and no log line, whoever asks (S2, S26, W1, W2, W28). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../daemon/contract/client.ts';
import type { Endpoint } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import { optionKeys, optionTable } from '../../daemon/contract/options.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const canary = suite('secrets in answers');

/** Ends or replaces what the walk itself needs, or starts work that reaches out. */
const leftOut = new Set(['account.logout', 'account.issueToken', 'channels.testAll', 'channels.updateAllBalances']);
/** Where an administrator reads a channel's key on purpose (D3). */
const showsChannelKey = new Set(['channels.get', 'channels.revealKey']);

const channelKey = 'sk-canary-channel-key-0123456789';
let daemon: TestDaemon;
/** Access tokens by role; undefined for nobody. */
let callers: Map<string, string | undefined>;
/** What nobody may see, and what only its owner may. */
let secrets: string[];
let channelId: number;
let victimId: number;

canary.before(async () => {
  daemon = await startTestDaemon({ config: { 'limits.search.enabled': false } });
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const { stores } = database;
  const userOf = async (username: string, role: number): Promise<{ id: number; token: string }> => {
    const { id } = await daemon.root.users.create({ username, password: 'canary-password', role });
    const token = `${username}0`.padEnd(32, 'x');
    await stores.users.setAccessToken(id, keyring.accessTokenHash(token), nowSeconds() + 1000);
    return { id, token };
  };
  const victim = await userOf('victim', 1);
  victimId = victim.id;
  await daemon.client(victim.token).account.saveSetting({
    notify_type: 'webhook',
    quota_warning_threshold: 1,
    webhook_url: 'https://example.org/hook',
    webhook_secret: 'canary-webhook-secret',
  });
  const key = await daemon.client(victim.token).tokens.create({
    name: 'of the victim',
    expired_time: -1,
    unlimited_quota: true,
    remain_quota: 0,
  });
  channelId = await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm', key: channelKey });
  const secretOptions = optionKeys.filter((name) => optionTable[name].secret);
  for (const name of secretOptions) await daemon.root.options.set({ key: name, value: `canary-${name}` });
  const stored = await stores.users.find(victimId);
  secrets = [stored?.password ?? '', stored?.accessTokenHash ?? '', key.key, channelKey, 'canary-'];
  callers = new Map([
    ['nobody', undefined],
    ['user', (await userOf('stranger', 1)).token],
    ['admin', (await userOf('admin', 10)).token],
    ['root', daemon.accessToken],
  ]);
});

canary.after(() => daemon.stop());

async function answerOf(endpoint: Endpoint, token: string | undefined): Promise<string> {
  const id = endpoint.path.startsWith('/api/channel')
    ? channelId
    : endpoint.path.startsWith('/api/user')
      ? victimId
      : 1;
  const path = endpoint.path.replace(/:[a-z_]+/g, String(id));
  const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
  const response = await fetch(`${daemon.url}${path}?keyword=v&p=0&with_content=1`, {
    method: endpoint.method,
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    ...(hasBody ? { body: JSON.stringify({ id, status: 1 }) } : {}),
  });
  return `${JSON.stringify([...response.headers])} ${await response.text()}`;
}

canary('reach nobody, whatever the role and the endpoint', async () => {
  for (const [caller, token] of callers) {
    for (const { name, endpoint } of endpointsOf(contract)) {
      if (leftOut.has(name) || endpoint.method === 'DELETE') continue;
      const answer = await answerOf(endpoint, token);
      const isPrivileged = caller === 'admin' || caller === 'root';
      for (const secret of secrets) {
        if (isPrivileged && secret.startsWith('sk-canary') && showsChannelKey.has(name)) continue;
        if (isPrivileged && secret === 'canary-' && showsChannelKey.has(name)) continue;
        assert.not(answer.includes(secret), `${name} shows ${secret.slice(0, 16)} to ${caller}`);
      }
    }
  }
});

canary('are read by their owner alone, and a channel key by administrators on purpose, with an audit row', async () => {
  const { audits } = daemon.daemon.foundation.database.stores;
  const shown = await daemon.root.channels.get({ id: channelId });
  assert.match(JSON.stringify(shown), channelKey);
  const { items } = await audits.list({ action: 'channel.key_read' }, { offset: 0, limit: 5 });
  assert.ok(items.length > 0);
  const { id } = await createClient({ baseUrl: daemon.url }).account.login({
    username: 'victim',
    password: 'canary-password',
  });
  assert.is(id, victimId);
});

canary('are blank in the option list, which only says whether they are set', async () => {
  for (const { key, value, set } of await daemon.root.options.list()) {
    if (set !== undefined) assert.equal([key, value, set], [key, '', true]);
  }
});

canary('reach no log line', () => {
  const written = daemon.log.join('\n');
  for (const secret of secrets) assert.not(written.includes(secret), secret.slice(0, 16));
});

canary.run();
