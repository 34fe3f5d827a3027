/** Signing in, registering and the own account: the rules that the console applies before it asks the server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readNoticeSettings, usualThreshold, warningThreshold } from '../../console/account/notice-settings.ts';
import { registrationProblems } from '../../console/pages/front/register-rules.ts';
import { accountProblems, strengthOf } from '../../console/pages/front/setup-account-rules.ts';
import { baseUrlOf, dialects, languages, snippetOf } from '../../console/pages/front/snippets.ts';
import { deviceOf } from '../../console/pages/personal/device.ts';
import { daysOf, millisecondsUntil, monthAfter, monthOf } from '../../console/pages/personal/month.ts';
import { authorizationAddress, isOAuthProvider } from '../../console/sign-in/oauth-address.ts';
import { telegramAnswerIn, withoutTelegramAnswer } from '../../console/sign-in/telegram-answer.ts';
import type { StatusView } from '../../daemon/contract/status.ts';

const test = suite('console/own-account');

test('the first account needs a name without @, eight characters and the same password twice', () => {
  const good = { username: ' root ', password: 'correct horse', confirmation: 'correct horse' };
  assert.equal(accountProblems(good), {});
  assert.equal(accountProblems({ ...good, username: '  ' }), { username: 'usernameEmpty' });
  assert.equal(accountProblems({ ...good, username: 'a@b' }), { username: 'usernameInvalid' });
  assert.equal(accountProblems({ ...good, username: '名'.repeat(20) }), {});
  assert.equal(accountProblems({ ...good, username: '名'.repeat(21) }), { username: 'usernameInvalid' });
  assert.equal(accountProblems({ ...good, password: 'short', confirmation: 'short' }), { password: 'passwordShort' });
  const long = '密'.repeat(25);
  assert.equal(accountProblems({ ...good, password: long, confirmation: long }), { password: 'passwordLong' });
  assert.equal(accountProblems({ ...good, confirmation: 'other' }), { confirmation: 'mismatch' });
});

test('a password counts as strong by length first', () => {
  assert.is(strengthOf(''), 0);
  assert.is(strengthOf('aB3$'), 1);
  assert.is(strengthOf('aaaaaaaaaaaaaaaaaaaa'), 1);
  assert.is(strengthOf('abcdefgh'), 1);
  assert.is(strengthOf('Abcdefg1'), 2);
  assert.is(strengthOf('correct horse battery'), 3);
});

test('a registration asks for address and code only where the site wants them', () => {
  const given = {
    username: 'ann',
    password: 'battery staple',
    confirmation: 'battery staple',
    email: '',
    code: '',
    inviteCode: '',
  };
  assert.equal(registrationProblems(given, false), {});
  assert.equal(registrationProblems(given, true), { email: 'emailEmpty', code: 'codeEmpty' });
  assert.equal(registrationProblems({ ...given, username: '', password: 'x', confirmation: 'y' }, false), {
    username: 'usernameInvalid',
    password: 'passwordShort',
    confirmation: 'mismatch',
  });
});

test('each provider is asked with what it wants', () => {
  // Only what the addresses are made of.
  const status = {
    github_client_id: 'gh',
    github_authorization_endpoint: 'https://github.com/login/oauth/authorize',
    oidc_client_id: 'id',
    oidc_authorization_endpoint: 'https://id.example.com/auth?tenant=1',
    linuxdo_client_id: 'ld',
    linuxdo_authorization_endpoint: 'https://connect.linux.do/oauth2/authorize',
  } as StatusView;
  const opened = { data: 's', nonce: 'n', code_challenge: 'c', code_challenge_method: 'S256' };
  const queryOf = (provider: 'github' | 'oidc' | 'linuxdo') =>
    Object.fromEntries(new URL(authorizationAddress(provider, status, opened, 'https://own.example')).searchParams);
  assert.equal(queryOf('github'), { client_id: 'gh', state: 's', scope: 'user:email' });
  assert.equal(queryOf('linuxdo'), { response_type: 'code', client_id: 'ld', state: 's' });
  assert.equal(queryOf('oidc'), {
    tenant: '1',
    client_id: 'id',
    redirect_uri: 'https://own.example/oauth/oidc',
    response_type: 'code',
    scope: 'openid profile email',
    state: 's',
    nonce: 'n',
    code_challenge: 'c',
    code_challenge_method: 'S256',
  });
  const scripted = { ...status, github_authorization_endpoint: 'javascript:alert(1)' };
  assert.throws(
    () => authorizationAddress('github', scripted, opened, 'https://own.example'),
    /^not a web address: javascript:/,
  );
  assert.ok(isOAuthProvider('oidc') && !isOAuthProvider('wechat') && !isOAuthProvider(undefined));
});

test('the answer of Telegram is taken whole and leaves the rest of the address', () => {
  const query = new URLSearchParams('tab=bindings&id=7&first_name=A&auth_date=1&hash=h&other=x');
  assert.equal(telegramAnswerIn(query), { id: '7', first_name: 'A', auth_date: '1', hash: 'h' });
  assert.is(String(withoutTelegramAnswer(query)), 'tab=bindings&other=x');
  assert.is(telegramAnswerIn(new URLSearchParams('id=7')), undefined);
});

test('settings that cannot be read are as if none were saved', () => {
  for (const text of ['', '{', '[]', 'null', '{"quota_warning_threshold":"x","notify_type":"fax"}']) {
    assert.is(warningThreshold(text), usualThreshold, text);
    assert.is(readNoticeSettings(text).notify_type, 'email', text);
  }
  assert.is(warningThreshold('{"quota_warning_threshold":7}'), 7);
});

test('a month has its days under their weekdays', () => {
  const days = daysOf('2026-11');
  assert.is(days.length, 30);
  assert.equal(days[0], { date: '2026-11-01', day: 1, column: 7 });
  assert.equal(days.at(-1), { date: '2026-11-30', day: 30, column: 1 });
  assert.is(daysOf('2028-02').length, 29);
  assert.is(monthAfter('2026-12', 1), '2027-01');
  assert.is(monthAfter('2026-01', -1), '2025-12');
});

test('the next day is asked for when it begins, and by a clock that is wrong once an hour', () => {
  const begins = 1_800_000_000;
  const at = (difference: number) => begins * 1000 + difference;
  const wait = (toldAt: number, now = toldAt) => millisecondsUntil(begins, at(toldAt), at(now));
  assert.is(millisecondsUntil(undefined, 0, at(0)), false);
  assert.is(wait(-600_000), 600_000);
  assert.is(wait(2_000), 5_000, 'the clocks differ a little');
  assert.is(wait(-600_000, 90_000), 5_000, 'the line was lost over midnight');
  assert.is(wait(7_200_000), 3_600_000, 'ahead by hours');
  assert.is(wait(-40 * 86_400_000), 3_600_000, 'behind by weeks, of which no timer can tell');
});

test('the month is that of the server', () => {
  const lastHour = Date.UTC(2026, 10, 30, 20);
  assert.is(monthOf(lastHour, 'UTC'), '2026-11');
  assert.is(monthOf(lastHour, 'Asia/Shanghai'), '2026-12');
  assert.match(monthOf(lastHour, 'Nowhere/Unknown'), /^2026-1[12]$/);
});

test('devices are called by the names their owners know', () => {
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile/15E148 Safari/604.1';
  assert.equal(deviceOf(iphone), { program: 'Safari', system: 'iPhone', isHandheld: true });
  const edge = 'Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0';
  assert.equal(deviceOf(edge), { program: 'Edge', system: 'Windows', isHandheld: false });
  assert.equal(deviceOf('curl/8.5.0'), { program: 'curl', system: '', isHandheld: false });
  assert.equal(deviceOf(''), { program: '', system: '', isHandheld: false });
});

test('every sample call goes to the given address and names no key', () => {
  for (const dialect of dialects) {
    for (const language of languages) {
      const text = snippetOf(dialect, language, 'https://own.example');
      assert.ok(text.includes(baseUrlOf(dialect, 'https://own.example')), `${dialect} ${language}`);
      assert.ok(text.includes('TOLLGATE_KEY') && !text.includes('sk-'), `${dialect} ${language}`);
    }
  }
});

test.run();
