/** Signing in with accounts elsewhere, through a whole daemon: a real OpenID Connect provider, a chat server, the bot. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import Provider from 'oidc-provider';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { startWebServer, type WebServer } from '../../../../support/web-server.ts';

const oauth = suite('accounts elsewhere');

const site = 'https://tollgate.example';
const botToken = '12345:a-bot-token';
let daemon: TestDaemon;
let issuer: string;
let identityServer: Server;
let chat: WebServer;
let verified = true;

oauth.before(async () => {
  let handle: (request: never, response: never) => unknown = () => undefined;
  identityServer = createServer((request, response) => Reflect.apply(handle, undefined, [request, response]));
  await new Promise<void>((resolve) => identityServer.listen(0, '127.0.0.1', resolve));
  const address = identityServer.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'tollgate',
        client_secret: 'client secret',
        redirect_uris: [`${site}/oauth/oidc`],
        post_logout_redirect_uris: [`${site}/login`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => false },
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: `Name of ${id} that is quite long`,
        preferred_username: id,
        email: `${id}@example.com`,
        email_verified: verified,
      }),
    }),
  });
  handle = provider.callback();
  chat = await startWebServer(({ url }) => {
    const code = new URL(url, 'http://chat').searchParams.get('code') ?? '';
    return { success: true, message: '', data: code.startsWith('good') ? `open-${code}` : '' };
  });
  daemon = await startTestDaemon({
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
  identityServer.closeAllConnections();
  identityServer.close();
});

interface Answer {
  readonly status: number;
  readonly success: boolean;
  readonly code?: string;
  readonly message: string;
  readonly data: { readonly id: number; readonly username: string } | null;
}

/** A browser with one cookie at Tollgate. */
class Browser {
  cookie = '';

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${daemon.url}${path}`, {
      headers: { 'Accept-Language': 'en', ...(this.cookie ? { Cookie: this.cookie } : {}), ...headers },
    });
    this.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    return response;
  }

  async ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await this.get(path, headers);
    return { ...JSON.parse(await response.text()), status: response.status };
  }

  async begin(query = 'provider=oidc'): Promise<Record<string, string>> {
    return JSON.parse(await (await this.get(`/api/oauth/state?${query}`)).text());
  }
}

/** Goes through the provider's own pages as a user would; the query with which it sends the browser back. */
async function authorize(account: string, asked: Record<string, string | undefined>): Promise<string> {
  const jar = new Map<string, string>();
  const query = new URLSearchParams({
    client_id: 'tollgate',
    redirect_uri: `${site}/oauth/oidc`,
    response_type: 'code',
    scope: 'openid profile email',
  });
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, value);
  const visit = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', ...value] = (cookie.split(';')[0] ?? '').split('=');
      jar.set(name, value.join('='));
    }
    return response;
  };
  let url = `${issuer}/auth?${query}`;
  for (let hops = 0; hops < 12; hops += 1) {
    const response = await visit(url);
    const location = response.headers.get('location');
    if (location?.startsWith(site)) return new URL(location).search;
    if (location) {
      url = new URL(location, issuer).href;
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
    const prompt = page.includes('name="login"') ? 'login' : 'consent';
    const form = prompt === 'login' ? { prompt, login: account, password: 'x' } : { prompt };
    const submitted = await visit(new URL(action, issuer).href, form);
    url = new URL(submitted.headers.get('location') ?? '', issuer).href;
  }
  throw new Error('the provider never sent the browser back');
}

/** Follows the provider's sign-out page to where it sends the browser. */
async function leave(address: string): Promise<string> {
  const page = await fetch(address);
  const cookies = page.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const html = await page.text();
  const action = /action="([^"]+)"/.exec(html)?.[1] ?? '';
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const left = await fetch(new URL(action, issuer), {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookies.join('; ') },
    body: new URLSearchParams({ xsrf, logout: 'yes' }),
  });
  return left.headers.get('location') ?? '';
}

/** The whole way there and back. */
async function signIn(browser: Browser, account: string): Promise<Answer> {
  const begun = await browser.begin();
  const { data: state, code_challenge, code_challenge_method, nonce } = begun;
  const back = await authorize(account, { state, code_challenge, code_challenge_method, nonce });
  return browser.ask(`/api/oauth/oidc${back}`);
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
  await browser.begin();
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
  assert.is(await leave(address.href), `${site}/login`);
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
  const { data: state, nonce, code_challenge, code_challenge_method } = await browser.begin();
  const back = await authorize('ann', { state, nonce, code_challenge, code_challenge_method });
  const stranger = await new Browser().ask(`/api/oauth/oidc${back}`);
  assert.equal([stranger.status, stranger.code], [403, 'oauth_state']);
  assert.is((await browser.ask(`/api/oauth/oidc${back}`)).success, true);
  assert.is((await browser.ask(`/api/oauth/oidc${back}`)).code, 'oauth_state');
  const other = new Browser();
  const mixed = await other.begin();
  // A code that was asked for with another challenge is of no use to whoever has stolen it.
  const stolen = await authorize('ann', {
    state: mixed.data,
    nonce: mixed.nonce,
    code_challenge,
    code_challenge_method,
  });
  assert.is((await other.ask(`/api/oauth/oidc${stolen}`)).code, 'oauth_exchange');
});

oauth('are refused with another nonce than the one that was issued', async () => {
  const browser = new Browser();
  const { data: state, code_challenge, code_challenge_method } = await browser.begin();
  const back = await authorize('ann', { state, code_challenge, code_challenge_method, nonce: 'another' });
  assert.is((await browser.ask(`/api/oauth/oidc${back}`)).code, 'oauth_exchange');
});

oauth('use up the state when the provider says no, and repeat nothing that it says', async () => {
  const browser = new Browser();
  const { data: state } = await browser.begin();
  const path = `/api/oauth/oidc?error=access_denied&error_description=%3Cb%3Ex&state=${state}`;
  const refused = await browser.ask(path);
  assert.is(refused.code, 'oauth_exchange');
  assert.not.match(refused.message, '<b>');
  assert.is((await browser.ask(path)).code, 'oauth_state');
});

oauth('keep five states open at most', async () => {
  const browser = new Browser();
  const states: (string | undefined)[] = [];
  for (let begun = 0; begun < 6; begun += 1) states.push((await browser.begin()).data);
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
  assert.is((await signIn(second, 'dora')).code, 'oauth_taken');
});

oauth('bring the invite code of whoever sent the visitor', async () => {
  const inviter = await users().findByIdentity('oidcId', 'ann');
  const browser = new Browser();
  const begun = await browser.begin(`provider=oidc&aff=${inviter?.affCode}`);
  const { data: state, nonce, code_challenge, code_challenge_method } = begun;
  const back = await authorize('fred', { state, nonce, code_challenge, code_challenge_method });
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
  const fields: Record<string, string> = {
    id: '4242',
    first_name: 'Tele & Gram',
    auth_date: String(Math.floor(Date.now() / 1000)),
    ...over,
  };
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('\n');
  const secret = createHash('sha256').update(botToken).digest();
  const hash = createHmac('sha256', secret).update(text).digest('hex');
  return String(new URLSearchParams({ ...fields, hash, lang: 'en' }));
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
  const first = botAnswer({ last_name: 'login' });
  assert.is((await login(first)).data?.id, data?.id);
  assert.is((await login(first)).code, 'oauth_exchange');
});

oauth('are off until the site turns them on', async () => {
  const browser = new Browser();
  for (const provider of ['github', 'linuxdo']) {
    const { data: state } = await browser.begin('');
    assert.is((await browser.ask(`/api/oauth/${provider}?code=x&state=${state}`)).code, 'oauth_off');
  }
});

oauth.run();
