/** B20 of console.md 10: everybody's own account. */
import * as assert from 'uvu/assert';
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

journey('B20 personal: checks in once a day', async (visit) => {
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
  await page.getByRole('button', { name: text('立即签到', 'Check in'), exact: true }).click();
  await page.getByText(text('签到成功，获得 $1.00', 'Checked in, $1.00 received')).waitFor();
  const done = page.getByRole('button', { name: text('今日已签到', 'Checked in today') });
  await untilPasses(async () => assert.is(await done.isDisabled(), true));
  await expectClean('checked in');
});

journey('B20 personal: changes the password only with the one before', async (visit) => {
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
  await page.getByText(text('用户名或密码不正确', 'Wrong user name or password')).waitFor();
  await expectClean('refused');
  await original.fill(account.password);
  await submit.click();
  await page.getByText(text('密码修改成功！', 'Password changed')).waitFor();
  await site.signIn({ username: account.username, password: 'another good one' });
});

journey('B20 personal: saves how to be warned, and keeps a secret out of sight', async (visit) => {
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

journey('B20 personal: deletes the account once its name was typed', async (visit) => {
  const { page, text, goTo, expectClean, signIn, site } = visit;
  const account = await site.addAccount();
  await signIn(account);
  await goTo('/personal?tab=security');
  await page.getByRole('button', { name: text('删除账户', 'Delete account') }).click();
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  const submit = dialog.getByRole('button', { name: text('删除账户', 'Delete account') });
  await dialog.getByRole('textbox').fill(account.username.slice(0, -1));
  assert.is(await submit.isDisabled(), true);
  await dialog.getByRole('textbox').fill(account.username);
  await expectClean('asked');
  await submit.click();
  await page.waitForURL('**/login');
  await page.getByText(text('账户已删除！', 'Account deleted')).waitFor();
});

journey.run();
