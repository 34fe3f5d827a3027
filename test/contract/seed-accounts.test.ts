/** The calls of the seeds about the own account, one test each, in the order in which somebody comes to them. */
import { createHash, createHmac } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';
import { assertMembers, ConsoleSession, membersOf } from './console-session.ts';
import { accountCalls } from './seed-calls.ts';

const seeds = suite('calls of the seeds: own account');

const botToken = '12345:a-bot-token';
let daemon: TestDaemon;
let mail: MailServer;
/** The chat-app server and the identity provider in one. */
let elsewhere: WebServer;
let browser: ConsoleSession;
let inviteCode: string;

seeds.before(async () => {
  mail = await startMailServer();
  elsewhere = await startWebServer(({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://elsewhere');
    if (pathname === '/token') return { access_token: 'of the provider', token_type: 'Bearer' };
    if (pathname === '/me') return { sub: 'subject-1', preferred_username: 'from-oidc', name: 'From OIDC' };
    return { success: true, message: '', data: `open-${searchParams.get('code')}` };
  });
  daemon = await startTestDaemon({
    config: { 'limits.mail.enabled': false, 'limits.mail_recipient.enabled': false },
    options: {
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mail.port),
      SMTPFrom: 'post@example.org',
      ServerAddress: 'https://tollgate.example',
      EmailVerificationEnabled: 'true',
      CheckInEnabled: 'true',
      CheckInQuota: '1000',
      QuotaForNewUser: '600',
      QuotaForInviter: '500000',
      'oidc.client_id': 'tollgate',
      'oidc.client_secret': 'client secret',
      'oidc.authorization_endpoint': `${elsewhere.url}/auth`,
      'oidc.token_endpoint': `${elsewhere.url}/token`,
      'oidc.user_info_endpoint': `${elsewhere.url}/me`,
      'oidc.enabled': 'true',
      WeChatServerAddress: elsewhere.url,
      WeChatServerToken: 'chat token',
      WeChatAuthEnabled: 'true',
      TelegramBotToken: botToken,
      TelegramOAuthEnabled: 'true',
    },
  });
  await daemon.addChannel({ base_url: elsewhere.url, models: 'gpt-4o,gpt-4o-mini' });
  inviteCode = await daemon.root.rewards.inviteCode();
  browser = new ConsoleSession(daemon.url);
});

seeds.after(async () => {
  await daemon.stop();
  await mail.stop();
  await elsewhere.stop();
});

/** Members of the login payload, which the console keeps under `user`. */
const loginMembers = ['display_name', 'group', 'id', 'role', 'status', 'username'];
const selfMembers =
  'DeletedAt access_token aff_code aff_count aff_history_quota aff_quota client_ip display_name email github_id group ' +
  'has_password id inviter_id last_check_in_time linux_do_id oidc_id password quota request_count role setting status telegram_id ' +
  'used_quota username wechat_id';

function sorted(value: unknown): string[] {
  return Object.keys(membersOf(value)).sort();
}

async function mailedCode(email: string): Promise<string> {
  assert.is(await browser.data('GET', `/api/verification?email=${encodeURIComponent(email)}&turnstile=&lang=en`), null);
  return /\r\n\r\n([0-9a-z]{6})\r\n/.exec((await mail.next()).text)?.[1] ?? '';
}

/** What the bot's widget sends back for an account. */
function botAnswer(id: string, name: string): string {
  const auth_date = String(Math.floor(Date.now() / 1000));
  const fields = { auth_date, first_name: 'Bot', id, last_name: name, photo_url: 'https://t.example/p', username: 'u' };
  const text = Object.entries(fields).map(([key, value]) => `${key}=${value}`);
  const hash = createHmac('sha256', createHash('sha256').update(botToken).digest())
    .update(text.join('\n'))
    .digest('hex');
  return String(new URLSearchParams({ ...fields, hash, lang: 'en' }));
}

const password = 'a good password';
let code = '';

const exercises: Record<(typeof accountCalls)[number]['call'], () => Promise<void>> = {
  'GET /api/verification': async () => {
    code = await mailedCode('ann@example.org');
    assert.match(code, /^[0-9a-z]{6}$/);
  },
  'POST /api/user/register': async () => {
    const form = { username: 'ann', password, password2: password, email: 'ann@example.org', verification_code: code };
    assert.is(
      await browser.refusal('POST', '/api/user/register?turnstile=', { ...form, password2: 'x' }),
      'password_mismatch',
    );
    assert.is(await browser.data('POST', '/api/user/register?turnstile=', { ...form, aff_code: inviteCode }), null);
    const root = await daemon.root.account.get();
    assert.equal([root.aff_count, root.aff_quota], [1, 500_000]);
  },
  'POST /api/user/login': async () => {
    assert.is(
      await browser.refusal('POST', '/api/user/login?turnstile=', { username: 'ann', password: 'x' }),
      'login_failed',
    );
    const data = await browser.signIn('ann@example.org', password);
    assert.equal(sorted(data), loginMembers);
    assert.equal(
      [data.username, data.display_name, data.role, data.status, data.group],
      ['ann', 'ann', 1, 1, 'default'],
    );
  },
  'GET /api/user/self': async () => {
    const data = await browser.object('GET', '/api/user/self');
    assertMembers(data, selfMembers.split(' '));
    assert.equal([data.email, data.quota, data.inviter_id, data.password], ['ann@example.org', 600, 1, '']);
    assert.equal([data.access_token, data.DeletedAt, data.client_ip], [null, null, '127.0.0.1']);
  },
  'PUT /api/user/self': async () => {
    const self = await browser.object('GET', '/api/user/self');
    assert.is(await browser.data('PUT', '/api/user/self', { ...self, display_name: 'Ann A.', quota: 9 }), null);
    assert.is(
      await browser.data('PUT', '/api/user/self', { password: 'a new password', original_password: password }),
      null,
    );
    const after = await browser.object('GET', '/api/user/self');
    assert.equal({ ...after, display_name: '' }, { ...self, display_name: '' });
    assert.is(after.display_name, 'Ann A.');
    assert.match((await mail.next()).text, 'ann');
    await new ConsoleSession(daemon.url).signIn('ann', 'a new password');
  },
  'GET /api/user/models': async () => {
    assert.equal(await browser.data('GET', '/api/user/models'), ['gpt-4o', 'gpt-4o-mini']);
  },
  'GET /api/user/self/groups': async () => {
    const groups = Object.values(await browser.object('GET', '/api/user/self/groups'));
    assert.ok(groups.length > 0);
    for (const group of groups) {
      const { desc, ratio } = membersOf(group);
      assert.equal([typeof desc, typeof ratio], ['string', 'number']);
    }
  },
  'GET /api/user/token': async () => {
    const [first, second] = [
      await browser.data('GET', '/api/user/token'),
      await browser.data('GET', '/api/user/token'),
    ];
    assert.match(String(second), /^[0-9A-Za-z]{32}$/);
    const withToken = (token: unknown) =>
      fetch(`${daemon.url}/api/user/self`, { headers: { Authorization: String(token) } }).then(({ status }) => status);
    assert.equal([await withToken(first), await withToken(second)], [401, 200]);
  },
  'GET /api/user/aff': async () => {
    assert.match(String(await browser.data('GET', '/api/user/aff')), /^[0-9A-Za-z]{8}$/);
  },
  'POST /api/user/aff_transfer': async () => {
    const root = new ConsoleSession(daemon.url);
    await root.signIn('root', 'a root password');
    const before = await root.object('GET', '/api/user/self');
    assert.is(await root.refusal('POST', '/api/user/aff_transfer', { quota: 499_999 }), 'aff_min');
    assert.is(await root.data('POST', '/api/user/aff_transfer', { quota: 500_000 }, '已划入余额'), null);
    const { quota, aff_quota } = await root.object('GET', '/api/user/self');
    assert.equal([quota, aff_quota], [Number(before.quota) + 500_000, 0]);
  },
  'GET /api/user/check_in_status': async () => {
    const data = await browser.object('GET', '/api/user/check_in_status');
    assert.equal([data.can_check_in, data.enabled, data.checked_in_today], [true, true, false]);
  },
  'POST /api/user/check_in': async () => {
    const before = Number((await browser.object('GET', '/api/user/self')).quota);
    assert.equal(await browser.object('POST', '/api/user/check_in', {}, '签到成功'), { quota: 1000 });
    assert.is((await browser.object('GET', '/api/user/self')).quota, before + 1000);
    assert.is(await browser.refusal('POST', '/api/user/check_in'), 'checkin_done');
    assert.is((await browser.object('GET', '/api/user/check_in_status')).can_check_in, false);
  },
  'PUT /api/user/setting': async () => {
    const mailSettings = {
      notify_type: 'email',
      quota_warning_threshold: 500_000,
      notification_email: 'x@example.org',
    };
    const rest = { webhook_url: '', webhook_secret: '', accept_unset_model_ratio_model: true };
    assert.is(await browser.data('PUT', '/api/user/setting', { ...mailSettings, ...rest }, '设置已保存'), null);
    const setting = JSON.parse(String((await browser.object('GET', '/api/user/self')).setting));
    const { notify_type, quota_warning_threshold, notification_email } = setting;
    assert.equal({ notify_type, quota_warning_threshold, notification_email }, mailSettings);
    assert.is(setting.accept_unset_model_ratio_model, true);
  },
  'GET /api/oauth/state': async () => {
    const plain = await new ConsoleSession(daemon.url).data('GET', '/api/oauth/state');
    assert.match(String(plain), /^[\w-]{43}$/);
  },
  'GET /api/oauth/{type}': async () => {
    const visitor = new ConsoleSession(daemon.url);
    const state = await visitor.data('GET', `/api/oauth/state?aff=${inviteCode}`);
    const signedIn = await visitor.object('GET', `/api/oauth/oidc?code=c&state=${state}`);
    assert.equal([sorted(signedIn), signedIn.username], [loginMembers, 'from-oidc']);
    // A state serves once, and each provider asks for its own.
    for (const type of ['github', 'oidc', 'linuxdo']) {
      const { status, body } = await visitor.call('GET', `/api/oauth/${type}?code=c&state=${state}`);
      assert.equal([status, body.success, body.code], [403, false, 'oauth_state'], type);
    }
    const again = await browser.data('GET', '/api/oauth/state');
    assert.is(await browser.refusal('GET', `/api/oauth/oidc?code=c&state=${again}`), 'oauth_taken');
  },
  'GET /api/oauth/wechat': async () => {
    const data = await new ConsoleSession(daemon.url).object('GET', '/api/oauth/wechat?code=visitor');
    assert.equal([sorted(data), data.display_name], [loginMembers, 'WeChat User']);
  },
  'GET /api/oauth/wechat/bind': async () => {
    assert.is(await browser.data('GET', '/api/oauth/wechat/bind?code=ann'), null);
    assert.is((await browser.object('GET', '/api/user/self')).wechat_id, 'open-ann');
  },
  'GET /api/oauth/email/bind': async () => {
    const mailed = await mailedCode('ann@new.example.org');
    assert.is(await browser.data('GET', `/api/oauth/email/bind?email=ann@new.example.org&code=${mailed}`), null);
    assert.is((await browser.object('GET', '/api/user/self')).email, 'ann@new.example.org');
    assert.not.equal((await mail.next()).to, ['ann@new.example.org'], 'the address before hears of it');
  },
  '/api/oauth/telegram/bind': async () => {
    assert.is(
      await browser.data('GET', `/api/oauth/telegram/bind?${botAnswer('77', 'bind')}`, undefined, 'bind'),
      null,
    );
    assert.is((await browser.object('GET', '/api/user/self')).telegram_id, '77');
  },
  'GET /api/oauth/telegram/login': async () => {
    const visitor = new ConsoleSession(daemon.url);
    const data = await visitor.object('GET', `/api/oauth/telegram/login?${botAnswer('77', 'login')}`);
    assert.equal([sorted(data), data.username], [loginMembers, 'ann']);
  },
  'GET /api/reset_password': async () => {
    assert.is(await browser.data('GET', '/api/reset_password?email=ann@new.example.org&turnstile=&lang=en'), null);
    const link = /https:\/\/tollgate\.example\/user\/reset\?email=\S+&token=([\w-]{43})/.exec((await mail.next()).text);
    code = link?.[1] ?? '';
    assert.match(code, /^[\w-]{43}$/);
  },
  'POST /api/user/reset': async () => {
    const fresh = await browser.data('POST', '/api/user/reset', { email: 'ann@new.example.org', token: code });
    assert.match(String(fresh), /^[0-9A-Za-z]{16}$/);
    assert.is((await browser.call('GET', '/api/user/self')).status, 401);
    assert.is((await browser.signIn('ann', String(fresh))).username, 'ann');
  },
  'GET /api/user/logout': async () => {
    const visitor = new ConsoleSession(daemon.url);
    await visitor.object('GET', `/api/oauth/telegram/login?${botAnswer('77', 'out')}`);
    visitor.userId = browser.userId;
    assert.is(await visitor.data('GET', '/api/user/logout'), null);
    assert.is((await visitor.call('GET', '/api/user/self')).status, 401);
    assert.is((await browser.call('GET', '/api/user/self')).status, 200);
  },
  'DELETE /api/user/self': async () => {
    assert.is(await browser.data('DELETE', '/api/user/self'), null);
    assert.is((await browser.call('GET', '/api/user/self')).status, 401);
    assert.ok((await daemon.root.users.search({ keyword: 'ann' })).items[0]?.DeletedAt);
  },
};

for (const [call, exercise] of Object.entries(exercises)) {
  const { at = [] } = accountCalls.find((known) => known.call === call) ?? {};
  seeds(`${call} (${at.join(', ')})`, exercise);
}

seeds.run();
