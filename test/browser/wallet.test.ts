/** B13 and B14 of console.md 10: codes, and buying balance from a provider that a page of the test plays. */
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';
import type { Variant } from './variants.ts';

const journey = journeys('the wallet');

/** Of codes that this variant alone makes, since all of them visit one site; twenty characters at most. */
const ownName = (name: string, { language, theme, size }: Variant) => `${name} ${language} ${theme[0]}${size[0]}`;

journey('B14 wallet: takes a code from a link, and says of each other one why not', async (visit) => {
  const { page, text, goTo, expectClean, signIn, site, daemon } = visit;
  const account = await site.addAccount({ quota: 0 });
  const [code = ''] = await daemon.root.redemptions.create({ name: 'x', quota: 1_500_000, count: 1 });
  await signIn(account);
  await goTo(`/topup?code=${code}`);
  await expectClean('wallet');
  const field = page.getByLabel(text('兑换码', 'Redemption code'));
  const redeem = page.getByRole('button', { name: text('兑换', 'Redeem'), exact: true });
  assert.is(await field.inputValue(), code);
  await untilPasses(() => assert.not.match(page.url(), 'code='));
  await redeem.click();
  await page.getByText(text('兑换成功！成功兑换额度：$3.00', 'Redeemed, $3.00 credited')).waitFor();
  await expectClean('redeemed');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await redeem.click();
  await page.getByText(text('请输入兑换码！', 'Please enter redemption code')).waitFor();
  await field.fill(code);
  await field.press('Enter');
  await page.getByText(text('兑换码已被使用', 'Code already used')).waitFor();
  await expectClean('used');
});

journey.onPhone('B14 wallet: tells the balance with a code as it is, not as the page knew it', async (visit) => {
  const { page, text, goTo, signIn, site, daemon } = visit;
  const [code = ''] = await daemon.root.redemptions.create({ name: 'y', quota: 1_500_000, count: 1 });
  const { user } = await signIn(await site.addAccount({ quota: 5_000_000 }));
  await goTo('/topup');
  await daemon.root.users.manage({ id: user.id, action: 'add_quota', mode: 'subtract', value: 2_000_000 });
  await page.getByLabel(text('兑换码', 'Redemption code')).fill(code);
  await page.keyboard.press('Enter');
  const result = page.getByRole('dialog').locator('dd');
  await result.first().waitFor();
  assert.equal(await result.allInnerTexts(), ['$6.00', '+$3.00', '$9.00']);
});

journey.onPhone(
  'B14 wallet: says how long the balance lasts, and what is not switched on',
  async ({ page, text, goTo, expectClean, signIn }) => {
    await signIn();
    const data = { quota: 7_000_000, rpm: 0, tpm: 0, prompt_tokens: 0, completion_tokens: 0 };
    await page.route('**/api/log/self/stat*', (route) => route.fulfill({ json: { success: true, message: '', data } }));
    await goTo('/topup');
    // Five millions are left.
    await page.getByText(text('约可再用 5 天', 'Lasts about 5 days')).waitFor();
    await page.getByText(text('管理员未开启在线充值！', 'Admin has not enabled online top-up')).waitFor();
    await page.getByRole('button', { name: text('获取兑换码', 'Get one') }).click();
    const noLink = text('超级管理员未设置充值链接！', 'The super administrator has not set a top-up link');
    await page.getByText(noLink).waitFor();
    await expectClean('off');
  },
);

journey.onDesktop(
  'B13 codes: makes ten thousand once, though the answer was lost, and hands them over as a file',
  async (visit) => {
    const { page, text, goTo, signIn, expectClean, expectFailure, daemon, variant } = visit;
    const batch = ownName('autumn', variant);
    await signIn('root');
    await goTo('/redemption');
    await page
      .getByRole('button', { name: text('添加兑换码', 'Add redemption code') })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    const count = dialog.getByRole('textbox', { name: text('生成数量', 'Count') });
    const submit = dialog.getByRole('button', { name: text('提交', 'Submit') });
    await dialog.getByRole('textbox', { name: text('名称', 'Name'), exact: true }).fill(batch);
    await count.fill('10001');
    await submit.click();
    await dialog.getByText(text('数量须为 1 到 10000 的整数', 'Count must be an integer from 1 to 10000')).waitFor();
    await expectClean('too many');
    await count.fill('10000');
    expectFailure('/api/redemption', 0);
    let tries = 0;
    await page.route('**/api/redemption/', async (route) => {
      tries += 1;
      if (tries === 2) return route.fulfill({ status: 429, headers: { 'retry-after': '60' } });
      const answer = await route.fetch();
      return tries === 1 ? route.abort('connectionreset') : route.fulfill({ response: answer });
    });
    // It asks again by itself, with the key of the first time; so does whoever is told to wait, which says nothing of that.
    expectFailure('/api/redemption', 429);
    await submit.click();
    await dialog.getByText(text('请求过于频繁', 'Too many requests')).waitFor();
    await submit.click();
    await dialog
      .getByText(text(`是否下载兑换码？文件名为「${batch}.txt」`, `Download the codes as "${batch}.txt"?`))
      .waitFor();
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: text('下载', 'Download') }).click();
    const file = readFileSync(await (await saved).path(), 'utf8');
    const lines = file.split('\n').filter(Boolean);
    assert.is(new Set(lines).size, 10_000);
    assert.is((await daemon.root.redemptions.list({ keyword: batch, page: 1, page_size: 10 })).total, 10_000);
  },
);

journey.onDesktop(
  'B13 codes: makes a gift and a hundred, leaves used ones alone, and takes back by name',
  async (visit) => {
    const { page, text, goTo, signIn, expectClean, daemon, variant } = visit;
    const isPhone = variant.size === 'phone';
    const gifted = `MAYDAY-${variant.name}`;
    const lot = ownName('lot', variant);
    const count = async (keyword: string, filter = {}) =>
      (await daemon.root.redemptions.list({ keyword, ...filter, page: 1, page_size: 10 })).total;
    const [code = ''] = await daemon.root.redemptions.create({ name: 'used up', quota: 500, count: 1 });
    await daemon.root.redemptions.redeem({ key: code });
    await signIn('root');
    await goTo('/redemption');
    await page.getByRole('button', { name: text('复制所选兑换码', 'Copy selected codes') }).click();
    await page.getByText(text('请至少选择一个兑换码！', 'Please select at least one redemption code')).waitFor();

    const dialog = page.getByRole('dialog');
    const open = async (name: string) => {
      await page
        .getByRole('button', { name: text('添加兑换码', 'Add redemption code') })
        .first()
        .click();
      await dialog.getByRole('textbox', { name: text('名称', 'Name'), exact: true }).fill(name);
    };
    const make = async (name: string) => {
      await dialog.getByRole('button', { name: text('提交', 'Submit') }).click();
      await dialog.getByText(text(`文件名为「${name}.txt」`, `Download the codes as "${name}.txt"?`)).waitFor();
      await dialog
        .getByRole('button', { name: text('关闭', 'Close') })
        .last()
        .click();
      await dialog.waitFor({ state: 'detached' });
    };
    const gift = dialog.getByRole('switch', { name: text('礼品码', 'Gift') });
    const uses = dialog.getByLabel(text('最大使用次数', 'Max uses'));
    await open('gift');
    await dialog.getByLabel(text('自定义兑换码', 'Custom code')).fill(gifted);
    await gift.click();
    await uses.fill('0');
    await dialog.getByRole('button', { name: text('提交', 'Submit') }).click();
    await dialog
      .getByText(text('次数须为正整数，或 -1 表示不限', 'Enter a positive integer, or -1 for unlimited'))
      .waitFor();
    await uses.fill('3');
    await expectClean('gift');
    await make('gift');
    const { items } = await daemon.root.redemptions.list({ keyword: gifted, page: 1, page_size: 10 });
    assert.equal(
      items.map(({ is_gift, max_uses }) => [is_gift, max_uses]),
      [[true, 3]],
    );
    await open(lot);
    // What stands in a field that is not shown any more refuses nothing.
    await gift.click();
    await uses.fill('0');
    await gift.click();
    await dialog.getByRole('textbox', { name: text('生成数量', 'Count') }).fill('100');
    await make(lot);
    assert.is(await count(lot), 100);

    await goTo('/redemption?keyword=used');
    const used = page.getByRole(isPhone ? 'listitem' : 'row').filter({ hasText: 'used up' });
    const why = page.getByText(text('只能编辑未使用的兑换码', 'Only unused codes can be edited'));
    await used.waitFor();
    if (isPhone) {
      await used.getByRole('button', { name: text('更多操作', 'More actions') }).click();
      assert.ok(await dialog.getByRole('button').filter({ has: why }).isDisabled());
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    } else {
      const edit = used.getByRole('button', { name: text('编辑', 'Edit') });
      assert.is(await edit.getAttribute('aria-disabled'), 'true');
      await edit.hover();
    }
    const startSelecting = async () => {
      if (isPhone) await page.getByRole('button', { name: text('选择', 'Select'), exact: true }).click();
    };
    const selected = page.getByText(/^(?:已选 [1-9]\d* 项|[1-9]\d* selected)$/);
    await startSelecting();
    await used.getByRole('checkbox').check();
    await selected.waitFor();
    await actOnRow(visit, 'used up', text('删除', 'Delete'));
    await dialog.getByRole('button', { name: text('删除', 'Delete') }).click();
    await selected.waitFor({ state: 'detached' });

    await goTo(`/redemption?keyword=${encodeURIComponent(lot)}`);
    const ofPage = text('选择本页所有行', 'Select all rows of this page');
    const boxes = page.getByRole('checkbox', { name: isPhone ? text('选择此行', 'Select this row') : ofPage });
    const selectPage = async () => {
      await boxes.first().waitFor();
      for (const box of await boxes.all()) await box.click();
    };
    await startSelecting();
    await selectPage();
    await page.getByRole('button', { name: text('禁用所选', 'Disable selected') }).click();
    await page.getByText(text('已禁用 10 个兑换码', '10 codes disabled')).waitFor();
    assert.is(await count(lot, { status: 2 }), 10);
    await selectPage();
    await selected.waitFor();
    await page
      .getByRole('button', { name: text('更多操作', 'More actions') })
      .first()
      .click();
    await page.getByRole('menuitem', { name: text('按名称删除', 'Delete by name') }).click();
    await dialog.getByRole('button', { name: text('删除', 'Delete'), exact: true }).click();
    await dialog.getByText(text('请输入名称', 'Please enter a name')).waitFor();
    await dialog.getByLabel(text('名称', 'Name'), { exact: true }).fill(lot);
    await dialog.getByText(text('将删除 100 个', '100 will be deleted')).waitFor();
    const sure = dialog.getByRole('button', { name: text('删除 100 个兑换码', 'Delete 100 codes') });
    assert.ok(await sure.isDisabled());
    await dialog
      .getByLabel(text(`请再次输入「${lot}」以确认`, lot))
      .last()
      .fill(lot);
    await expectClean('by name');
    await sure.click();
    await page.getByText(text('已删除 100 个兑换码', '100 codes deleted')).waitFor();
    assert.is(await count(lot), 0);
    await selected.waitFor({ state: 'detached' });
  },
);

journey.onDesktop('6.13 wallet: says what may be transferred as it can be typed, not rounded up', async (visit) => {
  const { page, text, goTo, signIn, site } = visit;
  const account = await site.addAccount();
  await page.route('**/api/user/self', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({ json: { ...body, data: { ...body.data, aff_quota: 999_999 } } });
  });
  await signIn(account);
  await goTo('/topup');
  await page.getByRole('button', { name: text('划转', 'Transfer'), exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(text('可用 $1.999998', '$1.999998 available'), { exact: true }).waitFor();
  await dialog.getByRole('textbox').fill('2');
  await dialog.getByRole('textbox').press('Enter');
  await dialog.getByText(text('可用收益只有 $1.999998', 'Only $1.999998 is available')).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

journey.run();
