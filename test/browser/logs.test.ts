/** B15 of console.md 10: the usage log, whose every charge can be opened as arithmetic that ends in the booked number. */
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { logRowOf } from '../support/log-row.ts';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';

const journey = journeys('the usage log', { open: startFilledSite });

/** Shows the facts of the newest call of the model. */
const openCall = (page: Page) =>
  page.getByText('gpt-4o-mini').first().locator('xpath=ancestor::*[self::tr or self::li][1]').locator('time').click();

journey('B15 log: shows an account its calls and how each came to its charge', async (visit) => {
  const { page, text, goTo, signIn, expectClean } = visit;
  await signIn('user');
  await goTo('/log');
  await page.getByText('gpt-4o-mini').first().waitFor();
  await expectClean('own rows');
  await openCall(page);
  await page.getByText(text('与账单一致', 'Equals the charge')).waitFor();
  await expectClean('a row open');
  assert.is(await page.getByText(text('正常完成', 'Complete'), { exact: true }).count(), 1, 'why it ended, in words');
  const lines = await page
    .getByRole('table', { name: text('费用计算', 'How the charge came about') })
    .evaluate((table) =>
      [...table.querySelectorAll('td:nth-child(2)')].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      }),
    );
  assert.ok(lines.length > 0 && lines.every((count) => count <= 1), `a figure is broken into lines: ${lines.join()}`);
  assert.is(await page.getByText(text('尝试过程', 'Attempts'), { exact: true }).count(), 0, 'is for administrators');
});

journey.onPhone('B15 log: keeps its filters in the address, and says how to begin', async (visit) => {
  const { page, text, goTo, signIn, expectClean, daemon, variant } = visit;
  await signIn('user');
  await goTo('/log?model_name=nobody-has-this&p=2');
  await page.getByText(text('没有符合条件的数据', 'Nothing matches these filters')).waitFor();
  await expectClean('nothing found');
  await page.getByRole('button', { name: text('清除筛选', 'Clear filters') }).click();
  await page.getByText('gpt-4o-mini').first().waitFor();
  await untilPasses(() => assert.not.match(page.url(), /model_name|p=2/));
  // Who signs up is given nothing, so there is no row of that either.
  const account = { username: `n-${variant.name}`, password: 'a good password' };
  assert.ok((await page.request.post(`${daemon.url}/api/user/register`, { data: account })).ok());
  await signIn(account);
  await goTo('/log');
  await page.getByText(text('还没有调用记录', 'No calls yet')).waitFor();
  await page.getByText('curl ').waitFor();
  await expectClean('nothing called');
});

journey.onDesktop('B15 log: shows no zeros where the sums were not told, and asks for them again', async (visit) => {
  const { page, text, goTo, signIn, expectClean } = visit;
  await signIn('user');
  const sums = '**/api/log/self/stat**';
  await page.route(sums, (route) =>
    route.fulfill({ json: { success: false, code: 'internal_error', message: 'the sums are away' } }),
  );
  await goTo('/log');
  const figure = page.getByText(text('消耗额度', 'Quota used'), { exact: true });
  await page.getByText('the sums are away').waitFor();
  await expectClean('without sums');
  assert.is(await figure.count(), 0);
  await page.unroute(sums);
  await page.getByRole('button', { name: text('重试', 'Retry') }).click();
  await figure.waitFor();
});

journey.onDesktop(
  'B15 log: shows administrators who called, by which channel, and what was said on demand',
  async (visit) => {
    const { page, goTo, signIn, expectClean, variant, text } = visit;
    await signIn('root');
    await goTo('/log');
    await page.getByText('alice').first().waitFor();
    await openCall(page);
    await page.getByRole('button', { name: text('查看对话内容', 'Show prompt and answer') }).waitFor();
    await expectClean('what an administrator is told of a call');
    if (variant.size === 'phone') return;
    await page.getByRole('button', { name: 'alice' }).first().click();
    const dialog = page.getByRole('dialog', { name: text('用户信息', 'User info') });
    await dialog.getByText('alice').first().waitFor();
    await expectClean('who it was');
    await page.keyboard.press('Escape');
    // Any other text would be no filter at all, and show the rows of every channel.
    const channel = page.getByRole('textbox', { name: text('渠道 ID', 'Channel ID') });
    await channel.fill('# 1');
    await channel.press('Enter');
    await untilPasses(() => assert.match(page.url(), /channel=1$/));
  },
);

journey.onDesktop('B15 log: sends filters that are empty as empty texts', async ({ page, goTo, signIn }) => {
  await signIn('admin');
  for (const [path, call, names] of [
    ['/log', '/api/log/?', ['token_name', 'model_name', 'group', 'username', 'channel', 'start_timestamp']],
    ['/midjourney', '/api/mj/?', ['mj_id', 'channel_id', 'start_timestamp']],
    ['/task', '/api/task/?', ['task_id', 'channel_id', 'start_timestamp', 'end_timestamp']],
  ] as const) {
    const asked = page.waitForRequest((request) => request.url().includes(call));
    await goTo(`${path}?range=all`);
    const { searchParams } = new URL((await asked).url());
    for (const name of names) assert.is(searchParams.get(name), '', `${name} of ${path}`);
  }
});

journey.onDesktop(
  'B15 log: follows what is called, holds still while somebody is in the list, misses nothing',
  async (visit) => {
    const { page, goTo, signIn, text, daemon, settled, expectClean } = visit;
    const call = async (name: string) => {
      const key = await daemon.addKey({ name });
      const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
      });
      await logRowOf(daemon, answer);
    };
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await signIn('root');
    await goTo('/log');
    await row('of root').first().waitFor();
    await call('call before');
    const live = page.getByRole('switch', { name: text('实时', 'Live') });
    await live.press('Space');
    await row('call before').waitFor();
    await call('call live');
    await row('call live').waitFor();

    // The pointer comes and goes, the focus stays.
    await row('call live').focus();
    await row('call live').hover();
    await page.mouse.move(2, 2);
    await call('call focus');
    const fresh = page.getByRole('button', { name: text('1 条新记录', '1 new') });
    await fresh.waitFor();
    assert.is(await row('call focus').count(), 0);
    await expectClean('held');
    await fresh.click();
    await page.mouse.move(2, 2);
    await page.mouse.move(2, 2);
    await row('call focus').waitFor();

    const asked = page.waitForRequest((request) => request.headers()['last-event-id'] !== undefined);
    const setHidden = (isHidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await setHidden(true);
    await call('call hidden');
    await setHidden(false);
    await asked;
    await row('call hidden').waitFor();

    await live.press('Space');
    await settled();
    for (const name of ['call live', 'call focus', 'call hidden']) assert.is(await row(name).count(), 1, name);
  },
);

journey.onDesktop('B15 log: the name of a key, however long, leaves the cost in sight', async (visit) => {
  const { page, goTo, signIn, text, daemon } = visit;
  const key = await daemon.addKey({ name: 'a key with the longest name that a key can have 50' });
  const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await logRowOf(daemon, answer);
  await signIn('root');
  await goTo('/log');
  await page.getByText('a key with the longest name').first().waitFor();
  const header = await page.getByRole('columnheader', { name: text('令牌', 'Token'), exact: true }).boundingBox();
  assert.ok(header !== null && header.width < 120, `${header?.width} px`);
  // What is cut is told whole also to who has no pointer.
  await page.getByRole('button', { name: 'a key with the longest name' }).focus();
  await page.getByRole('tooltip', { name: 'a key with the longest name that a key can have 50' }).waitFor();
  // No price was ever changed: there is no version to name.
  await page
    .getByRole('button', { name: text('展开详情', 'Show details') })
    .first()
    .click();
  await page.getByText(text('与账单一致', 'Equals the charge')).waitFor();
  assert.is(await page.getByText(text('价格版本', 'Price version'), { exact: true }).count(), 0);
  // Too narrow for all columns.
  await page.setViewportSize({ width: 1200, height: 900 });
  const cost = page.getByRole('columnheader', { name: text('花费', 'Cost'), exact: true });
  await cost.evaluate((cell) => {
    const region = cell.closest('table')?.parentElement;
    if (!region || region.scrollWidth <= region.clientWidth) throw new Error('all columns fit');
    if (cell.getBoundingClientRect().right > region.getBoundingClientRect().right) throw new Error('out of sight');
  });
});

journey.onDesktop('B15 log: an administrator sees every column beside the side bar', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('root');
  await page.setViewportSize({ width: 1440, height: 900 });
  await goTo('/log');
  const region = page.getByRole('region', { name: text('使用日志', 'Usage log') });
  await region.getByRole('cell', { name: 'gpt-4o-mini' }).first().waitFor();
  // What it came to is told in the reader's language; the row's own line is in the site's.
  await region
    .getByRole('cell', { name: text('输入 $0.15 / 1M', 'input $0.15 / 1M') })
    .first()
    .waitFor();
  const beyond = await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  assert.is(beyond, 0, `${beyond} px are out of sight`);
});

journey.onDesktop('B15 log: offers no other try where an account is none of an administrator', async (visit) => {
  const { page, text, goTo, signIn } = visit;
  await signIn('admin');
  await goTo('/log');
  await page.getByRole('button', { name: 'root', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('alert').waitFor();
  assert.is(await dialog.getByRole('button', { name: text('重试', 'Retry') }).count(), 0);
});

journey.onDesktop('B15 log: keeps every filter and letter that is typed fast on a slow device', async (visit) => {
  const { page, context, goTo, signIn } = visit;
  await signIn('root');
  await goTo('/log?range=');
  const slow = await context.newCDPSession(page);
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  const field = (name: string) => page.locator(`search input[data-filter="${name}"]`);
  await field('token_name').focus();
  await page.keyboard.type('first');
  await page.keyboard.press('Tab');
  await page.keyboard.type('sec');
  await page.keyboard.press('Enter');
  await page.keyboard.type('ond');
  await page.keyboard.press('Enter');
  await slow.detach();
  await page.waitForURL('**/log?range=&token_name=first&model_name=second');
  await visit.settled();
  assert.is(await field('token_name').inputValue(), 'first');
  assert.is(await field('model_name').inputValue(), 'second');
});

journey.run();
