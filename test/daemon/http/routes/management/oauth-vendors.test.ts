/** Signing in with GitHub, LinuxDO, the chat app and the bot, through a whole daemon whose vendors are played by one server. */
import { createHash, createHmac } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ExternalIdentity } from '../../../../../daemon/store/users.ts';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { OauthBrowser, type SignInAnswer } from '../../../../support/oauth-browser.ts';
import { startWebServer, type WebServer } from '../../../../support/web-server.ts';

const oauth = suite('accounts at vendors');

const botToken = '12345:a-bot-token';
let daemon: TestDaemon;
let vendors: WebServer;

/** One way to come with an account of a vendor; accounts are numbers, as vendors count them. */
interface Way {
  readonly name: string;
  readonly identity: ExternalIdentity;
  readonly switch: string;
  /** Signs in or registers, as whoever the browser is. */
  enter(browser: OauthBrowser, account: string): Promise<SignInAnswer>;
  /** Binds for whoever is signed in. */
  bind(browser: OauthBrowser, account: string, userId: number): Promise<SignInAnswer>;
}

/** With a state: the callback binds when somebody is signed in. */
function callbackWay(id: 'github' | 'linuxdo', way: Omit<Way, 'enter' | 'bind'>): Way {
  const enter = async (browser: OauthBrowser, account: string) => {
    const { data: state } = await browser.begin();
    return browser.ask(`/api/oauth/${id}?code=${codeOf(account)}&state=${state}`);
  };
  return { ...way, enter, bind: enter };
}

const ways: readonly Way[] = [
  callbackWay('github', { name: 'github', identity: 'githubId', switch: 'GitHubOAuthEnabled' }),
  callbackWay('linuxdo', { name: 'linuxdo', identity: 'linuxDoId', switch: 'LinuxDOOAuthEnabled' }),
  {
    name: 'wechat',
    identity: 'wechatId',
    switch: 'WeChatAuthEnabled',
    enter: (browser, account) => browser.ask(`/api/oauth/wechat?code=${codeOf(account)}`),
    bind: (browser, account, userId) =>
      browser.ask(`/api/oauth/wechat/bind?code=${codeOf(account)}`, { 'Tollgate-User': String(userId) }),
  },
];

/** The vendors: a code names its account, or what goes wrong. */
const codeOf = (account: string) => `code-${account}`;
const accountOf = (text: string) => /-(\w+)$/.exec(text)?.[1] ?? '';

oauth.before(async () => {
  vendors = await startWebServer(({ url, body, headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://vendors');
    const asked =
      pathname.endsWith('/user') && pathname !== '/chat/api/wechat/user' ? headers.authorization : undefined;
    const code =
      searchParams.get('code') ??
      (body.startsWith('{') ? String(JSON.parse(body).code) : new URLSearchParams(body).get('code'));
    const account = accountOf(asked ?? code ?? '');
    if (account === 'broken') {
      response.statusCode = 502;
      return { message: 'an inner secret' };
    }
    if (account === 'nonsense') return void response.end('<html>');
    if (account === 'elsewhere') return void response.writeHead(302, { Location: vendors.url }).end();
    const isKnown = account !== 'unknown';
    switch (pathname) {
      case '/hub/login/oauth/access_token':
      case '/do/oauth2/token':
        return isKnown ? { access_token: `token-${account}` } : { error: 'bad_verification_code' };
      case '/hub/api/v3/user':
      case '/do/api/user':
        return { id: Number(account), login: 'renamed', name: `Name ${account}` };
      case '/chat/api/wechat/user':
        return { success: true, message: '', data: isKnown ? account : '' };
      default:
        response.statusCode = 404;
        return {};
    }
  });
  daemon = await startTestDaemon({
    config: {
      'security.github_url': `${vendors.url}/hub/`,
      'security.github_api_url': `${vendors.url}/hub/api/v3`,
      'security.linuxdo_url': `${vendors.url}/do`,
    },
    options: {
      ServerAddress: 'https://tollgate.example',
      GitHubClientId: 'hub client',
      GitHubClientSecret: 'hub secret',
      GitHubOAuthEnabled: 'true',
      LinuxDOClientId: 'do client',
      LinuxDOClientSecret: 'do secret',
      LinuxDOOAuthEnabled: 'true',
      WeChatServerAddress: `${vendors.url}/chat`,
      WeChatServerToken: 'chat token',
      WeChatAuthEnabled: 'true',
      TelegramBotToken: botToken,
      TelegramOAuthEnabled: 'true',
      QuotaForNewUser: '700',
    },
  });
});

oauth.after(async () => {
  await daemon?.stop();
  await vendors?.stop();
});

const browse = () => new OauthBrowser(daemon.url);
const users = () => daemon.daemon.foundation.database.stores.users;
const set = (key: string, value: string) => daemon.root.options.set({ key, value });

/** The vendor's id of whoever is signed in here, as the own account shows it. */
async function ownAccount(browser: OauthBrowser, id: number): Promise<Record<string, unknown>> {
  const response = await browser.get('/api/user/self', { 'Tollgate-User': String(id) });
  return JSON.parse(await response.text()).data;
}

oauth('name to visitors the pages where they sign in', async () => {
  const status = await daemon.root.status.get();
  assert.is(status.github_authorization_endpoint, `${vendors.url}/hub/login/oauth/authorize`);
  assert.is(status.linuxdo_authorization_endpoint, `${vendors.url}/do/oauth2/authorize`);
});

oauth('are asked with the secrets of the site, at the configured addresses', async () => {
  vendors.asked.length = 0;
  for (const way of ways) assert.is((await way.enter(browse(), '100')).success, true, way.name);
  assert.equal(
    vendors.asked.map(({ method, url, headers }) => `${method} ${url} ${headers.authorization ?? ''}`.trim()),
    [
      'POST /hub/login/oauth/access_token',
      'GET /hub/api/v3/user Bearer token-100',
      `POST /do/oauth2/token Basic ${Buffer.from('do client:do secret').toString('base64')}`,
      'GET /do/api/user Bearer token-100',
      'GET /chat/api/wechat/user?code=code-100 chat token',
    ],
  );
  const [hub] = vendors.asked;
  assert.equal(JSON.parse(hub?.body ?? ''), {
    client_id: 'hub client',
    client_secret: 'hub secret',
    code: 'code-100',
  });
});

for (const way of ways) {
  oauth(`of ${way.name} register once and sign in from then on`, async () => {
    const first = await way.enter(browse(), '7');
    assert.is(first.success, true, first.message);
    assert.match(first.data?.username ?? '', new RegExp(`^${way.name}_\\d+$`));
    const made = await users().findByIdentity(way.identity, '7');
    assert.equal([made?.id, made?.quota, made?.password, made?.role], [first.data?.id, 700, '', 1]);
    const browser = browse();
    const again = await way.enter(browser, '7');
    assert.is(again.data?.id, first.data?.id);
    assert.is((await ownAccount(browser, again.data?.id ?? 0)).username, first.data?.username);
    assert.is.not((await way.enter(browse(), '8')).data?.id, first.data?.id);
  });

  oauth(`of ${way.name} are bound to whoever is signed in, and to nobody else after that`, async () => {
    // Somebody who came another way.
    const other = ways.find(({ name }) => name !== way.name);
    if (!other) throw new Error('there is one way alone');
    const [owner, rival] = [browse(), browse()];
    const ownerId = (await other.enter(owner, `2${way.name.length}1`)).data?.id ?? 0;
    const rivalId = (await other.enter(rival, `2${way.name.length}2`)).data?.id ?? 0;
    const bound = await way.bind(owner, '55', ownerId);
    assert.equal([bound.success, bound.data], [true, null], bound.message);
    assert.is((await users().findByIdentity(way.identity, '55'))?.id, ownerId);
    assert.is((await way.enter(browse(), '55')).data?.id, ownerId, 'and it signs in as that user');
    assert.is((await way.bind(rival, '55', rivalId)).code, 'oauth_taken');
    assert.is((await way.bind(owner, '56', ownerId)).code, 'oauth_taken', 'a binding replaces nothing');
    assert.is(await users().findByIdentity(way.identity, '56'), undefined);
    await daemon.root.users.delete({ id: ownerId });
    assert.is((await way.bind(rival, '55', rivalId)).code, 'oauth_taken', 'also when its owner is deleted');
    assert.is((await way.enter(browse(), '55')).code, 'user_gone');
  });

  oauth(`of ${way.name} are refused when the vendor is, and none of its words reach the visitor`, async () => {
    for (const account of ['unknown', 'broken', 'nonsense', 'elsewhere']) {
      const refused = await way.enter(browse(), account);
      assert.equal([refused.success, refused.code], [false, 'oauth_exchange'], account);
      assert.not.match(refused.message, /secret|html|bad_verification/);
    }
    assert.is(await users().findByIdentity(way.identity, 'NaN'), undefined);
  });

  oauth(`of ${way.name} open no account while registration is off, and none at all while the way is`, async () => {
    await way.enter(browse(), '9');
    await set('RegisterEnabled', 'false');
    try {
      assert.is((await way.enter(browse(), '90')).code, 'register_off');
      assert.is((await way.enter(browse(), '9')).success, true, 'who has an account comes in');
    } finally {
      await set('RegisterEnabled', 'true');
    }
    await set(way.switch, 'false');
    try {
      assert.is((await way.enter(browse(), '9')).code, 'oauth_off');
    } finally {
      await set(way.switch, 'true');
    }
    const known = await users().findByIdentity(way.identity, '9');
    await daemon.root.users.manage({ id: known?.id ?? 0, action: 'disable' });
    assert.is((await way.enter(browse(), '9')).code, 'user_disabled');
  });
}

for (const id of ['github', 'linuxdo']) {
  oauth(`of ${id} need the state of the same browser, once`, async () => {
    const browser = browse();
    const { data: state } = await browser.begin();
    const path = `/api/oauth/${id}?code=code-3&state=${state}`;
    vendors.asked.length = 0;
    for (const [visitor, wrong] of [
      [browse(), path],
      [browser, `/api/oauth/${id}?code=code-3&state=other`],
      [browser, `/api/oauth/${id}?code=code-3`],
    ] as const) {
      const refused = await visitor.ask(wrong);
      assert.equal([refused.status, refused.code], [403, 'oauth_state'], wrong);
    }
    const crossSite = await browser.ask(path, { 'Sec-Fetch-Site': 'cross-site' });
    assert.equal([crossSite.status, crossSite.code], [403, 'oauth_state']);
    assert.is(vendors.asked.length, 0, 'the vendor is not asked');
    assert.is((await browser.ask(path)).success, true);
    assert.is((await browser.ask(path)).code, 'oauth_state');
  });
}

/** What the bot's widget hands over about an account. */
function widget(account: string, over: Record<string, string> = {}): string {
  const fields: Record<string, string> = { id: account, auth_date: String(Math.floor(Date.now() / 1000)), ...over };
  const lines = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`);
  const secret = createHash('sha256').update(botToken).digest();
  const hash = createHmac('sha256', secret).update(lines.join('\n')).digest('hex');
  return String(new URLSearchParams({ ...fields, hash }));
}

oauth('of the messaging bot belong to one user, and open no account of a user who may not come in', async () => {
  const [owner, rival] = [browse(), browse()];
  const [ownerId, rivalId] = [
    (await ways[0]?.enter(owner, '301'))?.data?.id ?? 0,
    (await ways[0]?.enter(rival, '302'))?.data?.id ?? 0,
  ];
  const bind = (browser: OauthBrowser, userId: number, name: string) =>
    browser.ask(`/api/oauth/telegram/bind?${widget('77', { username: name })}`, { 'Tollgate-User': String(userId) });
  const login = (name: string) => browse().ask(`/api/oauth/telegram/login?${widget('77', { username: name })}`);
  assert.is((await login('first')).code, 'oauth_unbound', 'it never registers');
  assert.is((await bind(owner, ownerId, 'owner')).message, 'bind');
  assert.is((await bind(rival, rivalId, 'rival')).code, 'oauth_taken');
  assert.is((await login('second')).data?.id, ownerId);
  await daemon.root.users.manage({ id: ownerId, action: 'disable' });
  assert.is((await login('third')).code, 'user_disabled');
  await set('TelegramOAuthEnabled', 'false');
  assert.is((await login('fourth')).code, 'oauth_off');
  await set('TelegramOAuthEnabled', 'true');
});

oauth('are reached through the egress guard alone', async () => {
  const guarded = await startTestDaemon({
    config: {
      'security.egress_allow': [],
      'security.github_url': vendors.url,
      'security.github_api_url': vendors.url,
      'security.linuxdo_url': vendors.url,
    },
    options: {
      GitHubClientId: 'id',
      GitHubClientSecret: 'secret',
      GitHubOAuthEnabled: 'true',
      LinuxDOClientId: 'id',
      LinuxDOClientSecret: 'secret',
      LinuxDOOAuthEnabled: 'true',
    },
  });
  try {
    vendors.asked.length = 0;
    for (const id of ['github', 'linuxdo']) {
      const browser = new OauthBrowser(guarded.url);
      const { data: state } = await browser.begin();
      assert.is((await browser.ask(`/api/oauth/${id}?code=code-1&state=${state}`)).code, 'oauth_exchange');
    }
    assert.is(vendors.asked.length, 0);
  } finally {
    await guarded.stop();
  }
});

oauth.run();
