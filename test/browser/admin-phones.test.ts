/**
 * What administrators see on a phone: nothing is cut that says which row it is, and every figure says what it is of
 * (console.md 1.8). Runs once: the database is no matter here.
 */
import * as assert from 'uvu/assert';
import { type Journey, journeys } from './journeys.ts';
import { fill, startSite } from './site.ts';

const longName = 'a channel with the longest name there is';

const journey = journeys('administrators on phones', {
  open: async () => {
    const site = await startSite();
    await fill(site);
    const { daemon, upstream } = site;
    await daemon.addChannel({ name: longName, base_url: upstream.url, models: 'gpt-4o-mini', tag: 'phones' });
    const options = {
      ServerAddress: 'https://gateway.example',
      PayAddress: 'https://pay.example',
      EpayId: '1001',
      EpayKey: 'secret',
      TopUpLink: 'https://shop.example',
    };
    for (const [key, value] of Object.entries(options)) await daemon.root.options.set({ key, value });
    await daemon.root.wallet.pay({ amount: 5, payment_method: 'zfb' });
    return site;
  },
});

const cardOf = ({ page }: Journey, name: string) => page.getByRole('listitem').filter({ hasText: name }).first();

journey.onPhone('orders: the card is named by who pays, and its number stands whole below', async (visit) => {
  const { page, signIn, goTo } = visit;
  await signIn('root');
  await goTo('/order');
  const card = cardOf(visit, 'root');
  const edge = (await card.boundingBox())?.x ?? 0;
  assert.match(await card.innerText(), /^root/);
  const code = await card.locator('code').boundingBox();
  assert.ok((code?.x ?? 0) > edge, 'nothing of the number is cut at its left');
  assert.is(await page.getByRole('link', { name: 'root', exact: true }).count(), 1);
});

journey.onPhone(
  'health: a channel of a long name can be pressed, and no figure stands without its name',
  async (visit) => {
    const { signIn, goTo, expectClean } = visit;
    await signIn('root');
    await goTo('/system');
    const card = cardOf(visit, longName);
    await card.scrollIntoViewIfNeeded();
    await expectClean('health');
    assert.not.match(await card.innerText(), /\n0$/);
  },
);

journey.onPhone('channels: names of models that are tested stand in one line', async (visit) => {
  const { page, signIn, goTo, text, daemon, expectClean, settled } = visit;
  const { items } = await daemon.root.channels.list({ page: 1, page_size: 10 });
  const id = items.find((one) => 'name' in one && one.name === longName)?.id;
  await signIn('root');
  await goTo(`/channel?panel=test-${id}`);
  const dialog = page.getByRole('dialog');
  const test = dialog.getByRole('button', { name: text('测试', 'Test'), exact: true });
  await test.waitFor();
  const title = dialog.getByRole('heading').first();
  const { lineHeight, fontSize } = await title.evaluate((element) => getComputedStyle(element));
  assert.ok(Number.parseFloat(lineHeight) > 1.2 * Number.parseFloat(fontSize), 'a title of two lines can be read');
  // The channel's earlier tests are on their way, and the list behind it.
  await settled();
  await test.click();
  await dialog.getByText(/ s$/).first().waitFor();
  await expectClean('tested');
  const model = await dialog.getByText('gpt-4o-mini', { exact: true }).boundingBox();
  assert.ok((model?.height ?? 0) < 30 && (model?.width ?? 0) > 80, JSON.stringify(model));
});

journey.onPhone(
  'channels: a card that is opened says the whole name, and its numbers begin where theirs do',
  async (visit) => {
    const { signIn, goTo, text } = visit;
    await signIn('root');
    await goTo('/channel');
    const card = cardOf(visit, longName);
    await card.getByRole('button', { name: text('展开详情', 'Show details') }).click();
    for (const name of [text('优先级', 'Priority'), text('权重', 'Weight')]) {
      const term = card.locator('dt', { hasText: name });
      const figure = card.getByRole('button', { name: new RegExp(`${name}.*: 0$`) });
      const [left, begin] = await Promise.all([
        term.boundingBox(),
        figure.evaluate((button) => {
          const range = document.createRange();
          range.selectNodeContents(button);
          return range.getBoundingClientRect().x;
        }),
      ]);
      assert.ok(Math.abs(begin - (left?.x ?? 0)) <= 2, `${name} at ${left?.x}, its figure at ${begin}`);
    }
    const isCut = await card
      .getByText(longName)
      .evaluate((name) => name.scrollWidth > name.clientWidth && getComputedStyle(name).display !== 'inline');
    assert.not.ok(isCut);
  },
);

journey.onPhone('codes: what deletes is readable in the menu, and many are counted in thousands', async (visit) => {
  const { page, signIn, goTo, text, expectClean, daemon } = visit;
  await daemon.root.redemptions.create({ name: 'autumn', quota: 1, count: 1200 });
  await signIn('root');
  await goTo('/redemption');
  await page
    .getByRole('button', { name: text('更多操作', 'More actions') })
    .first()
    .click();
  await page.getByRole('menuitem').last().waitFor();
  await expectClean('menu');
  await page.getByRole('menuitem', { name: text('按名称删除', 'Delete by name') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').first().fill('autumn');
  await dialog.getByText(text('将删除 1,200 个', '1,200 will be deleted')).waitFor();
  await dialog.getByRole('button', { name: text('删除 1,200 个兑换码', 'Delete 1,200 codes') }).waitFor();
});

journey.onPhone('settings: all tabs are in sight, and who changed a setting can be pressed', async (visit) => {
  const { page, signIn, goTo, text, expectClean, settled } = visit;
  await signIn('root');
  await goTo('/setting?tab=system');
  await page.getByText(text('打开该地址', 'Open this address')).waitFor();
  await settled();
  const last = await page.getByRole('tab').last().boundingBox();
  const { width = 0 } = page.viewportSize() ?? {};
  assert.ok((last?.x ?? width) + (last?.width ?? 0) <= width, JSON.stringify(last));
  await expectClean('system');
  await goTo('/setting?tab=operation&section=prices&price=visual');
  const rules = page.getByRole('tab', { name: text('费率规则', 'Rate rules') });
  await rules.waitFor();
  const place = await rules.boundingBox();
  assert.ok((place?.x ?? width) + (place?.width ?? 0) <= width, JSON.stringify(place));
  const card = page.getByRole('listitem').filter({ hasText: text('补全倍率', 'Completion ratio') });
  await card.first().getByText('$/1M').first().waitFor();
  await expectClean('prices');
});

journey.onPhone(
  'account: a long model keeps to its card, and a link in a sentence is more than a colour',
  async (visit) => {
    const { daemon, upstream, signIn, goTo, expectClean } = visit;
    const models = 'accounts/fireworks/models/llama-v3p1-405b-instruct-long';
    await daemon.addChannel({ name: 'long model', base_url: upstream.url, models });
    await signIn('root');
    await goTo('/personal');
    await expectClean('models');
    await goTo('/topup');
    await expectClean('link to a shop');
  },
);

journey.onPhone('figures: millions keep within their card', async (visit) => {
  const { page, signIn, goTo } = visit;
  await signIn('root');
  const data = { quota: 10_000_000_000_000, rpm: 0, tpm: 0, prompt_tokens: 0, completion_tokens: 0 };
  await page.route('**/api/log/stat*', (route) => route.fulfill({ json: { success: true, message: '', data } }));
  await goTo('/log');
  const beyond = await page.getByText('$20,000,000.00').evaluate((figure) => {
    const card = figure.parentElement?.parentElement?.getBoundingClientRect();
    return figure.getBoundingClientRect().right - (card?.right ?? 0);
  });
  assert.ok(beyond < 0, `${beyond} px are outside`);
});

journey.run();
