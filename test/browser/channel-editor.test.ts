/** The extra settings of a channel in their form (console.md 6.9). Runs once: the database is no matter here. */
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';
import { startSite } from './site.ts';

const journey = journeys('the editor of channels', { open: startSite });

journey.onDesktop('adds extra settings one after another, and submits nothing by a search', async (visit) => {
  const { page, text, signIn, goTo, expectClean, settled, daemon, upstream } = visit;
  const id = await daemon.addChannel({ name: 'edited', base_url: upstream.url, models: 'm', setting: '{"proxy":""}' });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const drawer = page.getByRole('dialog').first();
  const search = drawer.getByPlaceholder(text('添加一项设置', 'Add a setting'));
  await search.fill('timeout_connect');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await drawer.getByText(text('连接超时（秒）', 'Seconds to connect')).waitFor();
  assert.is(await search.inputValue(), '', 'ready for the next one');
  await expectClean('added');
  await search.fill('no such setting');
  await page.keyboard.press('Enter');
  await settled();
  assert.is(await drawer.count(), 1, 'still being edited');
  const { database } = daemon.daemon.foundation;
  const { items: looks } = await database.stores.audits.list({ action: 'channel.key_read' }, { offset: 0, limit: 1 });
  assert.equal(looks, [], 'no key has left the server');
  await drawer
    .getByRole('button', { name: text('显示', 'Show') })
    .first()
    .waitFor();
  const { setting } = await daemon.root.channels.get({ id });
  assert.is(setting, '{"proxy":""}', 'not saved');
  await page.keyboard.press('Escape');
  await goTo('/channel');
  const row = page.getByRole('row').filter({ hasText: 'edited' });
  await row.waitFor();
  assert.is(await row.getByText(text('代理', 'Proxy')).count(), 0, 'an empty address is no proxy');
});

journey.run();
