/** What is sent beside a page: dialogs until their answer is here, and parts of a drawer that have buttons of their own. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';

const journey = journeys('what is sent beside a page');

journey.onDesktop('a balance whose answer comes late leaves the dialog of another user open', async (visit) => {
  const { page, text, goTo, signIn, site, daemon } = visit;
  const { id, username } = await site.addAccount();
  await signIn('root');
  await goTo(`/user?keyword=${username}`);
  await page.getByRole('button', { name: text('额度', 'Quota'), exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').first().fill('1');
  let release = () => {};
  const late = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/user/manage', async (route) => {
    await late;
    await route.continue();
  });
  const sent = page.waitForRequest('**/api/user/manage');
  await dialog.getByRole('button', { name: text('确定', 'Confirm') }).click();
  await sent;
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: text('关闭', 'Close') }).click();
  assert.is(await dialog.count(), 1);
  release();
  await dialog.waitFor({ state: 'detached' });
  await untilPasses(async () => assert.is((await daemon.root.users.get({ id })).quota, 5_500_000));
});

journey.run();
