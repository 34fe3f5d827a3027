/** The console's playground: a session instead of a key, and the account alone pays. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rootPassword, startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { untilThere } from '../support/until.ts';
import { chatRequest, completion, saidIn, streamOf } from './wire.ts';

const playground = suite('relay: playground');

let daemon: TestDaemon;
let upstream: FakeUpstream;
let second: FakeUpstream;
let secondChannel: number;
let session: Record<string, string>;

async function signIn(username: string, password: string): Promise<Record<string, string>> {
  const response = await fetch(`${daemon.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { data } = await response.json();
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '', 'veloera-user': String(data.id) };
}

playground.before(async () => {
  upstream = await startFakeUpstream(jsonAnswer(completion()));
  second = await startFakeUpstream(jsonAnswer(completion()));
  daemon = await startTestDaemon();
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
  secondChannel = await daemon.addChannel({ base_url: second.url, models: 'gpt-4o', priority: -1 });
  await daemon.root.users.create({ username: 'someone', password: 'a good password', display_name: 'Someone' });
  session = await signIn('root', rootPassword);
});
playground.before.each(() => upstream.script(jsonAnswer(completion())));
playground.after(async () => {
  await daemon.stop();
  await upstream.close();
  await second.close();
});

const ask = (body: unknown, headers: Record<string, string>) =>
  fetch(`${daemon.url}/pg/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function refused(body: unknown, headers: Record<string, string>) {
  const response = await ask(body, headers);
  return { status: response.status, code: (await response.json()).error?.code };
}

playground('answers a signed-in user, who is charged without a key', async () => {
  await daemon.addKey({ unlimited_quota: false, remain_quota: 100_000 });
  const keys = async () =>
    (await daemon.root.tokens.list({})).items.map(({ id, used_quota, remain_quota }) => [id, used_quota, remain_quota]);
  const keysBefore = await keys();
  assert.equal(
    keysBefore.map(([, ...counters]) => counters),
    [[0, 100_000]],
  );
  const { quota: before, used_quota: usedBefore } = await daemon.root.account.get();
  const response = await ask({ ...chatRequest, group: 'default', max_tokens: 0 }, session);
  assert.is(response.status, 200);
  const id = response.headers.get('x-request-id') ?? '';
  assert.is(response.headers.get('access-control-allow-origin'), null);
  assert.is((await response.json()).choices[0].message.content, 'Hello there');
  const sent = upstream.requests.at(-1);
  assert.equal(JSON.parse(String(sent?.body)), chatRequest);
  assert.is(sent?.headers.cookie, undefined);
  const row = await untilThere(async () => (await daemon.root.logs.list({ request_id: id })).items[0]);
  assert.is(row.token_name, 'playground');
  assert.is(row.token_id, 0);
  assert.ok(row.quota > 0);
  const { quota, used_quota } = await daemon.root.account.get();
  assert.equal([quota, used_quota], [before - row.quota, usedBefore + row.quota]);
  assert.equal(await keys(), keysBefore, 'no key of the account paid');
});

playground('sends the body as it came, but for what is meant for the site', async () => {
  const messages = JSON.stringify(chatRequest.messages);
  const rest = `"model": "gpt-4o", "seed": 12345678901234567890, "temperature": 1.0, "messages": ${messages}`;
  const sent = async (body: string) => {
    const headers = { 'content-type': 'application/json', ...session };
    const response = await fetch(`${daemon.url}/pg/chat/completions`, { method: 'POST', headers, body });
    assert.is(response.status, 200, await response.text());
    return String(upstream.requests.at(-1)?.body);
  };
  assert.match(
    await sent(`{"group": "", ${rest}, "max_tokens": 0}`),
    '"seed": 12345678901234567890, "temperature": 1.0',
  );
  const twice = await sent(`{"group": "nobody", ${rest}, "group": "default"}`);
  assert.not.match(twice, 'group');
});

playground('asks the channel’s own host with its own key, whatever the caller names (S24)', async () => {
  const elsewhere = await startFakeUpstream(jsonAnswer(completion()));
  const { url } = elsewhere;
  try {
    const response = await fetch(`${daemon.url}/pg/chat/completions?base_url=${url}&api_base=${url}&proxy=${url}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-portkey-custom-host': url,
        'x-forwarded-host': new URL(url).host,
        'x-api-key': 'sk-named',
        ...session,
      },
      body: JSON.stringify({ ...chatRequest, base_url: url, api_base: url, api_key: 'sk-named', custom_host: url }),
    });
    assert.is(response.status, 200, await response.text());
    const asked = upstream.requests.at(-1);
    assert.is(asked?.url, '/v1/chat/completions');
    assert.not.match(JSON.stringify(asked?.headers), new RegExp(`sk-named|${new URL(url).host}`));
    assert.is(elsewhere.requests.length, 0);
  } finally {
    await elsewhere.close();
  }
});

playground('streams like any other chat', async () => {
  upstream.script(sseAnswer(streamOf(['Hel', 'lo'])));
  const response = await ask({ ...chatRequest, stream: true }, session);
  assert.match(response.headers.get('content-type') ?? '', 'text/event-stream');
  assert.is(saidIn(await response.text()), 'Hello');
});

playground('refuses nobody, access tokens and foreign ids in the form of OpenAI', async () => {
  assert.equal(await refused(chatRequest, {}), { status: 401, code: 'auth_required' });
  assert.equal(await refused(chatRequest, { cookie: session.cookie ?? '' }), {
    status: 401,
    code: 'user_header_missing',
  });
  assert.equal(await refused(chatRequest, { ...session, 'veloera-user': '999' }), {
    status: 401,
    code: 'user_header_mismatch',
  });
  assert.equal(await refused(chatRequest, { authorization: `Bearer ${daemon.accessToken}` }), {
    status: 400,
    code: 'access_token_not_supported',
  });
  const key = await daemon.addKey();
  assert.is((await refused(chatRequest, { authorization: `Bearer ${key}` })).status, 401);
});

playground('takes only groups that the user may choose', async () => {
  assert.equal(await refused({ ...chatRequest, group: 'nobody' }, session), { status: 403, code: 'group_not_usable' });
  assert.equal(await refused({ ...chatRequest, group: 7 }, session), { status: 400, code: 'invalid_request' });
});

playground('lets administrators name the channel, and nobody else', async () => {
  const before = second.requests.length;
  assert.is((await ask(chatRequest, { ...session, 'tollgate-channel': String(secondChannel) })).status, 200);
  assert.is(second.requests.length, before + 1);
  const someone = await signIn('someone', 'a good password');
  const pinned = { ...someone, 'tollgate-channel': String(secondChannel) };
  assert.equal(await refused(chatRequest, pinned), { status: 403, code: 'channel_pin_forbidden' });
});

playground('is nothing but a POST', async () => {
  const response = await fetch(`${daemon.url}/pg/chat/completions`, { headers: session });
  assert.is(response.status, 405);
  assert.is(response.headers.get('allow'), 'POST');
});

playground.run();
