/** What one account has left on the screen is not there for the next who sits in front of it (console.md 4.3). */
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';
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

journey.run();
