/** B24 of console.md 10: what somebody without a pointer finds. */
import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';

const journey = journeys('the keyboard', { open: startFilledSite });

journey.onDesktop('B24 keyboard: no column that stays in its place covers what has the focus', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('root');
  await goTo('/channel');
  await page.getByRole('row').filter({ hasText: 'second' }).getByRole('checkbox').focus();
  const covered: string[] = [];
  const met: string[] = [];
  for (let presses = 0; presses < 8; presses += 1) {
    await page.keyboard.press('Tab');
    const { name, isSeen } = await page.evaluate(() => {
      const { activeElement: focused } = document;
      const { left = 0, top = 0, width = 0, height = 0 } = focused?.getBoundingClientRect() ?? {};
      const seen = document.elementFromPoint(left + width / 2, top + height / 2);
      return { name: focused?.getAttribute('aria-label') ?? '', isSeen: focused?.contains(seen) ?? false };
    });
    met.push(name);
    if (!isSeen) covered.push(name);
  }
  const priority = text('second 的优先级', 'Priority of second');
  assert.ok(
    met.some((name) => name.startsWith(String(priority))),
    met.join(),
  );
  assert.equal(covered, []);
});

journey.onDesktop('B24 keyboard: the acts of a row leave its name in sight', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('root');
  await goTo('/user?keyword=alice');
  const row = page.getByRole('row').filter({ hasText: 'alice' });
  await row.waitFor();
  // Where all columns fit, nothing could move.
  await page.setViewportSize({ width: 1100, height: 900 });
  const scrolled = () => row.evaluate((each) => each.closest('table')?.parentElement?.scrollLeft);
  assert.is(await scrolled(), 0);
  await row.getByRole('button', { name: text('更多操作', 'More actions') }).focus();
  assert.is(await scrolled(), 0);
});

journey.onDesktop(
  'B24 keyboard: a button that waited for the answer to its own press has the focus again',
  async (visit) => {
    const { page, text, signIn, goTo, expectFailure } = visit;
    await signIn('user');
    await goTo('/personal?tab=notifications');
    expectFailure('/api/user/setting', 400);
    await page.getByLabel(text('通知邮箱', 'E-mail for notices')).fill('no address');
    const save = page.getByRole('button', { name: text('保存设置', 'Save'), exact: true });
    await save.focus();
    await page.keyboard.press('Enter');
    await page.getByText(text('邮箱地址无效', 'E-mail address is not valid')).waitFor();
    await hasFocus(save);

    await goTo('/personal?tab=bindings');
    await page.route('**/api/verification?*', (route) => route.fulfill({ json: { success: true, message: '' } }));
    await page
      .getByRole('button', { name: text('绑定', 'Bind') })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(text('邮箱地址', 'E-mail address')).fill('a@example.com');
    await dialog.getByRole('button', { name: text('获取验证码', 'Send code') }).focus();
    await page.keyboard.press('Enter');
    await hasFocus(dialog.getByRole('button', { name: /\(\d+\)/ }));
  },
);

journey.onDesktop(
  'B24 keyboard: a dialog that asks for an amount begins with it',
  async ({ page, text, signIn, goTo }) => {
    await signIn('root');
    for (const [path, name] of [
      ['/user', text('额度', 'Quota')],
      ['/personal', text('划转', 'Transfer')],
    ] as const) {
      await goTo(path);
      await page.getByRole('button', { name, exact: true }).first().click();
      await hasFocus(page.getByRole('dialog').getByRole('textbox').first());
    }
  },
);

journey.onDesktop('B24 keyboard: what is opened for the first time gives the focus back as well', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('user');
  await goTo('/token');
  const closed = async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const query = page.getByRole('button', { name: text('查询', 'Query'), exact: true });
  await query.focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: text('快捷键', 'shortcuts') }).waitFor();
  await closed();
  await hasFocus(query);

  // Side bar and links are a drawer there.
  await page.setViewportSize({ width: 640, height: 360 });
  const menu = page.getByRole('button', { name: text('打开菜单', 'Open menu') });
  await menu.focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('关闭菜单', 'Close menu') })
    .waitFor();
  await closed();
  await hasFocus(menu);
  await page.setViewportSize({ width: 1440, height: 900 });
});

function hasFocus(element: Locator): Promise<void> {
  return untilPasses(async () => assert.ok(await element.evaluate((each) => each === document.activeElement)));
}

journey.run();
