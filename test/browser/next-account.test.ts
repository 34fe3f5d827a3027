/** What one account has left on the screen is not there for the next who sits in front of it (console.md 4.3). */
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { type Journey, journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';

const journey = journeys('the next account', { isFresh: true });

journey.onDesktop('4.3 the way back from an act is gone with the account that acted', async (visit) => {
  const { page, daemon, signIn, goTo, text } = visit;
  await daemon.addChannel({ name: 'first', base_url: 'http://127.0.0.1:9', models: 'm' });
  await signIn('root');
  await goTo('/channel');
  await actOnRow(visit, 'first', text('禁用', 'Disable'));
  const undo = page.getByRole('button', { name: text('撤销', 'Undo') });
  await undo.waitFor();
  await page.getByRole('button', { name: 'root' }).first().click();
  await page.getByRole('menuitem', { name: text('退出', 'Sign out') }).click();
  await page.waitForURL('**/login');
  await page
    .locator('.mantine-Notification-root')
    .filter({ hasText: text('注销成功', 'Signed out') })
    .waitFor();
  assert.is(await undo.count(), 0);
});

journey.onDesktop('4.3 the palette does not lie over the page of sign-in once the session is lost', async (visit) => {
  const { page, context, signIn, goTo, text, expectFailure, settled } = visit;
  await signIn('root');
  await goTo('/channel');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('dialog').getByRole('textbox');
  await search.waitFor();
  expectFailure('/api/', 401);
  await context.clearCookies();
  await search.fill('first');
  await page.waitForURL('**/login?expired=true**');
  await page.getByLabel(text('用户名或邮箱', 'User name or e-mail')).waitFor();
  await settled();
  assert.is(await page.getByRole('dialog').count(), 0);
});

/** A second tab, in which another account signs in over that of the first. */
async function signInBeside({ page, context, daemon, site, text }: Journey): Promise<Page> {
  const other = await context.newPage();
  await other.goto(`${daemon.url}/logo.svg`);
  await other.evaluate(() => localStorage.removeItem('user'));
  await other.goto(`${daemon.url}/login`);
  await other.getByLabel(text('用户名或邮箱', 'User name or e-mail')).fill(site.accounts.user.username);
  await other.getByLabel(text('密码', 'Password'), { exact: true }).fill(site.accounts.user.password);
  await other.keyboard.press('Enter');
  await other.waitForURL('**/token');
  await page.getByRole('heading', { name: text('账户已切换为 alice', 'The account changed to alice') }).waitFor();
  return other;
}

journey.onDesktop(
  '4.3 a tab follows when whoever came in another one has left, and keeps what was typed',
  async (visit) => {
    const { page, site, signIn, goTo, text, expectFailure } = visit;
    // A call that this tab makes in the moment between is refused, and says that the session is over.
    expectFailure('/api/', 401);
    await signIn('root');
    await goTo('/channel/add');
    const name = page.getByRole('dialog').getByLabel(text('名称', 'Name')).first();
    await name.fill('half a channel');
    const other = await signInBeside(visit);
    await other.getByRole('button', { name: 'Alice' }).first().click();
    await other.getByRole('menuitem', { name: text('退出', 'Sign out') }).click();
    await page.waitForURL(/\/login\?(?:expired=true&)?returnTo=%2Fchannel%2Fadd$/);
    await page.getByLabel(text('用户名或邮箱', 'User name or e-mail')).fill('root');
    await page.getByLabel(text('密码', 'Password'), { exact: true }).fill(site.accounts.root.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/channel/add');
    await page.getByText(text('已恢复未保存的内容', 'Unsaved content restored')).waitFor();
    assert.is(await name.inputValue(), 'half a channel');
  },
);

journey.onDesktop('4.3 a call of the account before does not sign out the one that came', async (visit) => {
  const { page, context, daemon, site, signIn, goTo, text, expectFailure } = visit;
  const file = `${daemon.url}/logo.svg`;
  await signIn('root');
  await goTo('/channel');
  const { cookies, user } = await site.signIn(site.accounts.user);
  const other = await context.newPage();
  await other.goto(file);
  // As for a tab that slept and heard nothing of it.
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: daemon.url })));
  await other.evaluate((stored) => localStorage.setItem('user', stored), JSON.stringify(user));
  expectFailure('/api/', 401);
  await page.getByRole('button', { name: text('刷新', 'Refresh') }).click();
  await page.getByRole('heading', { name: text('账户已切换为 alice', 'The account changed to alice') }).waitFor();
  await other.goto(`${daemon.url}/token`);
  await other.getByRole('button', { name: 'Alice' }).first().waitFor();
});

journey.run();
