/** What whoever runs the site looks at: its health, the audit trail, orders, and the reference for everybody. */
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { fill, startSite } from './site.ts';

const journey = journeys('overseeing', {
  open: async () => {
    const site = await startSite();
    await fill(site);
    // So many that their numbers stand in several lines, and that a phone draws them in parts.
    const { daemon, upstream } = site;
    const key = Array.from({ length: 120 }, (_, n) => `sk-${n}`).join('\n');
    await daemon.addChannel({ name: 'c', base_url: upstream.url, models: 'm', key, mode: 'batch' });
    // Two that went out of service by themselves, and one by hand.
    const { channels } = daemon.daemon.foundation.database.stores;
    await channels.updateMany([10, 11], { status: 3 });
    await channels.update(12, { status: 2 });
    // Nobody pays in these journeys: the address only has to be one.
    const options = {
      ServerAddress: 'https://gateway.example',
      PayAddress: 'https://pay.example',
      EpayId: '1001',
      EpayKey: 'secret',
    };
    for (const [key, value] of Object.entries(options)) await site.daemon.root.options.set({ key, value });
    await site.daemon.root.wallet.pay({ amount: 5, payment_method: 'zfb' });
    return site;
  },
});

journey.onPhone('B20 health: says how the site is, and asks for the addresses of its channels', async (visit) => {
  const { page, text, signIn, goTo, expectClean } = visit;
  await signIn('admin');
  await goTo('/system');
  await page.getByRole('heading', { name: text('节点', 'Nodes'), exact: true }).waitFor();
  await page
    .getByText(text('无法发送邮件：请填写 SMTP 服务器', 'No mail can be sent: fill in the SMTP server'))
    .waitFor();
  await page.getByRole('link', { name: 'first', exact: true }).waitFor();
  await expectClean('health');
  await page.getByRole('button', { name: text('检查地址', 'Check addresses') }).click();
  await page.getByText(text('可访问', 'Reachable'), { exact: true }).first().waitFor();
  await expectClean('addresses');
});

journey.onPhone('B20 health: draws no figures to come where the answer has failed', async (visit) => {
  const { page, text, signIn, goTo, expectFailure } = visit;
  await signIn('admin');
  await page.route('**/api/system/', (route) => route.fulfill({ status: 500, json: { success: false, message: '' } }));
  expectFailure('/api/system/', 500);
  await goTo('/system');
  await page.getByText(text('服务器内部错误', 'Internal server error')).first().waitFor();
  assert.is(await page.locator('.mantine-Skeleton-root').count(), 0);
});

journey.onPhone('B20 health: draws the first hundred channels, and others when they are asked for', async (visit) => {
  const { page, text, signIn, goTo, settled } = visit;
  await signIn('admin');
  await goTo('/system');
  const cards = page.getByRole('list', { name: text('渠道健康', 'Channel health') }).locator('> li');
  const more = page.getByRole('button', { name: text('显示更多（还有 22 条）', 'Show more (22 left)') });
  await more.waitFor();
  assert.is(await cards.count(), 100);
  // Cards that are drawn as they come into sight do not move it from under a finger.
  const place = () => more.evaluate((button) => Math.round(button.getBoundingClientRect().top));
  await more.evaluate((button) => button.scrollIntoView({ block: 'center' }));
  const top = await place();
  await settled();
  assert.is(await place(), top);
  await more.click();
  await settled();
  assert.is(await cards.count(), 122);
  assert.is(await more.count(), 0);
});

journey.onDesktop('B10 channels: says how many went out of service by themselves, and shows those', async (visit) => {
  const { page, text, signIn, goTo, expectClean } = visit;
  await signIn('admin');
  await goTo('/channel');
  const bar = page.getByRole('status').filter({ hasText: text('2 个渠道被自动禁用', /^2 channels were disabled/) });
  await bar.getByRole('button', { name: text('查看', 'Show'), exact: true }).click();
  await page.waitForURL(/status=auto/);
  await page.getByText(text('共 2 条', '2 in total'), { exact: true }).waitFor();
  await expectClean('alone');
});

journey.onDesktop('B20 audit: finds a row, shows what changed, and proves the chain', async (visit) => {
  const { page, text, signIn, goTo, expectClean } = visit;
  await signIn('admin');
  await goTo('/audit?target=option:EpayKey');
  const action = page.getByText(text('修改设置', 'Change setting'), { exact: true }).first();
  await action.waitFor();
  await action.click();
  await page.getByRole('table', { name: text('改动', 'Change') }).waitFor();
  await expectClean('row');
  assert.not.match((await page.textContent('main')) ?? '', /"secret"/);
  await page.getByRole('button', { name: text('校验完整性', 'Verify chain') }).click();
  await page.getByText(text('链条完整', /^Chain intact, \d+ rows$/)).waitFor();
  await expectClean('chain');
});

journey('B20 orders: completes one by hand, once, and leads to its audit row', async (visit) => {
  const { page, text, signIn, goTo, expectClean, settled, site, daemon, variant } = visit;
  const { url } = daemon;
  await daemon.root.wallet.pay({ amount: 7, payment_method: 'wx' });
  await signIn('root');
  await goTo('/order?status=pending');
  await expectClean('list');
  const { total } = await site.daemon.root.orders.list({ status: 'pending' });
  if (variant.size === 'phone') {
    await page
      .getByRole('button', { name: text('更多操作', 'More actions') })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('补单', 'Complete'), exact: true })
      .click();
  } else {
    await page
      .getByRole('button', { name: text('补单', 'Complete') })
      .first()
      .click();
  }
  const dialog = page.getByRole('dialog').filter({ hasText: text('每个订单只能完成一次', 'works once an order') });
  await dialog.getByText(text('每个订单只能完成一次', 'works once an order')).waitFor();
  await expectClean('asked');
  assert.not.match(await dialog.innerText(), /。 /, 'no blank between Chinese sentences');
  const complete = dialog.getByRole('button', { name: text('补单', 'Complete') });
  await complete.click();
  await dialog.getByText(text('请填写原因', 'Please enter a reason')).waitFor();
  await dialog.getByLabel(text('原因', 'Reason')).fill('paid by bank transfer');
  await complete.click();
  await page.getByText(text('已为 root 增加', /credited to root$/)).waitFor();
  await settled();
  await untilPasses(async () => {
    assert.is((await site.daemon.root.orders.list({ status: 'pending' })).total, total - 1);
  });
  assert.is(page.url(), `${url}/order?status=pending`);
  const { items } = await site.daemon.root.audits.list({ action: 'order.complete' });
  assert.match(String(items[0]?.detail), /paid by bank transfer/);
});

journey('B9 dashboard: says what the site lacks after the first call, too, until it is sent away', async (visit) => {
  const { page, text, signIn, goTo, expectClean } = visit;
  await signIn('root');
  await goTo('/detail');
  const open = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('link') });
  await open.filter({ hasText: text('检查模型价格', 'Check the prices of models') }).waitFor();
  await page.getByText(text('按模型', 'By model'), { exact: true }).first().waitFor();
  assert.is(await open.count(), 1, 'the address is set, and a call was answered');
  await expectClean('beside figures');
  await page.getByRole('button', { name: text('不再显示这些步骤', 'Hide these steps') }).click();
  await open.first().waitFor({ state: 'detached' });
  await goTo('/detail');
  await page.getByText(text('按模型', 'By model'), { exact: true }).first().waitFor();
  assert.is(await page.getByText(text('站点准备', 'Get the site ready')).count(), 0);
});

journey.onDesktop('B9 dashboard: keeps the range when the unit is chosen before it is drawn', async (visit) => {
  const { page, context, text, signIn, goTo } = visit;
  await signIn('root');
  await goTo('/detail');
  const placeOf = async (label: string) => {
    const box = await page.getByRole('main').getByText(label, { exact: true }).first().boundingBox();
    assert.ok(box, label);
    return [box.x + 4, box.y + 4] as const;
  };
  const [week, day] = [await placeOf(text('7 天', '7 days')), await placeOf(text('天', 'Day'))];
  const slow = await context.newCDPSession(page);
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  await Promise.all([page.mouse.click(...week), page.mouse.click(...day)]);
  await slow.detach();
  await page.waitForURL('**/detail?range=7d&unit=day');
});

journey.onDesktop(
  'B9 dashboard: draws the largest models alone, and saves all of them with money in dollars',
  async (visit) => {
    const { page, text, signIn, goTo, settled } = visit;
    await signIn('user');
    // What was counted is added some time later; and nobody here has called ten models.
    const hour = Math.floor(Date.now() / 3_600_000) * 3600;
    await page.route('**/api/data/self**', async (route) => {
      const response = await route.fetch();
      const data = ['constructor', ...Array.from({ length: 9 }, (_, place) => `model-${place + 1}`)].map(
        (name, place) => ({
          ...{ id: place + 1, user_id: 2, username: 'alice', model_name: name },
          ...{ created_at: hour, token_used: 10, count: 10 - place, quota: 38 * (10 - place) },
        }),
      );
      await route.fulfill({ response, json: { ...(await response.json()), data } });
    });
    await goTo('/detail?range=7d&unit=day');
    const shares = page.getByRole('figure', { name: text('占比', 'Shares') });
    // Drawn by what is loaded after the page.
    await shares.getByRole('listitem').last().waitFor();
    assert.equal((await shares.getByRole('listitem').allTextContents()).slice(-2), [
      'model-7$0.000228',
      text('其他$0.000228', 'Others$0.000228'),
    ]);
    const saved = async () => {
      const coming = page.waitForEvent('download');
      await shares.getByRole('button', { name: text('保存为 CSV', 'Save as CSV') }).click();
      return readFileSync(await (await coming).path(), 'utf8')
        .trimEnd()
        .split('\r\n');
    };
    const money = await saved();
    assert.equal([money.length, money[1], money.at(-1)], [11, 'constructor,0.00076', 'model-9,0.000076']);
    const models = page.getByRole('figure', { name: text('按模型', 'By model') });
    await models.getByRole('button', { name: text('以表格显示', 'Show as table') }).click();
    await models.getByText('model-9').waitFor();
    await page
      .getByRole('radiogroup', { name: text('指标', 'Figure') })
      .getByText(text('请求', 'Requests'))
      .click();
    await settled();
    assert.is((await saved())[1], 'constructor,10');
  },
);

journey.onPhone('B9 dashboard: breaks the long name of a model below its chart', async (visit) => {
  const { page, text, signIn, goTo, expectClean } = visit;
  await signIn('user');
  const hour = Math.floor(Date.now() / 3_600_000) * 3600;
  const name = `accounts/somebody/models/${'DeepSeek-R1-Distill-'.repeat(4)}GGUF`;
  await page.route('**/api/data/self**', async (route) => {
    const response = await route.fetch();
    const data = ['gpt-4o', name].map((model_name, place) => ({
      ...{ id: place + 1, user_id: 2, username: 'alice', model_name },
      ...{ created_at: hour, token_used: 10, count: 1, quota: 38 },
    }));
    await route.fulfill({ response, json: { ...(await response.json()), data } });
  });
  await goTo('/detail?range=7d&unit=day');
  const models = page.getByRole('figure', { name: text('按模型', 'By model') });
  await models.getByRole('listitem').filter({ hasText: name }).waitFor();
  await expectClean('long name');
});

journey.onPhone('B20 reference: finds a call, shows examples, and tries what only reads', async (visit) => {
  const { page, text, signIn, goTo, expectClean } = visit;
  await goTo('/reference?call=status.get');
  await page.getByRole('heading', { name: '/api/status', exact: true }).waitFor();
  await expectClean('stranger');
  await signIn('user');
  await goTo('/reference');
  await expectClean('start');
  await page.getByRole('searchbox').fill('token list');
  await page
    .getByRole('link', { name: /GET\s*\/token\/$/ })
    .first()
    .click();
  await page.getByRole('heading', { name: '/api/token/', exact: true }).waitFor();
  await page.getByText('Python', { exact: true }).click();
  await page.getByText('import requests').waitFor();
  await page.getByRole('button', { name: text('发送请求', 'Send'), exact: true }).click();
  await page.getByText('HTTP 200').waitFor();
  await expectClean('tried');
});

journey.onDesktop(
  'B20 reference: says of no call that there is none while nobody knows which there are',
  async (visit) => {
    const { page, text, goTo, expectFailure } = visit;
    const gone = page.getByText(text('没有此接口，或无权查看', 'There is no such call, or you may not see it'));
    await page.route('**/api/openapi.json', (route) => route.fulfill({ status: 503, json: {} }));
    expectFailure('/api/openapi.json', 503);
    await goTo('/reference?call=status.get');
    await page.getByRole('button', { name: text('重试', 'Retry') }).waitFor();
    assert.is(await gone.count(), 0);
    await page.unroute('**/api/openapi.json');
    await page.getByRole('button', { name: text('重试', 'Retry') }).click();
    await page.getByRole('heading', { name: '/api/status', exact: true }).waitFor();
    await goTo('/reference?call=no.such');
    await gone.waitFor();
  },
);

journey.run();
