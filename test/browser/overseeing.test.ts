/** What whoever runs the site looks at: its health, the audit trail, orders, and the reference for everybody. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { fill, startSite } from './site.ts';

const journey = journeys('overseeing', {
  open: async () => {
    const site = await startSite();
    await fill(site);
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
  await dialog.getByRole('button', { name: text('补单', 'Complete') }).click();
  await page.getByText(text('已为 root 增加', /credited to root$/)).waitFor();
  await settled();
  await untilPasses(async () => {
    assert.is((await site.daemon.root.orders.list({ status: 'pending' })).total, total - 1);
  });
  assert.is(page.url(), `${url}/order?status=pending`);
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
  'B10 channels: asks each type for what it needs, takes several keys, and warns of /v1',
  async (visit) => {
    const { page, text, signIn, goTo, expectClean, daemon, settled } = visit;
    await signIn('root');
    await goTo('/channel/add');
    const drawer = page.getByRole('dialog').first();
    const field = (zh: string, en: string) => drawer.getByRole('textbox', { name: text(zh, en), exact: true });
    const submit = drawer.getByRole('button', { name: text('提交', 'Submit') });
    await submit.click();
    await drawer.getByText(text('请填写渠道名称和渠道密钥！', 'Please fill in channel name and key')).first().waitFor();
    await drawer.getByText(text('请至少选择一个模型！', 'Please select at least one model')).waitFor();
    await expectClean('refused');
    const type = drawer.getByRole('combobox', { name: text('类型', 'Type') }).or(field('类型', 'Type'));
    const choose = async (search: string) => {
      await type.first().click();
      await type.first().fill(search);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    };
    for (const [search, label] of [
      ['azure', text('默认 API 版本', 'Default API version')],
      ['xunfei', text('模型版本', 'Version')],
      ['cloudflare', 'Account ID'],
      ['vertex', text('部署地区', 'Region')],
      ['dify', text('应用类型', 'App kind')],
    ] as const) {
      await choose(search);
      await drawer.getByLabel(label).first().waitFor();
    }
    await choose('suno');
    await drawer.getByText('suno_music', { exact: true }).waitFor();
    await field('名称', 'Name').fill('of several keys');
    await field('密钥', 'Key').fill('sk-one,sk-two,sk-one');
    await drawer.getByText(text('关闭多密钥视图', 'Turn off')).waitFor();
    await drawer.getByLabel(text('此地址不含路径', 'Address without path')).fill('http://localhost:3000/v1');
    await expectClean('several keys');
    await submit.click();
    const question = page.getByRole('dialog', { name: text('API 地址以 /v1 结尾', /\/v1/) });
    await question.getByRole('button', { name: text('继续提交', 'Submit anyway') }).click();
    await page.getByText(text('渠道创建成功！', 'Channel created')).first().waitFor();
    await settled();
    const { items } = await daemon.root.channels.list({ page: 1, page_size: 10 });
    assert.ok(items.some((one) => 'name' in one && one.name === 'of several keys'));

    await goTo('/channel');
    const batch = page.getByRole('group', { name: text('所选项的操作', 'Actions on the selection') });
    await batch.getByRole('button', { name: text('删除', 'Delete'), exact: true }).click();
    await page.getByText(text('请先选择要删除的渠道！', 'Please select channels to delete first')).waitFor();
    await batch.getByRole('button', { name: text('设置标签', 'Set tag'), exact: true }).click();
    await page.getByText(text('请先选择要设置标签的渠道！', 'Please select channels to tag first')).waitFor();
    await page.getByRole('button', { name: text('first 的优先级: 0', 'Priority of first: 0') }).click();
    await page.keyboard.type('-1000');
    await page.getByRole('alert').getByText(text('优先级不得小于 -999！', 'Priority must be at least -999')).waitFor();
    await expectClean('nothing selected');
  },
);

journey.run();
