/** A network that goes away under the console (console.md 8), and addresses that lead to nothing that can be changed. */
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';

const journey = journeys('lost network', { isFresh: true });

journey.onDesktop(
  '8 what was typed into settings is there, and can be saved, after a save without network',
  async (visit) => {
    const { page, signIn, goTo, text, expectFailure } = visit;
    await signIn('root');
    await goTo('/setting');
    const link = page.locator('[id="option-TopUpLink"] input');
    await link.fill('https://shop.example');
    // The messages have not been loaded by then.
    expectFailure('/', 0);
    await page.route('**/*', (route) => route.abort());
    const cut = page.waitForEvent('requestfailed', (request) => request.url().endsWith('.css'));
    await page.keyboard.press('Control+s');
    await cut;
    assert.is(await link.inputValue(), 'https://shop.example');
    await page.unroute('**/*');
    await page.getByText(text('网络', 'Network')).first().waitFor();
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await page.keyboard.press('Control+s');
    assert.is((await saved).status(), 200);
  },
);

journey.onDesktop('6.21 the account of a deleted user can be read and not typed into', async (visit) => {
  const { page, daemon, site, signIn, goTo, text, expectClean } = visit;
  const { id } = await site.addAccount({ username: 'gone' });
  await daemon.root.users.delete({ id });
  await signIn('root');
  await goTo(`/user/edit/${id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel(text('备注', 'Notes')).waitFor();
  assert.is(await drawer.locator('input:enabled:visible, textarea:enabled').count(), 0);
  await expectClean('deleted user');
});

journey.onDesktop('2 the address of an editor that names no row says that there is no such page', async (visit) => {
  const { page, signIn, goTo, text } = visit;
  await signIn('root');
  for (const address of ['/user/edit/abc', '/user/edit/-1', '/channel/edit/abc']) {
    await goTo(address);
    await page
      .getByText(text('页面不存在', /not found|does not exist/i))
      .first()
      .waitFor();
  }
});

journey.run();
