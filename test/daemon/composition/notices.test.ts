/** Notices through a whole daemon: from what happened to what arrives, with real receivers. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { type FakeUpstream, startFakeUpstream } from '../../support/fake-upstream.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { refusalOf } from '../../support/refusals.ts';
import { until } from '../../support/until.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  hook: WebServer;
  mail: MailServer;
  /** The webhook answers when this is resolved. */
  mayAnswer: Promise<void>;
  /** The upstream refuses the channel's key while true. */
  refuses: boolean;
}

const notices = suite<World>('notices of a whole daemon');
const secret = 'a signing secret';

notices.before(async (world) => {
  world.refuses = false;
  world.mayAnswer = Promise.resolve();
  world.hook = await startWebServer(async () => {
    await world.mayAnswer;
    return {};
  });
  world.mail = await startMailServer();
  world.upstream = await startFakeUpstream(() =>
    world.refuses
      ? {
          status: 401,
          headers: { 'content-type': 'application/json' },
          chunks: [JSON.stringify({ error: { message: 'bad key', type: 'x', code: 'invalid_api_key' } })],
        }
      : {
          headers: { 'content-type': 'application/json' },
          chunks: [
            JSON.stringify({
              id: 'c',
              object: 'chat.completion',
              created: 1,
              model: 'gpt-4o-mini',
              choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
              usage: { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 },
            }),
          ],
        },
  );
  world.daemon = await startTestDaemon({
    config: { 'site.default_language': 'en' },
    options: {
      SMTPServer: '127.0.0.1',
      SMTPPort: String(world.mail.port),
      SMTPFrom: 'gate@example.org',
      ServerAddress: 'https://gate.example.org',
      AutomaticDisableChannelEnabled: 'true',
    },
  });
});

notices.after(async (world) => {
  await world.daemon?.stop();
  await world.upstream?.close();
  await world.hook?.stop();
  await world.mail?.stop();
});

/** What has arrived at the webhook, by type; signatures are checked on the way. */
async function hooked(world: World, count: number): Promise<Record<string, unknown>[]> {
  await until(() => world.hook.asked.length >= count);
  assert.is(world.hook.asked.length, count);
  return world.hook.asked.map(({ body, headers }) => {
    assert.is(headers['x-webhook-signature'], createHmac('sha256', secret).update(body).digest('hex'));
    const sent: unknown = JSON.parse(body);
    assert.ok(typeof sent === 'object' && sent !== null);
    return { ...sent };
  });
}

async function call(world: World, key: string): Promise<number> {
  const answer = await fetch(`${world.daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await answer.text();
  return answer.status;
}

notices('send a user one signed warning when a call leaves the balance low', async (world) => {
  const { root } = world.daemon;
  await root.account.saveSetting({
    notify_type: 'webhook',
    quota_warning_threshold: 1_000_000_000,
    webhook_url: `${world.hook.url}/own`,
    webhook_secret: secret,
  });
  await world.daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4o-mini' });
  const key = await world.daemon.addKey();
  assert.is(await call(world, key), 200);
  assert.is(await call(world, key), 200);
  const [warning] = await hooked(world, 1);
  assert.is(warning?.type, 'quota_exceed');
  assert.match(
    String(warning?.content),
    /The balance of the account root is \$199\.99\d+\.[\s\S]*https:\/\/gate\.example\.org\/topup$/,
  );
  assert.ok(Math.abs(Number(warning?.timestamp) - Date.now() / 1000) < 60);
  await sleep(400);
  assert.is(world.hook.asked.length, 1, 'the second call falls in the quiet time');
});

notices(
  'tell operators at every target when a channel is disabled, without the client waiting for it',
  async (world) => {
    const { root } = world.daemon;
    const saved = await root.alerts.set({
      targets: [
        { id: 'owner', type: 'owner' },
        { id: 'ops', type: 'mail', address: 'ops@example.org', kinds: ['channel-disabled'] },
      ],
    });
    assert.equal(
      saved.targets.map(({ id, secret_set }) => [id, secret_set]),
      [
        ['owner', false],
        ['ops', false],
      ],
    );
    world.refuses = true;
    let answer = () => {};
    world.mayAnswer = new Promise((resolve) => {
      answer = resolve;
    });
    // Nobody waits for the webhook, which does not answer yet.
    assert.ok((await call(world, await world.daemon.addKey())) >= 400);
    const [, alert] = await hooked(world, 2);
    answer();
    assert.match(String(alert?.type), /^channel_update_\d+_3$/);
    assert.match(String(alert?.content), /was disabled automatically[\s\S]*bad key/);
    const letter = await world.mail.next();
    assert.equal(letter.to, ['ops@example.org']);
    assert.match(letter.text, /Subject: .*channel test disabled/);
    await until(async () => (await root.alerts.get()).deliveries.sent >= 3);
    const { deliveries } = await root.alerts.get();
    assert.equal({ ...deliveries }, { waiting: 0, sent: 3, failed: 0, dropped: 0 });
  },
);

notices('can be tried out: targets, the own settings, the mail server', async (world) => {
  const { root } = world.daemon;
  await root.alerts.set({
    targets: [
      { id: 'pager', type: 'webhook', address: `${world.hook.url}/pager`, secret },
      { id: 'robot', type: 'robot', dialect: 'slack', address: 'http://127.0.0.1:9/robot' },
    ],
  });
  const results = await root.alerts.test({ kind: 'error-rate' });
  assert.equal(
    results.map(({ target, ok }) => [target, ok]),
    [
      ['pager', true],
      ['robot', false],
    ],
  );
  assert.is(results[1]?.reason, '未能及时连接该地址');
  const inEnglish = { headers: { 'accept-language': 'en' } };
  const [english] = await root.alerts.test({ target: 'robot' }, inEnglish);
  assert.is(english?.reason, 'the address was not reached in time');
  assert.is((await refusalOf(root.alerts.test({ target: 'nobody' }))).code, 'alert_target_unknown');
  await root.account.testNotice();
  const sent = await hooked(world, 4);
  assert.equal(
    sent.slice(2).map(({ type }) => type),
    ['test', 'test'],
  );
  assert.is((await refusalOf(root.verification.testMail({}))).code, 'notice_nowhere');
  assert.is(await root.verification.testMail({ email: 'me@example.org' }), 'me@example.org');
  assert.equal((await world.mail.next()).to, ['me@example.org']);
  await root.options.set({ key: 'SMTPPort', value: '9' });
  const failed = await refusalOf(root.verification.testMail({ email: 'me@example.org' }));
  assert.is(failed.code, 'notice_failed');
  assert.match(failed.message, /ECONNREFUSED|ESOCKET/);
});

notices('never reach private addresses for normal users, also where operators may', async (world) => {
  const { root } = world.daemon;
  const { database, keyring, nowSeconds } = world.daemon.daemon.foundation;
  const { id } = await root.users.create({ username: 'alice', password: 'a good password' });
  const token = 'a'.repeat(32);
  await database.stores.users.setAccessToken(id, keyring.accessTokenHash(token), nowSeconds() + 1000);
  const setting = { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url: `${world.hook.url}/alice` };
  const alice = world.daemon.client(token);
  assert.is((await refusalOf(alice.account.saveSetting(setting))).code, 'webhook_invalid');
  await alice.account.saveSetting({ ...setting, webhook_url: world.hook.url.replace('127.0.0.1', 'localhost') });
  const before = world.hook.asked.length;
  const refused = await refusalOf(alice.account.testNotice());
  assert.is(refused.code, 'notice_failed');
  assert.match(refused.message, /未能及时连接该地址/);
  assert.is(world.hook.asked.length, before);
});

notices('tell the owner of a key when its own quota runs low, and when it no longer pays for a call', async (world) => {
  const { root } = world.daemon;
  const before = world.hook.asked.length;
  world.refuses = false;
  await world.daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4o-mini' });
  const key = await world.daemon.addKey({
    name: 'small',
    unlimited_quota: false,
    remain_quota: 10_000,
    quota_warning_threshold: 9900,
  });
  assert.is(await call(world, key), 200);
  const low = (await hooked(world, before + 1)).at(-1);
  assert.match(String(low?.type), /^token_quota_low_\d+$/);
  assert.match(String(low?.content), /The key small \(#\d+\) has \$0\.01925\d* of its own quota left/);
  const [row] = (await root.tokens.search({ keyword: 'small' })).items;
  assert.is(row?.remain_quota, 9625);
  await root.tokens.update({ id: row?.id ?? 0, remain_quota: 1 });
  assert.is(await call(world, key), 403);
  const spent = (await hooked(world, before + 2)).at(-1);
  assert.match(String(spent?.type), /^token_quota_exhausted_\d+$/);
  assert.match(String(spent?.content), /A call with the key small [\s\S]* was refused: it needs/);
});

notices.run();
