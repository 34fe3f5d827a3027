/**
 * The security rules S1 to S32 of requirements.md, and what it asks in several parts (REQ-29, REQ-34), each with the
 * tests that prove it; a proof that is renamed or gone fails here. Rules that no other suite proves have their tests
 * below. Client cases carry their number in the name of a test.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { startFakeUpstream } from '../support/fake-upstream.ts';
import { assertRefused } from '../support/refusals.ts';
import { callEndpoint, plausibleInput } from './endpoint-call.ts';

const rules = suite('security rules');

const here = 'test/contract/security-rules.test.ts';
/** Rule → file and part of the name of a test in it. */
const proofs: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  S1: [
    ['test/relay/hostile-calls.test.ts', 'with any number anywhere are refused or charged nothing below zero'],
    ['test/daemon/domain/pricing-properties.test.ts', 'lie between zero and the cap, add up, and are whole'],
    ['test/ledger/ledger.test.ts', 'throws on an amount that cannot be right'],
    ['test/contract/fuzz.test.ts', 'answers an envelope, and names the member when its type is wrong'],
  ],
  S2: [['test/contract/canary.test.ts', 'reach nobody, whatever the role and the endpoint']],
  S3: [
    [
      'test/daemon/http/routes/management/payment-notices.test.ts',
      'find nothing, and nobody can pay, until every setting',
    ],
    ['test/daemon/http/routes/management/payment-notices.test.ts', 'of an order of another provider, a closed one'],
  ],
  S4: [
    ['test/contract/fuzz.test.ts', 'as a body above the limit of its endpoint is refused unread'],
    ['test/contract/bodies-of-strangers.test.ts', 'are refused above half a megabyte, on every endpoint'],
    ['test/contract/bodies-of-strangers.test.ts', 'are in no line of the log, whether they can be read or not'],
    ['test/relay/drawings.test.ts', 'reads no more than half a megabyte of a callback'],
    ['test/daemon/http/middleware/body.test.ts', 'is refused unread when its length says that it is too large'],
  ],
  S5: [
    ['test/ledger/claims.test.ts', 'beside a thousand charges and saves of the profile leave the balance exact'],
    ['test/daemon/domain/balance-races.test.ts', 'stay exact while the owner and an administrator save the account'],
  ],
  S6: [
    ['test/daemon/upstream/egress.test.ts', 'do not lead inside, however the address is written'],
    ['test/daemon/upstream/egress.test.ts', 'check where a redirect leads before they follow it, in every form'],
    [
      'test/daemon/upstream/egress.test.ts',
      'connect to the address that was checked, and check a name again at every use',
    ],
    [
      'test/daemon/integrations/guarded-fetch.test.ts',
      'follows no redirect, waits no longer and reads no more than it may',
    ],
    ['test/architecture.test.ts', 'nothing is written that the house forbids'],
  ],
  S7: [
    ['test/daemon/store/like-pattern.test.ts', 'disarms wildcards and the escape sign'],
    ['test/daemon/store/like-pattern.test.ts', 'matches anywhere from two characters on, and at the start with one'],
    ['test/daemon/store/like-pattern.test.ts', 'cuts a search text at a hundred characters'],
    ['test/daemon/domain/users.test.ts', 'searches literally'],
    ['test/daemon/domain/api-limits.test.ts', 'count searches of a user by themselves'],
    ['test/daemon/store/sqlite-connection.test.ts', 'interrupts a statement that takes longer than it may'],
    ['test/store/postgres.test.ts', 'gives up a statement that takes longer than it may'],
    [here, 'S7: every search is counted as one'],
  ],
  S8: [
    ['test/daemon/http/app.test.ts', 'the security headers'],
    [
      'test/daemon/http/content-policy.test.ts',
      'lets nothing through but the console itself while every feature is off',
    ],
    ['test/daemon/http/content-policy.test.ts', 'takes no directive from a text that somebody entered'],
    ['test/browser/rich-text.test.ts', 'no attack of the corpus gets through'],
    ['test/relay/drawing-pictures.test.ts', 'nothing else is fetched in its place'],
    [here, 'S8: what an upstream answers is never a page of this site'],
  ],
  S9: [
    ['test/contract/ownership.test.ts', 'is answered like what is not there, on every route with an id'],
    ['test/contract/ownership.test.ts', 'is in no list, sum or search that others call for themselves'],
  ],
  S10: [
    ['test/contract/canary.test.ts', 'show a channel key to administrators on purpose alone, with an audit row'],
    [here, 'S10: channel keys are shown to nobody'],
    [
      'test/daemon/http/routes/management/step-up.test.ts',
      'counts for its own kind of action and its own session alone',
    ],
    [
      'test/daemon/http/routes/management/step-up.test.ts',
      'is asked of administrators where the configuration says so',
    ],
  ],
  S11: [
    ['test/contract/permissions.test.ts', 'follow 6.2 in every column, and a refusal changes nothing'],
    ['test/daemon/domain/permissions.test.ts', 'follows the table, role by role and action by action'],
  ],
  S12: [
    ['test/contract/guard.test.ts', 'lets each caller as far as its role and credential reach, on every endpoint'],
    ['test/contract/guard.test.ts', 'answers HEAD wherever a GET changes nothing'],
    ['test/daemon/http/app.test.ts', 'takes JSON alone from a browser with a cookie'],
    ['test/daemon/domain/sign-in.test.ts', 'a session cookie that only the server can read'],
    [here, 'S12: nothing is changed by a GET that a page elsewhere makes'],
  ],
  S13: [
    [here, 'S13: no page elsewhere reads an answer that a cookie opens'],
    ['test/relay/request-line.test.ts', 'answers a browser’s preflight without a key'],
    ['test/daemon/domain/setup.test.ts', 'serves only loopback, or whoever holds the printed token'],
    [
      'test/daemon/domain/own-account.test.ts',
      'issues an access token that replaces the last one and is stored hashed',
    ],
    ['test/daemon/http/routes/management/verification.test.ts', 'name the configured address of the site and nothing'],
    ['test/contract/guard.test.ts', 'refuses disabled and deleted users with an old session and token'],
  ],
  S14: [
    ['test/relay/named-channels.test.ts', 'refuses a normal user who names a channel'],
    ['test/relay/named-channels.test.ts', 'sends an administrator to the named channel, and nowhere else'],
    ['test/relay/named-channels.test.ts', 'to the models of the key and to its group'],
  ],
  S15: [
    ['test/daemon/domain/options.test.ts', 'clears a secret whose address moves to another origin'],
    ['test/daemon/domain/channels.test.ts', 'asks for the key again when a hidden one would move to another host'],
    ['test/relay/vertex-places.test.ts', 'Vertex is asked on hosts of Google, whatever a channel calls'],
  ],
  S16: [[here, 'S16: what is installed is what was locked']],
  S17: [
    ['test/architecture.test.ts', 'nothing is written that the house forbids'],
    ['test/relay/access.test.ts', 'refuses missing, malformed and unknown keys with one text'],
    ['test/relay/access.test.ts', 'looks no text up that is not shaped like a key'],
  ],
  S18: [['test/daemon/http/app.test.ts', 'serves no odd form of a path, and never takes the Host header for anything']],
  S19: [['test/relay/hostile-calls.test.ts', 'with a key that differs in one character are strangers']],
  S20: [
    ['test/daemon/config/secrets.test.ts', 'derives every purpose from the same root, each for itself'],
    ['test/daemon/config/secrets.test.ts', 'opens a value nowhere but in its own table, column and row'],
    ['test/daemon/integrations/oauth.test.ts', 'believed only with a token of theirs, for us, of now'],
  ],
  S21: [
    ['test/contract/permissions.test.ts', '6.3.1: over the own account end at name, display name and password'],
    ['test/contract/permissions.test.ts', '6.3.8: to write options of class R are root’s'],
    ['test/contract/guard.test.ts', 'relay key of a user'],
    ['test/daemon/domain/tokens.test.ts', 'refuses a missing name and a group that is not usable'],
  ],
  S22: [[here, 'S22: a draft is tried under the rules under which it would be saved']],
  S23: [
    ['test/contract/guard.test.ts', 'lets each caller as far as its role and credential reach, on every endpoint'],
    ['test/relay/every-route.test.ts', 'is refused without a key that is known, before anybody is asked'],
  ],
  S24: [
    ['test/relay/privacy.test.ts', 'lets no body, header or query name the destination'],
    [
      'test/relay/every-route.test.ts',
      'asks the channel’s own host with the channel’s own key, whatever the caller names',
    ],
  ],
  S25: [
    ['test/daemon/domain/passwords.test.ts', 'are stored as argon2id with a salt of their own'],
    [
      'test/daemon/domain/passwords.test.ts',
      'never match where nothing, nothing readable or only the hash itself is stored',
    ],
  ],
  S26: [
    ['test/contract/canary.test.ts', 'reach no log line'],
    ['test/daemon/telemetry/logger.test.ts', 'keeps the last four characters of a key'],
    ['test/daemon/config/load.test.ts', 'never prints a secret or the password of an address'],
    ['test/archive/secrets.test.ts', 'leaves every secret out of a backup without secrets'],
  ],
  S27: [
    ['test/daemon/domain/setup.test.ts', 'serves only loopback, or whoever holds the printed token'],
    ['test/architecture.test.ts', 'nothing is written that the house forbids'],
  ],
  S28: [['test/relay/hostile-calls.test.ts', 'never choose a path at the upstream']],
  S29: [['test/daemon/http/routes/management/oauth.test.ts', 'once, and never by an address alone']],
  S30: [[here, 'S30: links to chats carry a key behind the mark alone']],
  S31: [
    ['test/relay/hostile-calls.test.ts', 'wherever the key comes from'],
    ['test/relay/access.test.ts', 'refuses two different keys'],
    ['test/relay/request-line.test.ts', 'refuses two different keys in one header sent twice'],
  ],
  S32: [
    [
      'test/relay/content-log.test.ts',
      'name the calls of a channel that nobody trusts, with their arguments by a digest',
    ],
    ['test/relay/failover.test.ts', 'tells a channel nothing of the one that failed before it'],
    ['test/relay/canary.test.ts', 'passes the very call that was asked for, and no other'],
    [
      'test/conformance/long-texts.test.ts',
      'that an upstream says of its failure are judged, masked and logged at once',
    ],
  ],
  // How long it takes with millions of rows is measured by hand: test/bench/log-rows.ts.
  'REQ-29': [
    ['test/store/log-lists.test.ts', 'lists and sums exactly what matches, for every filter and page'],
    ['test/store/log-lists.test.ts', 'answers the same while rows are folded into the sums, and after'],
    ['test/store/log-lists.test.ts', 'reads on from any row without a total'],
    ['test/store/logs.test.ts', 'pages by offset and by key alike'],
    ['test/store/logs.test.ts', 'removes old rows in portions'],
    ['test/store/logs.test.ts', 'keeps the texts of a call apart from its row'],
    ['test/daemon/domain/log-content.test.ts', 'loses and counts what does not fit, and what the database refuses'],
    ['test/ledger/outage.test.ts', 'refuses new calls, books every answered one, and loses no unit of quota'],
  ],
  'REQ-34': [
    ['test/daemon/http/routes/management/orders.test.ts', 'are listed by number, state, buyer and time, each with its'],
    ['test/daemon/http/routes/management/orders.test.ts', 'are asked for at the provider, which changes nothing'],
    ['test/daemon/http/routes/management/orders.test.ts', 'are completed by an administrator once, with an audit row'],
    ['test/daemon/http/routes/management/orders.test.ts', 'have a way back that can be tested'],
    ['test/daemon/http/routes/management/payment-notices.test.ts', 'credit an order once by a paid notification'],
    ['test/daemon/http/routes/management/payment-notices.test.ts', 'are kept, a hundred refused ones at most and the'],
    ['test/cluster/paying-in.test.ts', 'credits an order once, whoever completes it'],
  ],
};

rules('have a proof each, which is there under its name', () => {
  const expected = Array.from({ length: 32 }, (_, index) => `S${index + 1}`);
  assert.equal(Object.keys(proofs), [...expected, 'REQ-29', 'REQ-34']);
  for (const [rule, tests] of Object.entries(proofs)) {
    for (const [file, name] of tests) {
      assert.ok(existsSync(file), `${rule}: ${file} is gone`);
      assert.ok(readFileSync(file, 'utf8').includes(name), `${rule}: ${file} has no test “${name}”`);
    }
  }
});

rules('have no client case beside them that no test is named after', () => {
  const folders = ['test/clients', 'test/conformance', 'test/console', 'test/contract'];
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
  const names = files
    .filter((file) => file.endsWith('.test.ts') && file !== here)
    .flatMap((file) => readFileSync(file, 'utf8').match(/(?<=['`])C\d+(?:, C\d+)*(?=: )/g) ?? [])
    .flatMap((numbers) => numbers.split(', '));
  const missing = Array.from({ length: 42 }, (_, index) => `C${index + 1}`).filter((name) => !names.includes(name));
  assert.equal(missing, []);
});

let daemon: TestDaemon;

rules.before(async () => {
  daemon = await startTestDaemon({ config: { 'security.reveal_channel_keys': false } });
});
rules.after(() => daemon.stop());

const asRoot = () => ({ Authorization: `Bearer ${daemon.accessToken}` });

rules('S7: every search is counted as one', () => {
  const searches = endpointsOf(contract).filter(({ endpoint }) => endpoint.path.endsWith('/search'));
  assert.ok(searches.length > 5);
  for (const { name, endpoint } of searches) assert.is(endpoint.rate, 'search', name);
});

rules('S8: what an upstream answers is never a page of this site, whatever it calls it', async () => {
  const page = '<script>alert(1)</script>';
  const answer = { id: page, choices: [{ message: { role: 'assistant', content: page } }], text: page };
  const headers = {
    'content-type': 'text/html',
    'set-cookie': 'session=of another',
    location: 'https://elsewhere.example',
  };
  const upstream = await startFakeUpstream(({ url }) => ({
    status: 200,
    headers,
    chunks: [/speech|transcriptions/.test(url) ? page : JSON.stringify(answer)],
  }));
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini,tts-1,whisper-1' });
  const key = await daemon.addKey();
  const chat = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'x' }] });
  const form = new FormData();
  form.set('model', 'whisper-1');
  form.set('response_format', 'vtt');
  form.set('file', new Blob(['sound']), 'a.wav');
  const calls: readonly (readonly [string, string | FormData])[] = [
    ['chat/completions', chat],
    ['audio/speech', JSON.stringify({ model: 'tts-1', input: 'x', voice: 'alloy' })],
    ['audio/transcriptions', form],
  ];
  for (const [path, body] of calls) {
    const response = await fetch(`${daemon.url}/v1/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body,
    });
    await response.arrayBuffer();
    assert.match(response.headers.get('content-type') ?? '', /^(?:application\/json|text\/(?:plain|vtt))\b/, path);
    assert.is(response.headers.get('set-cookie'), null, path);
    assert.is(response.headers.get('location'), null, path);
  }
  await upstream.close();
});

rules('S10: channel keys are shown to nobody where the configuration says so', async () => {
  const id = await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm', key: 'sk-hidden-0123456789' });
  assert.is((await daemon.root.channels.get({ id })).key, '');
  assert.is((await daemon.root.channels.list({ ids: String(id) })).keys_hidden, true);
  await assertRefused(daemon.root.channels.revealKey({ id }), 'channel_key_hidden');
  for (const { name, endpoint } of endpointsOf(contract)) {
    if (!endpoint.path.startsWith('/api/channel') || endpoint.method === 'DELETE' || name.includes('delete')) continue;
    const input = plausibleInput(endpoint, 'required members', { id, ids: [id] });
    const response = await callEndpoint({ url: daemon.url, endpoint, input, headers: asRoot() });
    assert.not((await response.text()).includes('sk-hidden'), name);
  }
});

rules('S12: nothing is changed by a GET that a page elsewhere makes the browser send', async () => {
  const login = await fetch(`${daemon.url}/api/user/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: 'a root password' }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  assert.match(login.headers.get('set-cookie') ?? '', /SameSite=Strict/);
  for (const { name, endpoint } of endpointsOf(contract)) {
    if (endpoint.method !== 'GET' || endpoint.effect !== 'changes' || endpoint.access === 'public') continue;
    const input = plausibleInput(endpoint, 'required members');
    // A navigation or an image can bring the cookie at most, never a header of the console's.
    const response = await callEndpoint({ url: daemon.url, endpoint, input, headers: { cookie } });
    const { code }: { code: string } = JSON.parse(await response.text());
    assert.equal([response.status, code], [401, 'user_header_missing'], name);
  }
  // Leaving is public, yet a bare navigation leaves the session as it is.
  await fetch(`${daemon.url}/api/user/logout`, { headers: { cookie } });
  const self = await fetch(`${daemon.url}/api/user/self`, { headers: { cookie, 'Tollgate-User': '1' } });
  assert.is(self.status, 200);
});

rules('S13: no page elsewhere reads an answer that a cookie opens', async () => {
  const origin = { Origin: 'https://elsewhere.example' };
  for (const { name, endpoint } of endpointsOf(contract)) {
    const input = plausibleInput(endpoint, 'required members');
    for (const method of [endpoint.method, 'OPTIONS']) {
      const path = endpoint.path.replace(/:[a-z_]+/g, '1');
      const preflight = { ...origin, 'Access-Control-Request-Method': endpoint.method };
      const response =
        method === 'OPTIONS'
          ? await fetch(`${daemon.url}${path}`, { method, headers: preflight })
          : await callEndpoint({ url: daemon.url, endpoint, input, headers: origin });
      await response.arrayBuffer();
      assert.is(response.headers.get('access-control-allow-credentials'), null, name);
      const allowed = response.headers.get('access-control-allow-origin');
      assert.is(allowed, endpoint.crossOrigin === 'anyone' ? '*' : null, `${name} by ${method}`);
    }
  }
});

rules('S16: what is installed is what was locked, by content', () => {
  const lock: { packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }> } = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  );
  const locked = Object.entries(lock.packages).filter(([path, { link }]) => path !== '' && link !== true);
  assert.ok(locked.length > 100);
  for (const [path, { resolved, integrity }] of locked) {
    assert.match(integrity ?? '', /^sha512-/, path);
    // No address at all means the registry of whoever installs; the content is the same or it is refused.
    if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path);
  }
  const image = readFileSync('Dockerfile', 'utf8');
  assert.match(image, /^USER node$/m);
  assert.not.match(image, /npm install/);
  // A poisoned package must not run at once: scripts run for SQLite alone, whose binding they fetch.
  for (const text of [image, readFileSync('bin/prepare.mjs', 'utf8').replaceAll(/[',]/g, '')]) {
    assert.match(text, /\bci --include=dev --ignore-scripts\b/);
    assert.equal(text.match(/rebuild \S+/g), ['rebuild sqlite3']);
  }
});

rules('S22: a draft is tried under the rules under which it would be saved', async () => {
  const user = await daemon.root.users.create({ username: 'curious', password: 'a good password' });
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const token = 'c'.repeat(32);
  await database.stores.users.setAccessToken(user.id, keyring.accessTokenHash(token), nowSeconds() + 1000);
  const channel = { type: 1, name: 'draft', key: 'sk-x', models: 'm', group: 'default' };
  const inside = { ...channel, base_url: 'http://169.254.169.254/latest' };
  await assertRefused(daemon.root.channels.create(inside), 'channel_base_url_refused');
  await assertRefused(daemon.root.channels.testDraft({ channel: inside }), 'channel_base_url_refused');
  await assertRefused(daemon.root.channels.fetchModelsDraft(inside), 'channel_base_url_refused');
  const asUser = daemon.client(token);
  await assertRefused(asUser.channels.testDraft({ channel: inside }), 'forbidden_role', 403);
  await assertRefused(asUser.channels.fetchModelsDraft(inside), 'forbidden_role', 403);
});

rules('S30: links to chats carry a key behind the mark alone, and lead to pages or apps', async () => {
  const set = (link: string) => daemon.root.options.set({ key: 'Chats', value: JSON.stringify([{ Chat: link }]) });
  for (const link of [
    ...['https://chat.example/?key={key}', 'https://chat.example/{key}#x', 'http://{key}.chat.example/'],
    ...['javascript:alert(1)', 'data:text/html,x', 'JavaScript:alert({key})'],
  ]) {
    await assertRefused(set(link), 'option_invalid');
  }
  for (const link of ['https://chat.example/#/?settings={"key":"{key}","url":"{address}"}', 'app://chat?key={key}']) {
    await set(link);
  }
});

rules.run();
