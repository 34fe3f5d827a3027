/** B20 of console.md 10: everybody's own account. */
import * as assert from 'uvu/assert';
import { assertRefused } from '../support/refusals.ts';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';

const journey = journeys('personal settings');

journey('B20 personal: shows each tab by its address', async ({ goTo, signIn, expectClean }) => {
  await signIn();
  for (const tab of ['overview', 'bindings', 'security', 'notifications', 'price', 'preferences']) {
    await goTo(`/personal?tab=${tab}`);
    await expectClean(tab);
  }
});

journey.onPhone('B20 personal: checks in once a day', async (visit) => {
  const { page, text, goTo, expectClean, signIn, site, daemon } = visit;
  for (const [key, value] of [
    ['CheckInQuota', '500000'],
    ['CheckInMaxQuota', '500000'],
    ['CheckInEnabled', 'true'],
  ] as const) {
    await daemon.root.options.set({ key, value });
  }
  await signIn(await site.addAccount());
  await goTo('/personal');
  const checkIn = page.getByRole('button', { name: text('立即签到', 'Check in'), exact: true });
  await checkIn.waitFor();
  await daemon.root.options.set({ key: 'CheckInEnabled', value: 'false' });
  await checkIn.click();
  await page.getByText(text('错误：未启用签到', 'Error: Check-in is switched off')).waitFor();
  await daemon.root.options.set({ key: 'CheckInEnabled', value: 'true' });
  await goTo('/personal');
  await page.getByText(text('每日签到可获得 $1.00', 'Each day brings $1.00'), { exact: true }).waitFor();
  await checkIn.click();
  await page.getByText(text('签到成功，获得 $1.00', 'Checked in, $1.00 received')).waitFor();
  const done = page.getByRole('button', { name: text('今日已签到', 'Checked in today') });
  await untilPasses(async () => assert.is(await done.isDisabled(), true));
  // The midnight of the server, which counts in UTC, is eight in the morning where this browser stands.
  await page.getByText(/\d{4}-\d\d-\d\d 00:00:00.*UTC/).waitFor();
  await expectClean('checked in');
});

journey.onDesktop('B20 personal: changes the password only with the one before', async (visit) => {
  const { page, text, goTo, expectClean, signIn, site } = visit;
  const account = await site.addAccount();
  await signIn(account);
  await goTo('/personal?tab=security');
  const original = page.getByLabel(text('当前密码', 'Current password'), { exact: true });
  const fresh = page.getByLabel(text('新密码', 'New password'), { exact: true });
  const again = page.getByLabel(text('确认新密码', 'Confirm new password'), { exact: true });
  await original.fill('not the password');
  await fresh.fill('another good one');
  await again.fill('something else');
  const submit = page.getByRole('button', { name: text('修改密码', 'Change password'), exact: true });
  await submit.click();
  await page.getByText(text('两次输入的密码不一致', 'The two passwords do not match')).waitFor();
  await again.fill('another good one');
  await submit.click();
  await page.getByText(text('当前密码不正确', 'The current password is wrong')).waitFor();
  await expectClean('refused');
  await original.fill(account.password);
  await submit.click();
  await page.getByText(text('密码修改成功！', 'Password changed')).waitFor();
  await site.signIn({ username: account.username, password: 'another good one' });
  // As somebody sees it who came by a provider.
  await page.route('**/api/user/self', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const { data, ...rest } = await response.json();
    return route.fulfill({ response, json: { ...rest, data: { ...data, has_password: false } } });
  });
  await goTo('/personal?tab=security');
  await page.getByText(text('此账户还没有密码', 'This account has none yet')).waitFor();
  assert.is(await original.count(), 0);
  await fresh.fill('yet another good one');
  await again.fill('yet another good one');
  await page.getByRole('button', { name: text('设置密码', 'Set password'), exact: true }).click();
  await page.getByText(text('密码修改成功！', 'Password changed')).waitFor();
  await expectClean('first password');
  await page.unrouteAll({ behavior: 'wait' });
  await site.signIn({ username: account.username, password: 'yet another good one' });
});

journey.onPhone('B20 personal: saves how to be warned, and keeps a secret out of sight', async (visit) => {
  const { page, text, goTo, expectClean, signIn, site } = visit;
  await signIn(await site.addAccount());
  await goTo('/personal?tab=notifications');
  await page.getByText('Webhook', { exact: true }).click();
  await page.getByLabel(text('Webhook 地址', 'Webhook address')).fill('https://hooks.example.com/x');
  await page.getByLabel(text('Webhook 密钥', 'Webhook secret'), { exact: true }).fill('only ours');
  await page.getByRole('button', { name: text('保存设置', 'Save'), exact: true }).click();
  await page.getByText(text('通知设置已更新', 'Settings saved')).waitFor();
  await page.getByText(text('已设置；留空则保持不变', 'Set; leave empty to keep it')).waitFor();
  assert.not.match(await page.content(), 'only ours');
  await expectClean('saved');
});

journey.onDesktop('B20 personal: counts as saved what was saved, and loses nothing to another tab', async (visit) => {
  const { page, context, daemon, text, goTo, signIn, site, settled } = visit;
  await signIn(await site.addAccount());
  await goTo('/personal?tab=notifications');
  const address = page.getByLabel(text('通知邮箱', 'E-mail for notices'), { exact: true });
  const save = page.getByRole('button', { name: text('保存设置', 'Save'), exact: true });
  const test = page.getByRole('button', { name: text('发送测试通知', 'Send a test notice'), exact: true });
  const saved = page.getByText(text('通知设置已更新', 'Settings saved'));
  const stores = () => page.waitForResponse((answer) => answer.request().method() === 'PUT');
  await address.fill('ops@example.com');
  assert.is(await test.isDisabled(), true);
  await save.focus();
  await page.keyboard.press('Enter');
  await saved.waitFor();
  await settled();
  // Whoever pressed it by the keyboard goes on from there.
  assert.is(await save.evaluate((button) => document.activeElement === button), true);
  await address.fill('ops@example.com ');
  await Promise.all([stores(), save.click()]);
  await settled();
  assert.is(await test.isDisabled(), false);

  // What another tab saves meanwhile is not taken back.
  await address.fill('night@example.com');
  const elsewhere = await context.newPage();
  await elsewhere.goto(`${daemon.url}/personal?tab=price`);
  await elsewhere.getByRole('switch').focus();
  await elsewhere.keyboard.press('Space');
  await elsewhere.getByRole('button', { name: text('保存', 'Save'), exact: true }).click();
  await elsewhere.getByText(text('保存成功', 'Saved'), { exact: true }).waitFor();
  await elsewhere.close();
  await Promise.all([stores(), save.click()]);
  await settled();
  assert.is(await address.inputValue(), 'night@example.com');
  await goTo('/personal?tab=price');
  assert.is(await page.getByRole('switch').isChecked(), true);
});

journey.onDesktop('B20 personal: makes a machine token, shows its secret once, and ends it', async (visit) => {
  const { page, text, goTo, expectClean, expectFailure, signIn, site, daemon } = visit;
  const account = await site.addAccount();
  await signIn(account);
  await goTo('/personal?tab=security');
  const create = text('创建机器令牌', 'Create machine token');
  await page.getByText(text('还没有机器令牌', 'No machine token yet')).waitFor();
  await page.getByRole('button', { name: create }).click();
  const dialog = page.getByRole('dialog', { name: create });
  await dialog.getByRole('button', { name: create }).click();
  const none = dialog.getByText(text('请至少选择一项权限', 'Choose at least one scope'));
  await none.waitFor();
  await dialog.getByLabel(text('名称', 'Name'), { exact: true }).fill('ci-usage');
  // The button stands below all scopes, what it says of them above.
  await page.setViewportSize({ width: 1280, height: 500 });
  await dialog.getByRole('button', { name: create }).click();
  await dialog.locator('[role=alert]:focus').waitFor();
  await untilPasses(async () => assert.ok(((await none.boundingBox())?.y ?? 0) > 0));
  await page.setViewportSize({ width: 1440, height: 900 });
  const scope = dialog.getByRole('radiogroup', { name: text('日志与统计', 'Logs and statistics') });
  await scope.getByText(text('只读', 'Read'), { exact: true }).click();
  // The longest there is, by a browser whose clock runs ten minutes ahead.
  await dialog.getByText(text('365 天', '365 days'), { exact: true }).click();
  await page.clock.setFixedTime(Date.now() + 600_000);
  await expectClean('machine token form');
  expectFailure('/api/machine_token', 403);
  await dialog.getByRole('button', { name: create }).click();
  await page.getByLabel(text('密码', 'Password'), { exact: true }).fill(account.password);
  await page.getByRole('button', { name: text('验证', 'Verify'), exact: true }).click();
  const shown = page.getByRole('dialog', { name: /ci-usage/ });
  await shown.getByRole('button', { name: text('显示密文', 'Show Secret') }).click();
  const secret = (await shown.getByText(/^tgm_[\w-]{43}$/).textContent()) ?? '';
  await expectClean('machine token secret');
  assert.equal((await daemon.client(secret).account.credential()).scopes, ['log:read']);
  await shown.getByRole('button', { name: text('我已保存', 'I have kept it') }).click();
  await shown.waitFor({ state: 'detached' });
  assert.not.match(await page.content(), secret);
  await expectClean('machine tokens');
  const rotate = text('更换密文：ci-usage', 'Rotate ci-usage');
  await page.getByRole('button', { name: rotate }).click();
  const rotation = page.getByRole('dialog', { name: rotate });
  await rotation.waitFor();
  await expectClean('machine token rotation');
  await page.keyboard.press('Escape');
  await rotation.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: text('吊销：ci-usage', 'Revoke ci-usage') }).click();
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog'))
    .getByRole('button', { name: text('吊销', 'Revoke'), exact: true })
    .click();
  await page.getByText(text('还没有机器令牌', 'No machine token yet')).waitFor();
  await assertRefused(daemon.client(secret).logs.listOwn({}), 'machine_token_invalid', 401);
});

journey.onPhone('B20 personal: deletes the account once its name was typed', async (visit) => {
  const { page, text, goTo, expectClean, signIn, site } = visit;
  const account = await site.addAccount();
  await signIn(account);
  await goTo('/personal?tab=security');
  await page.getByRole('button', { name: text('删除账户', 'Delete account') }).click();
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  const submit = dialog.getByRole('button', { name: text('删除账户', 'Delete account') });
  await dialog.getByRole('textbox').fill(account.username.slice(0, -1));
  assert.is(await submit.isDisabled(), true);
  // What to type is said once, at its field.
  assert.is((await dialog.innerText()).split(account.username).length - 1, 1);
  await dialog.getByRole('textbox', { name: account.username }).fill(account.username);
  await expectClean('asked');
  await submit.click();
  // Said for three seconds.
  await page.getByText(text('账户已删除！', 'Account deleted')).waitFor();
  await page.waitForURL('**/login');
});

journey.onDesktop('B20 personal: checks in once for two presses, and tells of no refusal', async (visit) => {
  const { page, text, signIn, goTo, site, settled } = visit;
  await signIn(await site.addAccount());
  await goTo('/personal');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/check_in')) sent.push(request.url());
  });
  const press = page.getByRole('button', { name: text('立即签到', 'Check in'), exact: true });
  await press.evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await page.getByText(text('签到成功，获得 $1.00', 'Checked in, $1.00 received')).waitFor();
  await settled();
  assert.is(sent.length, 1);
  assert.is(await page.getByText(text('你今天已经签到过', 'already checked in today')).count(), 0);
});

journey.onPhone(
  'B20 personal: offers the check-in of the new day on a page that stays open over midnight',
  async (visit) => {
    const { page, text, signIn, site, daemon } = visit;
    await signIn(await site.addAccount());
    let isToday = true;
    await page.route('**/api/user/check_in_status', (route) =>
      route.fulfill({
        json: {
          success: true,
          message: '',
          data: {
            can_check_in: !isToday,
            enabled: true,
            min_quota: 1,
            max_quota: 1,
            checked_in_today: isToday,
            next_time: Math.floor(Date.now() / 1000) + 86_400 * Number(!isToday),
          },
        },
      }),
    );
    await page.goto(`${daemon.url}/personal`);
    await page.getByRole('button', { name: text('今日已签到', 'Checked in today'), exact: true }).waitFor();
    isToday = false;
    await page.getByRole('button', { name: text('立即签到', 'Check in'), exact: true }).waitFor();
  },
);

journey.run();
