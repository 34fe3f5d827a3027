/** A network that goes away under the console (console.md 8), and addresses that lead to nothing that can be changed. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { gate } from '../support/gate.ts';
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

journey(
  '8 a dialog that does not come without network leaves the channel as it was typed, and opens when it is tried again',
  async (visit) => {
    const { page, daemon, signIn, goTo, text, expectFailure } = visit;
    const id = await daemon.addChannel({ name: 'first', base_url: 'http://127.0.0.1:9', models: 'm' });
    await signIn('root');
    await goTo(`/channel/edit/${id}`);
    const name = page.getByRole('dialog').getByLabel(text('名称', 'Name')).first();
    await name.fill('typed');
    const open = page.getByRole('button', { name: text('编辑操作', 'Edit operations'), exact: true });
    const missing = page.getByRole('dialog', { name: text('加载失败', /could not be loaded/) });
    expectFailure('/', 0);
    await page.route('**/*', (route) => route.abort());
    await open.click();
    await missing.waitFor();
    await page.keyboard.press('Escape');
    await missing.waitFor({ state: 'detached' });
    assert.is(await open.evaluate((button) => button === document.activeElement), true, 'where one was before');
    assert.is(await name.inputValue(), 'typed');
    await open.click();
    await missing.waitFor();
    await page.unroute('**/*');
    await missing.getByRole('button', { name: text('重试', 'Retry') }).click();
    await page.getByRole('dialog', { name: text('参数覆盖操作', 'Operations of the override') }).waitFor();
    await missing.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    assert.is(await name.inputValue(), 'typed');
  },
);

journey.onPhone('8 a dialog whose code takes long says that it comes, and can be closed meanwhile', async (visit) => {
  const { page, daemon, signIn, goTo, text } = visit;
  const id = await daemon.addChannel({ name: 'slow', base_url: 'http://127.0.0.1:9', models: 'm' });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const name = page.getByRole('dialog').getByLabel(text('名称', 'Name')).first();
  await name.fill('typed');
  const { open: release, opened: held } = gate();
  await page.route('**/*.js', async (route) => {
    await held;
    await route.continue();
  });
  const open = page.getByRole('button', { name: text('编辑操作', 'Edit operations'), exact: true });
  const coming = page.getByRole('dialog', { name: text('加载中', 'Loading'), exact: true });
  await open.click();
  await coming.waitFor();
  await page.keyboard.press('Escape');
  await coming.waitFor({ state: 'detached' });
  assert.is(await open.evaluate((button) => button === document.activeElement), true, 'where one was before');
  await open.click();
  await coming.waitFor();
  release();
  await page.getByRole('dialog', { name: text('参数覆盖操作', 'Operations of the override') }).waitFor();
  await coming.waitFor({ state: 'detached' });
  assert.is(await name.inputValue(), 'typed');
});

journey.onDesktop(
  '8 a tab of the settings that does not come without network says so, and what was typed in another one stays',
  async (visit) => {
    const { page, signIn, goTo, text, expectFailure } = visit;
    await signIn('root');
    await goTo('/setting');
    const link = page.locator('[id="option-TopUpLink"] input');
    await link.fill('https://shop.example');
    expectFailure('/', 0);
    await page.route('**/*', (route) => route.abort());
    await page.getByRole('tab', { name: text('系统设置', 'System') }).click();
    const missing = page.getByRole('alert').filter({ hasText: text('加载失败', 'could not be loaded') });
    await missing.waitFor();
    await page.unroute('**/*');
    await missing.getByRole('button', { name: text('重试', 'Retry') }).click();
    await page.locator('[id^="section-"]').first().waitFor();
    await page
      .getByRole('tab', { name: text('运营设置', 'Operation') })
      .first()
      .click();
    assert.is(await link.inputValue(), 'https://shop.example');
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

journey.onDesktop('4.2 a double click on what leads to a page that takes long is one step back', async (visit) => {
  const { page, daemon, signIn, goTo, text, settled } = visit;
  const id = await daemon.addChannel({ name: 'slow', base_url: 'http://127.0.0.1:9', models: 'm' });
  await signIn('root');
  for (const [list, editor] of [
    ['/channel', `/channel/edit/${id}`],
    ['/user', '/user/edit'],
  ] as const) {
    await goTo(list);
    const entries = await page.evaluate(() => window.history.length);
    await page.route('**/*.js', async (route) => {
      await sleep(500);
      await route.continue();
    });
    const row = page.getByRole('row').filter({ hasText: list === '/user' ? 'root' : 'slow' });
    const edit = text('编辑', 'Edit');
    await row
      .getByRole('link', { name: edit, exact: true })
      .or(row.getByRole('button', { name: edit, exact: true }))
      .dblclick();
    await page.getByRole('dialog').first().waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await settled();
    assert.is(new URL(page.url()).pathname, editor);
    assert.is((await page.evaluate(() => window.history.length)) - entries, 1);
    await page.goBack();
    await page.waitForURL(`**${list}`);
  }
});

journey.run();
