/** B2 and B20 of console.md 10: the second factor, from turning it on to signing in with it and turning it off. */
import { TOTP } from 'otpauth';
import type { CDPSession, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';

const journey = journeys('second factor');

journey.onPhone('B20 personal: turns the second factor on, signs in with it, and turns it off', async (visit) => {
  const { page, context, text, goTo, expectClean, expectFailure, signIn, site, daemon, settled } = visit;
  const account = await site.addAccount();
  const button = (zh: string, en: string) => page.getByRole('button', { name: text(zh, en), exact: true });
  const dialog = (zh: string, en: string) => page.getByRole('dialog', { name: text(zh, en) });
  await signIn(account);
  await goTo('/personal?tab=security');
  expectFailure('/api/user/2fa', 403);
  await button('启用', 'Turn on').click();
  const proof = dialog('验证身份', 'Is it you?');
  await proof.getByLabel(text('密码', 'Password'), { exact: true }).fill('not the password');
  await proof.getByRole('button', { name: text('验证', 'Verify'), exact: true }).click();
  await proof.getByText(text('身份验证未通过', 'That did not prove who you are')).waitFor();
  await expectClean('proof refused');
  await proof.getByLabel(text('密码', 'Password'), { exact: true }).fill(account.password);
  await proof.getByRole('button', { name: text('验证', 'Verify'), exact: true }).click();

  const setUp = dialog('启用双重验证', 'Turn two-factor sign-in on');
  const secret = (await setUp.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
  // Taken a step late as well, so that none is too old when a step ends meanwhile.
  const code = (steps: 0 | 1) =>
    new TOTP({ secret }).generate({ timestamp: (daemon.daemon.foundation.nowSeconds() + 30 * steps) * 1000 });
  await expectClean('set up');
  await setUp.getByLabel(text('验证码', 'Code'), { exact: true }).fill(code(0));
  await setUp.getByRole('button', { name: text('启用', 'Turn on'), exact: true }).click();
  const codes = dialog('恢复码', 'Recovery codes');
  await codes.waitFor();
  const recovery = await codes.getByRole('listitem').allTextContents();
  assert.is(recovery.length, 10);
  await expectClean('recovery codes');
  await codes.getByLabel(text('我已保存恢复码', 'I have saved the recovery codes')).check();
  await codes.getByRole('button', { name: text('完成', 'Done'), exact: true }).click();
  await page.getByText(text('剩余恢复码 10 个', '10 recovery codes left')).waitFor();
  await expectClean('on');

  await context.clearCookies();
  await page.evaluate(() => localStorage.removeItem('user'));
  await goTo('/login?returnTo=%2Fpersonal%3Ftab%3Dsecurity');
  await page.getByLabel(text('用户名或邮箱', 'User name or e-mail')).fill(account.username);
  await page.getByLabel(text('密码', 'Password'), { exact: true }).fill(account.password);
  await page.keyboard.press('Enter');
  const field = page.getByLabel(text('验证码', 'Code'), { exact: true });
  await field.waitFor();
  await untilPasses(async () => assert.ok(await field.evaluate((element) => element === document.activeElement)));
  await expectClean('second step');
  await field.fill('000000');
  await page.getByText(text('验证码不正确或已失效', 'Code wrong or expired')).waitFor();
  await settled();
  await expectClean('wrong code');
  await field.fill(code(1));
  await untilPasses(() => assert.is(page.url(), `${site.daemon.url}/personal?tab=security`));

  expectFailure('/api/user/2fa', 403);
  await button('关闭双重验证', 'Turn off').click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('关闭双重验证', 'Turn off'), exact: true })
    .click();
  await page.getByText(text('使用恢复码', 'Use a recovery code')).click();
  await proof.getByLabel(text('恢复码', 'Recovery code'), { exact: true }).fill(recovery[0] ?? '');
  await expectClean('proof by recovery code');
  await proof.getByRole('button', { name: text('验证', 'Verify'), exact: true }).click();
  await page.getByText(text('未启用', 'Off'), { exact: true }).first().waitFor();
  await button('启用', 'Turn on').waitFor();
});

journey.onDesktop(
  'B20 personal: a proof that was given up leaves no word, a lost answer shows what it did, and Back keeps recovery codes',
  async (visit) => {
    const { page, text, goTo, expectClean, expectFailure, signIn, site, settled } = visit;
    const account = await site.addAccount();
    const dialog = (zh: string, en: string) => page.getByRole('dialog', { name: text(zh, en), exact: true });
    await signIn(account);
    await goTo('/token');
    await page.getByRole('link', { name: text('个人设置', 'Personal settings') }).click();
    await page.getByRole('tab', { name: text('安全', 'Security') }).click();
    expectFailure('/api/user/2fa', 403);
    await page.getByRole('button', { name: text('启用', 'Turn on'), exact: true }).click();
    const proof = dialog('验证身份', 'Is it you?');
    const prove = async () => {
      await proof.getByLabel(text('密码', 'Password'), { exact: true }).fill(account.password);
      await page.keyboard.press('Enter');
    };
    await prove();
    const setUp = dialog('启用双重验证', 'Turn two-factor sign-in on');
    const secret = (await setUp.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
    const enter = async () => {
      await setUp.getByLabel(text('验证码', 'Code'), { exact: true }).fill(new TOTP({ secret }).generate());
      await page.keyboard.press('Enter');
    };

    // As after five minutes of looking for the telephone.
    const enable = '**/api/user/2fa/enable';
    const data = { action: 'account', methods: ['password'] };
    const body = JSON.stringify({ success: false, message: 'prove it', code: 'step_up_required', data });
    await page.route(enable, (route) => route.fulfill({ status: 403, contentType: 'application/json', body }));
    expectFailure('/api/user/2fa/enable', 403);
    await enter();
    await proof.waitFor();
    await page.keyboard.press('Escape');
    await proof.waitFor({ state: 'detached' });
    await settled();
    assert.is(await setUp.getByRole('alert').count(), 0);
    await page.unroute(enable);

    await page.route(enable, async (route) => {
      await route.fetch();
      await route.fulfill({ status: 500, contentType: 'application/json', body: '{"success":false,"message":"lost"}' });
    });
    expectFailure('/api/user/2fa/enable', 500);
    await enter();
    await setUp.getByRole('alert').waitFor();
    await page.unroute(enable);
    await page.keyboard.press('Escape');
    await page.getByText(text('剩余恢复码 10 个', '10 recovery codes left')).waitFor();

    await page.getByRole('button', { name: text('重新生成恢复码', 'New recovery codes'), exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('重新生成恢复码', 'New recovery codes'), exact: true })
      .click();
    const codes = dialog('恢复码', 'Recovery codes');
    await codes.waitFor();
    const { pathname } = new URL(page.url());
    await page.goBack();
    await settled();
    assert.is(new URL(page.url()).pathname, pathname);
    assert.is(await codes.getByRole('listitem').count(), 10);
    await expectClean('kept');
  },
);

/** A security key in software that unlocks by itself, behind the browser's own dialogs. */
async function plugIn(page: Page): Promise<{ browser: CDPSession; setWilling(isWilling: boolean): Promise<unknown> }> {
  const browser = await page.context().newCDPSession(page);
  await browser.send('WebAuthn.enable', { enableUI: false });
  const key = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...key, isUserVerified: true, automaticPresenceSimulation: true },
  });
  const setWilling = (enabled: boolean) =>
    browser.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  return { browser, setWilling };
}

/** Opens the settings of somebody new with an authenticator plugged in, at an address for which browsers make passkeys. */
async function goToSecurity({ page, context, site, daemon }: Journey) {
  // They make none for addresses without a name.
  const here = `http://localhost:${new URL(site.daemon.url).port}`;
  await daemon.root.options.set({ key: 'ServerAddress', value: here });
  const account = await site.addAccount();
  const session = await site.signIn(account);
  await context.addCookies(session.cookies.map((cookie) => ({ ...cookie, url: here })));
  const key = await plugIn(page);
  await page.goto(`${here}/logo.svg`);
  await page.evaluate((user) => localStorage.setItem('user', user), JSON.stringify(session.user));
  await page.goto(`${here}/personal?tab=security`);
  return { here, account, key };
}

journey.onDesktop(
  'B20 personal: adds a passkey, proves and signs in by it, and takes the second step by it',
  async (visit) => {
    const { page, context, text, expectClean, expectFailure, daemon, settled } = visit;
    const { here, account, key } = await goToSecurity(visit);
    const button = (zh: string, en: string) => page.getByRole('button', { name: text(zh, en), exact: true });
    await button('添加通行密钥', 'Add a passkey').click();
    const adding = page.getByRole('dialog', { name: text('添加通行密钥', 'Add a passkey') });
    await adding.getByLabel(text('名称', 'Name'), { exact: true }).fill('laptop');
    await expectClean('name');
    expectFailure('/api/user/passkey/options', 403);
    await adding.getByRole('button', { name: text('保存', 'Save'), exact: true }).click();
    const proof = page.getByRole('dialog', { name: text('验证身份', 'Is it you?') });
    await proof.getByLabel(text('密码', 'Password'), { exact: true }).fill(account.password);
    await proof.getByRole('button', { name: text('验证', 'Verify'), exact: true }).click();
    await page.getByText('laptop', { exact: true }).waitFor();
    await settled();
    await expectClean('added');

    await button('创建机器令牌', 'Create machine token').click();
    const making = page.getByRole('dialog', { name: text('创建机器令牌', 'Create machine token') });
    await making.getByLabel(text('名称', 'Name'), { exact: true }).fill('ci');
    await making.getByText(text('只读', 'Read'), { exact: true }).first().click();
    expectFailure('/api/machine_token/', 403);
    await making.getByRole('button', { name: text('创建机器令牌', 'Create machine token'), exact: true }).click();
    await proof.getByText(text('使用通行密钥', 'Use a passkey'), { exact: true }).click();
    await expectClean('proof by passkey');
    await proof.getByRole('button', { name: text('验证', 'Verify'), exact: true }).click();
    await page.getByText(/^tgm_/).waitFor();

    // An app whose codes nobody has.
    const { secondFactors } = daemon.daemon.foundation.database.stores;
    const app = { userId: account.id, secret: 'sealed elsewhere' };
    await secondFactors.beginTotp({ ...app, createdAt: 1 });
    await secondFactors.enableTotp(app, { enabledAt: 1, lastStep: 0 });
    const signOut = async () => {
      await page.goto(`${here}/logo.svg`);
      await context.clearCookies();
      await page.evaluate(() => localStorage.removeItem('user'));
    };
    await signOut();
    await key.setWilling(false);
    await page.goto(`${here}/login`);
    await page.getByLabel(text('用户名或邮箱', 'User name or e-mail')).fill(account.username);
    await page.getByLabel(text('密码', 'Password'), { exact: true }).fill(account.password);
    await page.keyboard.press('Enter');
    await page.getByLabel(text('验证码', 'Code'), { exact: true }).waitFor();
    await expectClean('second step with a passkey');
    await key.setWilling(true);
    await button('使用通行密钥', 'Use a passkey').click();
    await untilPasses(() => assert.is(page.url(), `${here}/token`));

    await signOut();
    await page.goto(`${here}/login`);
    // A key that unlocks by itself may answer the offer under the name's field before the button is reached.
    const clicked = button('使用通行密钥', 'Use a passkey')
      .click()
      .catch(() => undefined);
    await Promise.race([clicked, page.waitForURL(`${here}/token`)]);
    await untilPasses(() => assert.is(page.url(), `${here}/token`));
    await key.browser.detach();
    await daemon.root.options.set({ key: 'ServerAddress', value: '' });
  },
);

journey.onDesktop(
  'B20 personal: says that a device keeps a passkey already, and asks twice about the only way to sign in',
  async (visit) => {
    const { page, text, daemon, settled, expectClean } = visit;
    const { here, account, key } = await goToSecurity(visit);
    visit.expectFailure('/api/user/passkey/options', 403);
    for (const name of ['laptop', 'laptop again']) {
      await page.getByRole('button', { name: text('添加通行密钥', 'Add a passkey'), exact: true }).click();
      const adding = page.getByRole('dialog', { name: text('添加通行密钥', 'Add a passkey') });
      await adding.getByLabel(text('名称', 'Name'), { exact: true }).fill(name);
      await adding.getByRole('button', { name: text('保存', 'Save'), exact: true }).click();
      if (name !== 'laptop') continue;
      const proof = page.getByRole('dialog', { name: text('验证身份', 'Is it you?') });
      await proof.getByLabel(text('密码', 'Password'), { exact: true }).fill(account.password);
      await proof.getByRole('button', { name: text('验证', 'Verify'), exact: true }).click();
      await adding.waitFor({ state: 'hidden' });
    }
    await page
      .getByText(text('此设备已有本账户的通行密钥', 'keeps a passkey of your account already'))
      .first()
      .waitFor();

    const removed = async (question: string) => {
      await page.goto(`${here}/personal?tab=security`);
      await page.getByRole('button', { name: text('删除：laptop', 'Remove: laptop'), exact: true }).click();
      await page.getByText(question).waitFor();
      await settled();
      await expectClean(question);
    };
    await removed(text('之后不能再用它登录。', 'It will no longer sign you in.'));
    await daemon.root.options.set({ key: 'PasswordLoginEnabled', value: 'false' });
    await removed(text('这是您唯一的登录方式', 'It is your only way in'));
    await daemon.root.options.set({ key: 'PasswordLoginEnabled', value: 'true' });
    await key.browser.detach();
    await daemon.root.options.set({ key: 'ServerAddress', value: '' });
  },
);

journey.onDesktop(
  'B2 sign-in: offers passkeys under the field of the name alone, and anew before the offer ends',
  async ({ context, site, daemon }) => {
    const here = `http://localhost:${new URL(site.daemon.url).port}`;
    await daemon.root.options.set({ key: 'ServerAddress', value: here });
    // Whose clock is set has a window of their own.
    const window = await context.browser()?.newContext();
    const page = await window?.newPage();
    if (!page) throw new Error('no window');
    const key = await plugIn(page);
    await key.setWilling(false);
    let offers = 0;
    page.on('request', (request) => {
      offers += Number(request.url().endsWith('/api/user/login/passkey/options'));
    });
    await page.clock.install();
    await page.goto(`${here}/login`);
    await untilPasses(() => assert.is(offers, 1));
    await page.clock.fastForward(4 * 60_000 + 1000);
    await untilPasses(() => assert.is(offers, 2));

    await daemon.root.options.set({ key: 'PasswordLoginEnabled', value: 'false' });
    await page.goto(`${here}/login`);
    await page.getByRole('button', { name: /Use a passkey|使用通行密钥/ }).waitFor();
    await page.clock.fastForward(4 * 60_000 + 1000);
    assert.is(offers, 2);
    assert.is(await page.getByRole('alert').count(), 0);
    await page.context().close();
    await daemon.root.options.set({ key: 'PasswordLoginEnabled', value: 'true' });
    await daemon.root.options.set({ key: 'ServerAddress', value: '' });
  },
);

journey.run();
