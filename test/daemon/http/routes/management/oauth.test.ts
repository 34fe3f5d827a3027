/** Signing in with accounts elsewhere, through a whole daemon: a real OpenID Connect provider, a chat server, the bot. */
import { generateKeyPairSync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { OauthBrowser, type SignInAnswer } from '../../../../support/oauth-browser.ts';
import { type OidcProviderSite, startOidcProvider } from '../../../../support/oidc-provider.ts';
import { telegramAnswer } from '../../../../support/telegram-answer.ts';
import { startWebServer, type WebServer } from '../../../../support/web-server.ts';

const oauth = suite('accounts elsewhere');

const site = 'https://tollgate.example';
const botToken = '12345:a-bot-token';
let daemon: TestDaemon;
let issuer: string;
let provider: OidcProviderSite;
let chat: WebServer;
let verified = true;

oauth.before(async () => {
  provider = await startOidcProvider({ site, isVerified: () => verified });
  issuer = provider.issuer;
  chat = await startWebServer(({ url }) => {
    const code = new URL(url, 'http://chat').searchParams.get('code') ?? '';
    return { success: true, message: '', data: code.startsWith('good') ? `open-${code}` : '' };
  });
  daemon = await startTestDaemon({
    config: { 'security.fresh_proof_for_administration': true },
    options: {
      ServerAddress: site,
      'oidc.client_id': 'tollgate',
      'oidc.token_endpoint': `${issuer}/token`,
      'oidc.client_secret': 'client secret',
      'oidc.well_known': `${issuer}/.well-known/openid-configuration`,
      'oidc.authorization_endpoint': `${issuer}/auth`,
      'oidc.user_info_endpoint': `${issuer}/me`,
      'oidc.enabled': 'true',
      WeChatServerAddress: chat.url,
      WeChatServerToken: 'chat token',
      WeChatAuthEnabled: 'true',
      TelegramBotToken: botToken,
      TelegramOAuthEnabled: 'true',
      QuotaForNewUser: '700',
    },
  });
});

oauth.after(async () => {
  await daemon.stop();
  await chat.stop();
  await provider.stop();
});

class Browser extends OauthBrowser {
  constructor() {
    super(daemon.url);
  }
}

/** The whole way there and back. */
async function signIn(browser: Browser, account: string): Promise<SignInAnswer> {
  const begun = await browser.begin('provider=oidc');
  const { data: state, code_challenge, code_challenge_method, nonce } = begun;
  const back = await provider.authorize(account, { state, code_challenge, code_challenge_method, nonce });
  return browser.ask(`/api/oauth/oidc${back}`);
}

/** Why the provider was not believed, as operators read it. */
function lastReason(): string {
  return daemon.log.findLast((line) => line.includes('identity provider')) ?? '';
}

const users = () => daemon.daemon.foundation.database.stores.users;

oauth('register through a real OpenID Connect provider, and sign in the next time', async () => {
  const answer = await signIn(new Browser(), 'ann');
  assert.is(answer.success, true, answer.message);
  assert.is(answer.data?.username, 'ann');
  const ann = await users().findByIdentity('oidcId', 'ann');
  assert.equal(
    [ann?.email, ann?.quota, ann?.password, ann?.displayName],
    ['ann@example.com', 700, '', 'Name of ann that is '],
  );
  const again = await signIn(new Browser(), 'ann');
  assert.is(again.data?.id, answer.data?.id);
});

oauth('open a session under a new id', async () => {
  const browser = new Browser();
  await browser.begin('provider=oidc');
  const before = browser.cookie;
  const { data } = await signIn(browser, 'ann');
  assert.is.not(browser.cookie, before);
  const self = await browser.ask('/api/user/self', { 'Tollgate-User': String(data?.id) });
  assert.is(self.success, true);
});

oauth('sign out at the provider as well, which ends its session and sends the browser back', async () => {
  const browser = new Browser();
  const { data } = await signIn(browser, 'ann');
  const header = { 'Tollgate-User': String(data?.id) };
  const { cookie } = browser;
  const signedOut = await browser.get('/api/user/logout', header);
  browser.cookie = cookie;
  const answer: { data: null; logout_url: string } = JSON.parse(await signedOut.text());
  assert.is(answer.data, null);
  const address = new URL(answer.logout_url);
  assert.is(`${address.origin}${address.pathname}`, `${issuer}/session/end`);
  assert.is(address.searchParams.get('post_logout_redirect_uri'), `${site}/login`);
  assert.is(await provider.leave(address.href), `${site}/login`);
  assert.is((await browser.ask('/api/user/self', header)).code, 'session_expired');
  const again: object = JSON.parse(await (await browser.get('/api/user/logout', header)).text());
  assert.not.ok('logout_url' in again, 'there was no session to end');
  const chatter = new Browser();
  const { data: other } = await chatter.ask('/api/oauth/wechat?code=good9');
  const plain = await (await chatter.get('/api/user/logout', { 'Tollgate-User': String(other?.id) })).text();
  assert.equal(JSON.parse(plain), { success: true, message: '', data: null });
});

oauth('end the session here also while the provider cannot be asked where to sign out', async () => {
  const browser = new Browser();
  const { data } = await signIn(browser, 'ann');
  const header = { 'Tollgate-User': String(data?.id) };
  // Another address is asked anew: what was remembered of the provider belongs to its old one.
  await daemon.root.options.set({ key: 'oidc.well_known', value: `${issuer}/nowhere` });
  const { cookie } = browser;
  const answer: object = JSON.parse(await (await browser.get('/api/user/logout', header)).text());
  browser.cookie = cookie;
  await daemon.root.options.set({ key: 'oidc.well_known', value: `${issuer}/.well-known/openid-configuration` });
  assert.equal(answer, { success: true, message: '', data: null });
  assert.is((await browser.ask('/api/user/self', header)).code, 'session_expired');
});

oauth('take a state once, in its own browser, in its time and with its own challenge', async () => {
  const browser = new Browser();
  const { data: state, nonce, code_challenge, code_challenge_method } = await browser.begin('provider=oidc');
  const back = await provider.authorize('ann', { state, nonce, code_challenge, code_challenge_method });
  const stranger = await new Browser().ask(`/api/oauth/oidc${back}`);
  assert.equal([stranger.status, stranger.code], [403, 'oauth_state']);
  assert.is((await browser.ask(`/api/oauth/oidc${back}`)).success, true);
  assert.is((await browser.ask(`/api/oauth/oidc${back}`)).code, 'oauth_state');
  const other = new Browser();
  const mixed = await other.begin('provider=oidc');
  // A code that was asked for with another challenge is of no use to whoever has stolen it.
  const stolen = await provider.authorize('ann', {
    state: mixed.data,
    nonce: mixed.nonce,
    code_challenge,
    code_challenge_method,
  });
  assert.is((await other.ask(`/api/oauth/oidc${stolen}`)).code, 'oauth_exchange');
});

oauth('are refused with another nonce than the one that was issued', async () => {
  const browser = new Browser();
  const { data: state, code_challenge, code_challenge_method } = await browser.begin('provider=oidc');
  const back = await provider.authorize('ann', { state, code_challenge, code_challenge_method, nonce: 'another' });
  assert.is((await browser.ask(`/api/oauth/oidc${back}`)).code, 'oauth_exchange');
});

oauth(
  'are refused with the provider’s own tokens of another issuer, under other keys, or for another client',
  async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const otherKeys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'keystore-CHANGE-ME', use: 'sig' }] };
    const published = { issuer, jwks_uri: `${issuer}/jwks` };
    const between = await startWebServer(async ({ url, body }, response) => {
      if (url === '/issuer') return { ...published, issuer: 'https://elsewhere.example' };
      if (url === '/other-keys') return { ...published, jwks_uri: `${between.url}/keys` };
      if (url === '/keys') return otherKeys;
      // The code was given to the other client, so that its own name and secret get the tokens.
      const form = new URLSearchParams(body);
      form.set('client_id', 'another');
      form.set('client_secret', 'its secret');
      const tokens = await fetch(`${issuer}/token`, { method: 'POST', body: form });
      response.statusCode = tokens.status;
      return JSON.parse(await tokens.text());
    });
    const set = (key: string, value: string) => daemon.root.options.set({ key, value });
    const wellKnown = `${issuer}/.well-known/openid-configuration`;
    try {
      for (const path of ['issuer', 'other-keys']) {
        await set('oidc.well_known', `${between.url}/${path}`);
        assert.is((await signIn(new Browser(), 'ann')).code, 'oauth_exchange', path);
        assert.match(
          lastReason(),
          path === 'issuer' ? /unexpected \\"iss\\"/ : /signature verification failed|no applicable key/,
        );
      }
      await set('oidc.well_known', wellKnown);
      await set('oidc.token_endpoint', `${between.url}/token`);
      await set('oidc.client_secret', 'client secret');
      const browser = new Browser();
      const { data: state, nonce, code_challenge, code_challenge_method } = await browser.begin('provider=oidc');
      const asked = { state, nonce, code_challenge, code_challenge_method, client_id: 'another' };
      const back = await provider.authorize('ann', asked);
      assert.is((await browser.ask(`/api/oauth/oidc${back}`)).code, 'oauth_exchange');
      assert.is(between.asked.filter(({ url }) => url === '/token').length, 1);
      assert.match(lastReason(), /unexpected \\"aud\\"/);
    } finally {
      await set('oidc.well_known', wellKnown);
      await set('oidc.token_endpoint', `${issuer}/token`);
      await set('oidc.client_secret', 'client secret');
      await between.stop();
    }
    assert.is((await signIn(new Browser(), 'ann')).success, true, 'and by themselves they are good');
  },
);

oauth('use up the state when the provider says no, and repeat nothing that it says', async () => {
  const browser = new Browser();
  const { data: state } = await browser.begin('provider=oidc');
  const path = `/api/oauth/oidc?error=access_denied&error_description=%3Cb%3Ex&state=${state}`;
  const refused = await browser.ask(path);
  assert.is(refused.code, 'oauth_exchange');
  assert.not.match(refused.message, '<b>');
  assert.is((await browser.ask(path)).code, 'oauth_state');
});

oauth('keep five states open at most', async () => {
  const browser = new Browser();
  const states: (string | undefined)[] = [];
  for (let begun = 0; begun < 6; begun += 1) states.push((await browser.begin('provider=oidc')).data);
  const outcomes = [];
  for (const state of states) outcomes.push((await browser.ask(`/api/oauth/oidc?error=x&state=${state}`)).code);
  assert.equal(outcomes, ['oauth_state', ...Array.from({ length: 5 }, () => 'oauth_exchange')]);
});

oauth('are bound to whoever is signed in, once, and never by an address alone', async () => {
  verified = false;
  await signIn(new Browser(), 'carl');
  verified = true;
  assert.is((await users().findByIdentity('oidcId', 'carl'))?.email, null);
  const browser = new Browser();
  const { data } = await browser.ask('/api/oauth/wechat?code=good1');
  const bound = await signIn(browser, 'dora');
  assert.equal([bound.message, bound.data], ['bind', null]);
  assert.is((await users().findByIdentity('oidcId', 'dora'))?.id, data?.id);
  assert.is((await signIn(browser, 'eve')).code, 'oauth_taken');
  const second = new Browser();
  await second.ask('/api/oauth/wechat?code=good2');
  const rival = await signIn(second, 'dora');
  assert.equal([rival.code, rival.message], ['oauth_taken', 'This OIDC account is bound to another user']);
  const again = await signIn(browser, 'dora');
  assert.equal(
    [again.code, again.message],
    ['oauth_taken', 'You have bound your OIDC account already'],
    'told to whose it is',
  );
});

oauth('are bound to an administrator after a proof of who sits there, by the same answer', async () => {
  await daemon.root.users.create({ username: 'gail', password: 'long enough', role: 10 });
  const browser = new Browser();
  const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<SignInAnswer> => {
    const response = await fetch(`${daemon.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: browser.cookie, ...headers },
      body: JSON.stringify(body),
    });
    browser.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? browser.cookie;
    return { ...JSON.parse(await response.text()), status: response.status };
  };
  const { data: gail } = await post('/api/user/login', { username: 'gail', password: 'long enough' });
  const { data: state, nonce, code_challenge, code_challenge_method } = await browser.begin('provider=oidc');
  const back = await provider.authorize('gail-elsewhere', { state, nonce, code_challenge, code_challenge_method });
  assert.is((await browser.ask(`/api/oauth/oidc${back}`)).code, 'step_up_required');
  assert.is(await users().findByIdentity('oidcId', 'gail-elsewhere'), undefined);
  const proof = { action: 'sign_in_method', method: 'password', password: 'long enough' };
  const proven = await post('/api/user/step_up', proof, { 'Tollgate-User': String(gail?.id) });
  assert.is(proven.success, true, proven.message);
  assert.is((await browser.ask(`/api/oauth/oidc${back}`)).message, 'bind');
  assert.is((await users().findByIdentity('oidcId', 'gail-elsewhere'))?.id, gail?.id);
});

oauth('bring the invite code of whoever sent the visitor', async () => {
  const inviter = await users().findByIdentity('oidcId', 'ann');
  const browser = new Browser();
  const begun = await browser.begin(`provider=oidc&aff=${inviter?.affCode}`);
  const { data: state, nonce, code_challenge, code_challenge_method } = begun;
  const back = await provider.authorize('fred', { state, nonce, code_challenge, code_challenge_method });
  await browser.ask(`/api/oauth/oidc${back}`);
  assert.is((await users().findByIdentity('oidcId', 'fred'))?.inviterId, inviter?.id);
});

oauth('do not open disabled or deleted accounts, nor new ones while registration is closed', async () => {
  const fred = await users().findByIdentity('oidcId', 'fred');
  const id = fred?.id ?? 0;
  await daemon.root.users.manage({ id, action: 'disable' });
  assert.is((await signIn(new Browser(), 'fred')).code, 'user_disabled');
  await daemon.root.users.manage({ id, action: 'delete' });
  assert.is((await signIn(new Browser(), 'fred')).code, 'user_gone');
  await daemon.root.options.set({ key: 'RegisterEnabled', value: 'false' });
  assert.is((await signIn(new Browser(), 'gail')).code, 'register_off');
  await daemon.root.options.set({ key: 'RegisterEnabled', value: 'true' });
});

oauth('get another name when theirs is taken', async () => {
  const { data } = await signIn(new Browser(), 'root');
  assert.match(data?.username ?? '', /^oidc_\d+$/);
});

oauth('of the chat app come by a code that its server knows', async () => {
  const browser = new Browser();
  assert.is((await browser.ask('/api/oauth/wechat?code=bad')).code, 'oauth_exchange');
  assert.is((await browser.ask('/api/oauth/wechat')).code, 'oauth_exchange');
  const { data } = await browser.ask('/api/oauth/wechat?code=good1');
  assert.match(data?.username ?? '', /^wechat_\d+$/);
  assert.is(chat.asked.at(-1)?.headers.authorization, 'chat token');
  const crossSite = await new Browser().ask('/api/oauth/wechat?code=good1', { 'Sec-Fetch-Site': 'cross-site' });
  assert.equal([crossSite.status, crossSite.code], [403, 'oauth_state']);
});

function botAnswer(over: Record<string, string> = {}): string {
  const fields = { id: '4242', first_name: 'Tele & Gram', auth_date: String(Math.floor(Date.now() / 1000)), ...over };
  return String(new URLSearchParams({ ...telegramAnswer(botToken, fields), lang: 'en' }));
}

oauth('of the messaging bot are bound and then sign in, each answer once', async () => {
  const login = (query: string) => new Browser().ask(`/api/oauth/telegram/login?${query}`);
  assert.is((await login(botAnswer())).code, 'oauth_unbound');
  assert.is((await login('')).code, 'oauth_exchange');
  assert.is((await login(botAnswer({ auth_date: '1700000000' }))).code, 'oauth_exchange');
  assert.is((await login(`${botAnswer({ username: 'x' })}x`.replace('4242', '4243'))).code, 'oauth_exchange');
  const browser = new Browser();
  const { data } = await browser.ask('/api/oauth/wechat?code=good1');
  const query = botAnswer({ last_name: 'bind' });
  assert.is((await browser.ask(`/api/oauth/telegram/bind?${query}`)).code, 'user_header_missing');
  const bound = await browser.ask(`/api/oauth/telegram/bind?${query}`, { 'Tollgate-User': String(data?.id) });
  assert.equal([bound.success, bound.message], [true, 'bind']);
  // The widget's own callback hands numbers over, which a page sends on as they are.
  const { id, auth_date, ...rest } = Object.fromEntries(new URLSearchParams(botAnswer({ last_name: 'again' })));
  const again = await fetch(`${daemon.url}/api/oauth/telegram/bind`, {
    method: 'POST',
    headers: { Cookie: browser.cookie, 'Tollgate-User': String(data?.id), 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...rest, id: Number(id), auth_date: Number(auth_date) }),
  });
  assert.is((await again.json()).code, 'oauth_taken');
  const first = botAnswer({ last_name: 'login' });
  assert.is((await login(first)).data?.id, data?.id);
  assert.is((await login(first)).code, 'oauth_exchange');
  // Another account's own answer, cut apart elsewhere than the bot put it together.
  const other = new URLSearchParams(botAnswer({ id: '77', first_name: 'X\nid=4242\nlast_name=Y' }));
  other.set('first_name', 'X');
  other.set('id', '4242');
  other.set('last_name', 'Y\nid=77');
  assert.is((await login(String(other))).code, 'oauth_exchange');
});

oauth('are off until the site turns them on', async () => {
  const browser = new Browser();
  for (const provider of ['github', 'linuxdo']) {
    const { data: state } = await browser.begin('');
    assert.is((await browser.ask(`/api/oauth/${provider}?code=x&state=${state}`)).code, 'oauth_off');
  }
});

oauth.run();
