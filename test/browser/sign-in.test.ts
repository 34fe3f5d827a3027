/** B2 of console.md 10: the way in, by password and past it. */
import { createHash, createHmac } from 'node:crypto';
import * as assert from 'uvu/assert';
import { listenForRedirect } from '../../cli/loopback.ts';
import { untilPasses } from '../support/until.ts';
import { startWebServer } from '../support/web-server.ts';
import { journeys } from './journeys.ts';

const journey = journeys('signing in');

journey('B2 sign-in: refuses empty and wrong, and leads on when right', async (visit) => {
  const { page, text, goTo, expectClean, site, settled } = visit;
  await goTo('/login');
  await expectClean('empty');
  const name = page.getByLabel(text('用户名或邮箱', 'User name or e-mail'));
  const password = page.getByLabel(text('密码', 'Password'), { exact: true });
  const submit = page.getByRole('button', { name: text('登录', 'Sign in'), exact: true });
  await submit.click();
  await page.getByText(text('请输入用户名和密码', 'Please enter username and password')).waitFor();
  await expectClean('nothing entered');
  await name.fill('alice');
  await password.fill('not her password');
  await password.press('Enter');
  await page.getByRole('alert').waitFor();
  await settled();
  await expectClean('refused');
  assert.is(await password.evaluate((field) => field === document.activeElement), true, 'the password has the focus');
  await password.fill(site.accounts.user.password);
  await submit.click();
  await page.waitForURL('**/token');
  const stored = JSON.parse((await page.evaluate(() => localStorage.getItem('user'))) ?? '{}');
  assert.is(stored.username, 'alice');
  assert.not.match(await page.evaluate(() => JSON.stringify({ ...localStorage })), site.accounts.user.password);
});

for (const [address, target] of [
  ['/login?returnTo=%2Flog%3Ftype%3D2', '/log?type=2'],
  ['/login?returnTo=%2F%2Fevil.example', '/token'],
  ['/login?returnTo=%2F%5Cevil.example', '/token'],
] as const) {
  journey.onDesktop(`B2 sign-in: from ${address} goes to ${target}`, async ({ page, goTo, text, site }) => {
    await goTo(address);
    const { username, password } = site.accounts.user;
    await page.getByLabel(text('用户名或邮箱', 'User name or e-mail')).fill(username);
    await page.getByLabel(text('密码', 'Password'), { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await untilPasses(() => assert.is(page.url(), site.daemon.url + target));
  });
}

journey.onPhone('B2 sign-in: says that a session is over, and sends on who is signed in', async (visit) => {
  const { page, text, goTo, expectClean, signIn, daemon } = visit;
  await goTo('/login?expired=true');
  const over = text('未登录或登录已过期，请重新登录！', 'Not logged in or login expired, please log in again');
  await page.getByText(over).waitFor();
  await expectClean('expired');
  await signIn();
  await goTo('/login');
  await untilPasses(() => assert.is(page.url(), `${daemon.url}/token`));
});

journey.onDesktop(
  'B6 session: leads from a public page to the sign-in page, once, and not from a way in',
  async (visit) => {
    const { page, context, goTo, signIn, expectFailure, daemon } = visit;
    const { user } = await signIn(await visit.site.addAccount());
    const login = `${daemon.url}/login?expired=true&returnTo=${encodeURIComponent('/pricing?group=default')}`;
    expectFailure('/api/user/self', 401);
    await context.clearCookies();
    await goTo('/pricing?group=default');
    await untilPasses(() => assert.is(page.url(), login));
    await page.locator('header a[href="/pricing"]').click();
    await untilPasses(() => assert.is(page.url(), `${daemon.url}/pricing`));

    await page.evaluate((stored) => localStorage.setItem('user', stored), JSON.stringify(user));
    await goTo('/reset');
    await untilPasses(async () => assert.is(await page.evaluate(() => localStorage.getItem('user')), null));
    assert.is(page.url(), `${daemon.url}/reset`);
  },
);

journey.onDesktop(
  'B6 session: keeps the frame while code of a page cannot be fetched, and brings it at a retry',
  async (visit) => {
    const { context, text, signIn, daemon } = visit;
    await signIn();
    // What this one says of the lost network is no fault.
    const page = await context.newPage();
    await page.goto(`${daemon.url}/token`);
    await page.getByRole('heading', { level: 1, name: text('API 令牌', 'API tokens') }).waitFor();
    await context.setOffline(true);
    await page.locator('nav a[href="/audit"], nav a[href="/reference"]').first().click();
    const retry = page.getByRole('alert').getByRole('button', { name: text('重试', 'Retry') });
    await retry.waitFor();
    await page.getByRole('banner').waitFor();
    await context.setOffline(false);
    await retry.click();
    await page.getByRole('heading', { level: 1, name: text('API 参考', 'API reference') }).waitFor();
  },
);

journey.onPhone(
  'E2 command line: lets a program in for a typed code or refuses it, and lets in one on this machine',
  async (visit) => {
    const { page, text, goTo, expectClean, expectFailure, signIn, site, daemon } = visit;
    const program = daemon.client(undefined).cliSignIns;
    const expires_at = daemon.daemon.foundation.nowSeconds() + 30 * 86_400;
    const wish = { name: 'tollgate on build-7', scopes: ['*' as const], expires_at };
    const account = await site.addAccount({ role: 10 });
    const button = (zh: string, en: string) => page.getByRole('button', { name: text(zh, en), exact: true });
    const field = page.getByLabel(text('代码', 'Code'), { exact: true });
    await signIn(account);

    const refused = await program.begin(wish);
    await goTo('/cli');
    await expectClean('code');
    await field.fill('bbbbbbbb');
    await field.press('Enter');
    await page.getByText(text('没有命令行在等待此代码', 'No command line waits with this code')).waitFor();
    await field.fill(refused.user_code.toLowerCase());
    await field.press('Enter');
    await button('拒绝', 'Refuse').click();
    await page.getByText(text('已拒绝登录', 'It was refused')).waitFor();

    const begun = await program.begin(wish);
    await goTo('/cli');
    await field.fill(begun.user_code);
    await field.press('Enter');
    await page.getByText('tollgate on build-7').waitFor();
    await expectClean('review');
    expectFailure('/api/cli/device/approve', 403);
    await button('允许登录', 'Let it sign in').click();
    const proof = page.getByRole('dialog', { name: text('验证身份', 'Is it you?') });
    await proof.getByLabel(text('密码', 'Password'), { exact: true }).fill(account.password);
    await proof.getByRole('button', { name: text('验证', 'Verify'), exact: true }).click();
    await page.getByText(text('已允许登录', 'It may sign in')).waitFor();
    const { scopes } = await program.token({ grant: 'device_code', code: begun.device_code });
    assert.ok(scopes.includes('channel:write'));

    const verifier = 'v'.repeat(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const texts = { code: 'the code has come', denied: 'refused' };
    const loopback = await listenForRedirect({ state: 'known', texts, language: 'en' });
    try {
      const asked = { name: wish.name, scopes: 'log:read', expires_at: String(expires_at), challenge, state: 'known' };
      await goTo(`/cli?${new URLSearchParams({ ...asked, port: String(loopback.port) })}`);
      await expectClean('review of this machine');
      await button('允许登录', 'Let it sign in').click();
      await page.getByText(texts.code).waitFor();
      const redirect = await loopback.redirect;
      const code = redirect.kind === 'code' ? redirect.code : '';
      assert.equal((await program.token({ grant: 'authorization_code', code, verifier })).scopes, ['log:read']);
    } finally {
      loopback.close();
    }
    await goTo('/cli?challenge=short&port=22');
    await page.getByText(text('此链接不完整或已损坏', 'This link is incomplete or damaged')).waitFor();
  },
);

journey.onPhone('B2 sign-in: brings the invite along when the chat app says who comes', async (visit) => {
  const { page, text, goTo, expectClean, daemon, variant } = visit;
  const chatApp = await startWebServer(() => ({ success: true, message: '', data: variant.name }));
  try {
    await daemon.root.options.set({ key: 'PasswordRegisterEnabled', value: 'false' });
    await goTo('/register');
    await page.getByText(text('管理员已关闭注册', 'Registration is closed')).waitFor();
    for (const [key, value] of [
      ['WeChatServerAddress', chatApp.url],
      ['WeChatServerToken', 'chat token'],
      ['WeChatAuthEnabled', 'true'],
    ] as const) {
      await daemon.root.options.set({ key, value });
    }
    const invited = (await daemon.root.account.get()).aff_count;
    await goTo(`/register?aff=${await daemon.root.rewards.inviteCode()}`);
    await page.getByRole('button', { name: text('使用微信登录', 'Sign in with WeChat') }).click();
    assert.is(await page.locator('input[name="password"]').count(), 0);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: text('登录', 'Sign in'), exact: true }).click();
    await dialog.getByText(text('请输入验证码！', 'Enter the verification code')).waitFor();
    await expectClean('no code');
    await dialog.getByLabel(text('验证码', 'Verification code')).fill('123456');
    await dialog.getByRole('button', { name: text('登录', 'Sign in'), exact: true }).click();
    await untilPasses(() => assert.is(page.url(), `${daemon.url}/`));
    assert.is((await daemon.root.account.get()).aff_count, invited + 1);
  } finally {
    await daemon.root.options.set({ key: 'WeChatAuthEnabled', value: 'false' });
    await daemon.root.options.set({ key: 'PasswordRegisterEnabled', value: 'true' });
    await chatApp.stop();
  }
});

const botToken = '12345:a-bot-token';

/** What Telegram adds to the address for this account, as of now. */
function telegramAnswer(id: string): string {
  const members = { auth_date: String(Math.floor(Date.now() / 1000)), first_name: 'A', id };
  const lines = Object.entries(members).map(([name, value]) => `${name}=${value}`);
  const secret = createHash('sha256').update(botToken).digest();
  const hash = createHmac('sha256', secret).update(lines.join('\n')).digest('hex');
  return String(new URLSearchParams({ ...members, hash }));
}

journey('B2 sign-in: takes an answer of Telegram only where this tab has asked for one', async (visit) => {
  const { page, context, text, goTo, signIn, settled, site, daemon, variant } = visit;
  const [victim, sender] = variant.language === 'zh' ? ['71', '72'] : ['81', '82'];
  const refusal = page.getByText(text('不是由当前标签页发起的', 'was not asked for in this tab'));
  const button = page.getByRole('button', { name: 'Log in with Telegram' });
  const boundTo = async (username: string) => (await store.findByUsername(username))?.telegramId;
  const store = daemon.daemon.foundation.database.stores.users;
  for (const [key, value] of [
    ['TelegramBotName', 'a_bot'],
    ['TelegramBotToken', botToken],
    ['TelegramOAuthEnabled', 'true'],
  ] as const) {
    await daemon.root.options.set({ key, value });
  }
  // Its button goes where the answer is wanted, as Telegram's does.
  await page.route('https://telegram.org/js/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `const script = document.currentScript; const button = document.createElement('button');
        button.textContent = 'Log in with Telegram';
        button.onclick = () => { const to = script.dataset.authUrl;
          location.href = to + (to.includes('?') ? '&' : '?') + ${JSON.stringify(telegramAnswer(victim))}; };
        script.after(button);`,
    }),
  );
  try {
    const account = await site.addAccount();
    await signIn(account);
    await goTo(`/personal?tab=bindings&${telegramAnswer(sender)}`);
    await refusal.waitFor();
    assert.is(new URL(page.url()).search, '?tab=bindings');
    assert.is(await boundTo(account.username), null, 'the link of a stranger binds nothing');
    await page.getByRole('button', { name: text('绑定：Telegram', 'Bind: Telegram') }).click();
    await button.click();
    await untilPasses(async () => assert.is(await boundTo(account.username), victim));
    await settled();

    await context.clearCookies();
    await page.evaluate(() => localStorage.removeItem('user'));
    await goTo(`/login?${telegramAnswer(victim)}`);
    await refusal.waitFor();
    assert.is(page.url(), `${daemon.url}/login`);
    await page.getByRole('button', { name: text('使用 Telegram 登录', 'Sign in with Telegram') }).click();
    await button.click();
    await untilPasses(() => assert.is(page.url(), `${daemon.url}/`));
  } finally {
    await daemon.root.options.set({ key: 'TelegramOAuthEnabled', value: 'false' });
    await page.unrouteAll({ behavior: 'wait' });
  }
});

journey.run();
