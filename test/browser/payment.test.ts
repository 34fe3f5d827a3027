/** B14 of console.md 10: buying balance at a payment page that the test plays. */
import * as assert from 'uvu/assert';
import { merchantKey, paidNotice, signed } from '../support/payment-site.ts';
import { untilPasses } from '../support/until.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';
import { journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';
import { type Site, startSite } from './site.ts';

/** Where the payment page sends its buyers on to, on an origin of its own. */
let purse: WebServer;
let provider: WebServer;

const journey = journeys('payment', { open: startPayingSite });

async function startPayingSite(): Promise<Site> {
  const shown = (title: string) => `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>`;
  purse = await startWebServer((_call, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(shown('Pay here'));
  });
  provider = await startWebServer(({ url }, response) => {
    if (url.startsWith('/api.php')) {
      const order = new URL(url, 'http://provider').searchParams.get('out_trade_no');
      return { code: 1, out_trade_no: order, trade_no: '77', money: '73.00', status: 1 };
    }
    response.writeHead(302, { Location: `${purse.url}/pay` });
    response.end();
    return undefined;
  });
  const site = await startSite();
  const values = {
    ServerAddress: site.daemon.url,
    PayAddress: provider.url,
    EpayId: '1001',
    EpayKey: merchantKey,
    MinTopUp: '2',
    Price: '7.3',
  };
  for (const [key, value] of Object.entries(values)) await site.daemon.root.options.set({ key, value });
  return {
    ...site,
    stop: async () => {
      await site.stop();
      await provider.stop();
      await purse.stop();
    },
  };
}

journey(
  'B14 wallet: names the price, sends the buyer on to who takes the money, and says when it came',
  async (visit) => {
    const { page, text, goTo, expectClean, signIn, site, daemon, context, variant } = visit;
    await signIn(await site.addAccount({ quota: 0 }));
    await goTo('/topup');
    const amount = page.getByLabel(text('充值数量', 'Amount'), { exact: true });
    const pay = { name: text('去支付', 'Pay'), exact: true };
    assert.is(await amount.inputValue(), '2');
    await amount.fill('1');
    await page.getByText(text('充值数量不能小于 2', 'Top-up amount cannot be less than 2')).waitFor();
    assert.ok(await page.getByRole('button', pay).isDisabled());
    await amount.fill('10.50');
    await page.getByText(text('请输入整数', 'Please enter a whole number')).waitFor();
    assert.ok(await page.getByRole('button', pay).isDisabled());
    await amount.fill('10');
    await page.getByText(text('实付金额：73.00 元', 'To pay: 73.00')).waitFor();
    await page.getByRole('button', pay).click();
    const question = page.getByRole('dialog');
    const asked = text('充值数量：10，实付金额：73.00，是否确认充值？', 'Top up 10 for 73.00?');
    await question.getByText(asked).waitFor();
    await expectClean('question');

    // Phones pay in the same tab.
    const isPhone = variant.size === 'phone';
    const opened = isPhone ? undefined : context.waitForEvent('page');
    await question.getByRole('button', pay).click();
    const till = (await opened) ?? page;
    await till.getByRole('heading', { name: 'Pay here' }).waitFor();
    assert.is(till.url(), `${purse.url}/pay`);
    const form = Object.fromEntries(new URLSearchParams(provider.asked.at(-1)?.body));
    const order = { out_trade_no: form.out_trade_no ?? '', money: '73.00' };
    assert.is(form.money, '73.00');
    if (isPhone) await page.goBack();
    else await till.close();
    await page.getByText(text('等待支付结果', 'Waiting for payment')).waitFor();
    await expectClean('awaited');

    const notice = new URLSearchParams(signed(paidNotice(order.out_trade_no, order)));
    assert.is(await (await fetch(`${daemon.url}/api/user/epay/notify?${notice}`)).text(), 'success');
    await page.getByText(text('支付成功，已到账 $10.00', 'Paid, $10.00 credited')).waitFor();
    await page
      .getByRole(isPhone ? 'listitem' : 'row')
      .filter({ hasText: text('成功', 'Success') })
      .waitFor();
    await expectClean('credited');
    // The payment page sends its buyer back with everything it told the server, a "type" of its own among it.
    await goTo(`/log?${notice}`);
    await untilPasses(() => assert.is(page.url(), `${daemon.url}/log?type=1`));
    await page.getByText('$10.00').first().waitFor();
    await expectClean('back');
  },
);

journey.onDesktop('B14 wallet: counts in units where amounts are no dollars', async (visit) => {
  const { page, text, goTo, signIn } = visit;
  await signIn();
  await page.route('**/api/status', async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, data: { ...answer.data, display_in_currency: false } } });
  });
  await goTo('/topup');
  const amount = page.getByLabel(text('充值数量', 'Amount'), { exact: true });
  assert.is(await amount.inputValue(), '1000000');
  await amount.fill('999999');
  await page.getByText(text('充值数量不能小于 1000000', 'Top-up amount cannot be less than 1000000')).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

journey.onDesktop(
  'B14 wallet: says after five minutes that no payment was heard of, and counts it later',
  async (visit) => {
    const { page, text, goTo, expectClean, signIn, site, daemon, context } = visit;
    const buyer = await site.addAccount({ quota: 0 });
    await signIn(buyer);
    await page.clock.install();
    await goTo('/topup');
    await page.getByLabel(text('充值数量', 'Amount'), { exact: true }).fill('10');
    const pay = { name: text('去支付', 'Pay'), exact: true };
    await page.getByRole('button', pay).click();
    const opened = context.waitForEvent('page');
    await page.getByRole('dialog').getByRole('button', pay).click();
    await (await opened).close();
    await page.getByText(text('等待支付结果', 'Waiting for payment')).waitFor();
    await page.clock.fastForward('04:00');
    await page.reload();
    await page.getByText(text('等待支付结果', 'Waiting for payment')).waitFor();
    // What was waited before the page was opened anew counts.
    await page.clock.fastForward('01:01');
    await page.getByText(text('未收到支付通知，可稍后刷新订单', 'No payment notice yet')).waitFor();
    await expectClean('unheard');
    const form = new URLSearchParams(provider.asked.at(-1)?.body);
    const notice = new URLSearchParams(signed(paidNotice(form.get('out_trade_no') ?? '', { money: '73.00' })));
    assert.is(await (await fetch(`${daemon.url}/api/user/epay/notify?${notice}`)).text(), 'success');
    await goTo('/topup');
    const success = page.getByRole('row').filter({ hasText: text('成功', 'Success') });
    await success.waitFor();
    assert.is((await daemon.root.users.get({ id: buyer.id })).quota, 5_000_000);
  },
);

journey.onPhone(
  'B14 wallet: awaits the payment of an account for nobody else who signs in from another tab',
  async (visit) => {
    const { page, text, goTo, signIn, site } = visit;
    const buyer = await site.addAccount({ quota: 0 });
    await signIn(buyer);
    await goTo('/topup');
    await page.getByLabel(text('充值数量', 'Amount'), { exact: true }).fill('10');
    const pay = { name: text('去支付', 'Pay'), exact: true };
    await page.getByRole('button', pay).click();
    await page.getByRole('dialog').getByRole('button', pay).click();
    await page.getByRole('heading', { name: 'Pay here' }).waitFor();
    const waiting = page.getByText(text('等待支付结果', 'Waiting for payment'));
    await signIn(await site.addAccount({ quota: 0 }));
    await goTo('/topup');
    assert.is(await waiting.count(), 0);
    await signIn(buyer);
    await goTo('/topup');
    await waiting.waitFor();
  },
);

journey('B20 orders: asks the provider about one, and completes it where that was paid', async (visit) => {
  const { page, text, goTo, expectClean, signIn, site, daemon } = visit;
  const buyer = await site.addAccount({ quota: 0 });
  const { cookies, user } = await site.signIn(buyer);
  const headers = {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    'Tollgate-User': String(user.id),
  };
  await daemon.client(undefined).wallet.pay({ amount: 10, payment_method: 'zfb' }, { headers });
  await signIn('root');
  await goTo('/order?status=pending');
  await actOnRow(visit, buyer.username, text('查询支付平台', 'Query provider'));
  const told = page.getByRole('dialog').filter({ hasText: text('支付平台的记录', 'What the provider knows') });
  await told.getByText(text('已支付', 'Paid'), { exact: true }).waitFor();
  await told.getByText(text('与订单一致', 'As ordered')).waitFor();
  await expectClean('told');
  assert.is((await daemon.root.users.get({ id: buyer.id })).quota, 0, 'asking changes nothing');
  await told.getByRole('button', { name: text('补单', 'Complete') }).click();
  const question = page.getByRole('dialog').filter({ hasText: text('每个订单只能完成一次', 'works once an order') });
  await question.getByLabel(text('原因', 'Reason')).fill('the provider says so');
  await question.getByRole('button', { name: text('补单', 'Complete') }).click();
  await page.getByText(text(`已为 ${buyer.username} 增加`, `credited to ${buyer.username}`)).waitFor();
  assert.is((await daemon.root.users.get({ id: buyer.id })).quota, 5_000_000);
});

journey.run();
