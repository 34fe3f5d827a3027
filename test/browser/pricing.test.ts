/** Prices of models: the list, which needs no account, and the table of models that have none yet. */
import * as assert from 'uvu/assert';
import { gate } from '../support/gate.ts';
import { journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';
import { answerUnsaved } from './unsaved-question.ts';

const journey = journeys('the prices', { open: startFilledSite });

journey('prices: finds a model, and says what a call of it would cost', async (visit) => {
  const { page, text, goTo, expectClean } = visit;
  await goTo('/pricing');
  await page
    .getByText(text('未登录，使用默认分组倍率：1', "Not signed in, using the default group's ratio: 1"))
    .waitFor();
  await page.getByText(text('按量计费费用 = 分组倍率', 'Pay-as-you-go cost = group ratio')).waitFor();
  await page.getByRole('searchbox').fill('mini 4o');
  await page.getByText('gpt-4o-mini').first().waitFor();
  await expectClean('found');
  await page.getByRole('searchbox').fill('nobody');
  await page.getByText(text('没有符合条件的数据', 'Nothing matches these filters')).waitFor();
  await page.getByRole('button', { name: text('计算器', 'Calculator') }).click();
  await page.getByRole('dialog', { name: text('费用计算器', 'Cost calculator') }).waitFor();
  await expectClean('calculator');
});

journey.onDesktop('6.22 prices: calls none unused while the models in use are not known', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('root');
  const inUse = '**/api/channel/models_enabled**';
  await page.route(inUse, (route) =>
    route.fulfill({ json: { success: false, code: 'internal_error', message: 'the models are away' } }),
  );
  await goTo('/setting?tab=operation&section=prices&price=visual');
  const area = page.locator('#section-prices');
  await area.locator('[data-row]').first().waitFor();
  await area.getByRole('combobox', { name: text('筛选', 'Filter') }).click();
  await page.getByRole('option', { name: text('未使用', 'Unused'), exact: true }).click();
  await area.getByText('the models are away').waitFor();
  assert.is(await area.locator('[data-row]').count(), 0);
  await page.unroute(inUse);
  await area.getByRole('button', { name: text('重试', 'Retry') }).click();
  await area.locator('[data-row]').first().waitFor();
});

journey.onDesktop('6.22 prices: fills models that have no price at once, and each of them once', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon, upstream, variant } = visit;
  await daemon.addChannel({ base_url: upstream.url, models: 'ours-one,ours-two' });
  await signIn('admin');
  await goTo('/setting?tab=operation&section=prices&price=unset');
  const area = page.locator('#section-prices');
  const button = (name: string) => area.getByRole('button', { name, exact: true });
  const row = (name: string) => area.locator('[data-row]').filter({ hasText: name });
  const dialog = page.getByRole('dialog');
  const figure = dialog.locator('input[inputmode=decimal]');
  const batch = text('批量设置', 'Batch set');
  const apply = text('应用', 'Apply');
  const applyAll = text('应用更改', 'Apply');
  await button(batch).click();
  await page.getByText(text('请先选择需要批量设置的模型', 'Please select the models to batch set first')).waitFor();

  if (variant.size === 'phone') await button(text('选择', 'Select')).click();
  await row('ours-one').getByRole('checkbox').check();
  await button(batch).click();
  await dialog.getByRole('button', { name: apply }).click();
  await dialog.getByText(text('请输入填充值', 'Please enter a fill value')).waitFor();
  await figure.fill('half');
  await dialog.getByRole('button', { name: apply }).click();
  await dialog.getByText(text('请输入有效的数字', 'Please enter a valid number')).waitFor();
  await figure.fill('0.5');
  await expectClean('batch');
  await dialog.getByRole('button', { name: apply }).click();
  await dialog.waitFor({ state: 'detached' });
  await button(applyAll).click();
  await row('ours-one').waitFor({ state: 'detached' });

  // What was filled before is out of the choice, too.
  await row('ours-two').getByRole('checkbox').check();
  await button(batch).click();
  await dialog.getByText(text('批量设置 1 个模型', 'Batch set 1 models')).waitFor();
  await dialog.getByRole('combobox', { name: text('设置类型', 'What to set') }).click();
  await page.getByRole('option', { name: text('模型倍率', 'Model ratio'), exact: true }).click();
  await figure.fill('2');
  await dialog.getByRole('button', { name: apply }).click();
  await dialog.waitFor({ state: 'detached' });
  await button(text('添加模型', 'Add')).click();
  await dialog.getByRole('textbox', { name: text('模型名称', 'Model') }).fill('ours-one');
  await figure.first().fill('1');
  await dialog.getByRole('button', { name: text('确定', 'Confirm') }).click();
  await dialog.getByText(text('模型名称已存在', 'Model name already exists')).waitFor();
  await dialog.getByRole('button', { name: text('取消', 'Cancel') }).click();
  await answerUnsaved(visit, 'discard');
  await dialog.waitFor({ state: 'detached' });
  await button(applyAll).click();
  await row('ours-two').waitFor({ state: 'detached' });
  const { items } = await daemon.root.prices.list({ keyword: 'ours-' });
  assert.equal(
    items.map(({ model_price, model_ratio }) => [model_price, model_ratio]),
    [
      [0.5, null],
      [null, 2],
    ],
  );
});

journey.onDesktop('B17 pricing: keeps every letter and filter that is given fast on a slow device', async (visit) => {
  const { page, context, goTo, signIn, text } = visit;
  await signIn();
  await goTo('/pricing');
  const search = page.getByRole('searchbox');
  const perToken = page.getByText(text('按量计费', 'Per token'), { exact: true }).first();
  const place = await perToken.boundingBox();
  assert.ok(place);
  const slow = await context.newCDPSession(page);
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  await search.focus();
  await page.keyboard.type('gpt-4o');
  await page.mouse.click(place.x + 4, place.y + 4);
  await slow.detach();
  await page.waitForURL('**/pricing?keyword=gpt-4o&billing=0');
  await visit.settled();
  assert.is(await search.inputValue(), 'gpt-4o');
});

journey.onDesktop('6.22 prices: asks before what somebody else set meanwhile is replaced', async (visit) => {
  const { page, text, signIn, goTo, expectClean, settled, daemon } = visit;
  const prices = async (keyword: string) => {
    const { items } = await daemon.root.prices.list({ keyword });
    return Object.fromEntries(items.map((one) => [one.model_name, [one.model_ratio, one.cache_ratio]]));
  };
  await daemon.root.prices.set({ models: { 'shared-one': { model_ratio: 1 }, 'shared-two': { model_ratio: 1 } } });
  await signIn('admin');
  const area = page.locator('#section-prices');
  const asked = page.getByRole('dialog').filter({ hasText: text('此记录已被 root 修改', 'Changed by root meanwhile') });
  const overwrite = asked.getByRole('button', { name: text('覆盖', 'Overwrite') });

  await goTo('/setting?tab=operation&section=prices&price=visual');
  await area.getByPlaceholder(text('搜索模型名称', 'Search models')).fill('shared-');
  for (const name of ['shared-one', 'shared-two']) {
    const cell = area.getByRole('textbox', { name: `${name}: ${text('模型倍率', 'Ratio')}`, exact: true });
    await cell.fill('2');
    await cell.blur();
  }
  // Beside the one figure that both change, others changed what is not touched here.
  const others = { 'shared-one': { model_ratio: 7 }, 'shared-two': { cache_ratio: 0.3 } };
  await daemon.root.prices.set({ models: others });
  const apply = area.getByRole('button', { name: text('应用更改', 'Apply'), exact: true });
  await apply.click();
  await asked.getByText('shared-one').waitFor();
  assert.is(await asked.getByText('shared-two').count(), 0);
  await expectClean('prices changed meanwhile');
  await asked.getByRole('button', { name: text('取消', 'Cancel') }).click();
  await settled();
  assert.equal(await prices('shared-'), { 'shared-one': [7, null], 'shared-two': [1, 0.3] });
  await apply.click();
  await overwrite.click();
  await page.getByText(text('保存成功', 'Saved')).waitFor();
  assert.equal(await prices('shared-'), { 'shared-one': [2, null], 'shared-two': [2, 0.3] });

  await goTo('/setting?tab=operation&section=prices&price=json');
  const map = area.locator('#option-CacheRatio textarea');
  await map.fill(JSON.stringify({ ...JSON.parse(await map.inputValue()), 'shared-one': 0.5 }, null, 2));
  await daemon.root.prices.set({ models: { 'shared-three': { model_ratio: 1, cache_ratio: 0.4 } } });
  const save = area.getByRole('button', { name: text('保存模型倍率设置', 'Save'), exact: true });
  await save.click();
  await asked.getByText('shared-three').waitFor();
  await expectClean('an option changed meanwhile');
  await asked.getByRole('button', { name: text('取消', 'Cancel') }).click();
  await settled();
  assert.equal(await prices('shared-three'), { 'shared-three': [1, 0.4] });
  // What was shown once is not asked again.
  await save.click();
  await page.getByText(text('保存成功', 'Saved')).waitFor();
  assert.equal(await prices('shared-three'), { 'shared-three': [1, null] });
});

journey.onDesktop('6.22 prices: what somebody else set meanwhile is taken, and the rest saved', async (visit) => {
  const { page, text, signIn, goTo, daemon } = visit;
  const ratios = async () => {
    const { items } = await daemon.root.prices.list({ keyword: 'yield-' });
    return Object.fromEntries(items.map(({ model_name, model_ratio }) => [model_name, model_ratio]));
  };
  await daemon.root.prices.set({ models: { 'yield-one': { model_ratio: 1 }, 'yield-two': { model_ratio: 1 } } });
  await signIn('admin');
  const takeTheirs = page.getByRole('dialog').getByRole('button', { name: text('采用对方的修改', 'Take theirs') });
  await goTo('/setting?tab=operation&section=prices&price=visual');
  const area = page.locator('#section-prices');
  await area.getByPlaceholder(text('搜索模型名称', 'Search models')).fill('yield-');
  const ratio = (name: string) =>
    area.getByRole('textbox', { name: `${name}: ${text('模型倍率', 'Ratio')}`, exact: true });
  for (const name of ['yield-one', 'yield-two']) {
    await ratio(name).fill('2');
    await ratio(name).blur();
  }
  await daemon.root.prices.set({ models: { 'yield-one': { model_ratio: 7 } } });
  await area.getByRole('button', { name: text('应用更改', 'Apply'), exact: true }).click();
  await takeTheirs.click();
  await page.getByText(text('保存成功', 'Saved')).waitFor();
  assert.equal(await ratios(), { 'yield-one': 7, 'yield-two': 2 });
  assert.is(await ratio('yield-one').inputValue(), '7');

  await goTo('/setting?tab=operation&section=quota');
  const [own, rest] = [page.locator('#option-QuotaForNewUser input'), page.locator('#option-PreConsumedQuota input')];
  await own.fill('11');
  await rest.fill('12');
  await daemon.root.options.set({ key: 'QuotaForNewUser', value: '77' });
  await page.keyboard.press('Control+s');
  await takeTheirs.click();
  await page.getByText(text('保存成功', 'Saved')).last().waitFor();
  const stored = new Map((await daemon.root.options.list()).map(({ key, value }) => [key, value]));
  assert.equal([stored.get('QuotaForNewUser'), stored.get('PreConsumedQuota')], ['77', '6000000']);
  await visit.settled();
  assert.is(await page.getByRole('region', { name: text('未保存', 'Unsaved') }).count(), 0);
});

journey.onDesktop('6.22 prices: keeps what is typed while others are applied', async (visit) => {
  const { page, text, signIn, goTo, daemon } = visit;
  await daemon.root.prices.set({ models: { 'unsent-one': { model_ratio: 1 }, 'unsent-two': { model_ratio: 1 } } });
  await signIn('admin');
  await goTo('/setting?tab=operation&section=prices&price=visual');
  const area = page.locator('#section-prices');
  const ratio = (name: string) =>
    area.getByRole('textbox', { name: `${name}: ${text('模型倍率', 'Ratio')}`, exact: true });
  const apply = area.getByRole('button', { name: text('应用更改', 'Apply'), exact: true });
  const { open: release, opened: held } = gate();
  await page.route('**/api/price/', async (route) => {
    if (route.request().method() === 'PUT') await held;
    await route.continue();
  });
  await area.getByPlaceholder(text('搜索模型名称', 'Search models')).fill('unsent-');
  await ratio('unsent-one').fill('2');
  const sent = page.waitForRequest((request) => request.method() === 'PUT' && request.url().includes('/api/price/'));
  await apply.click();
  await sent;
  await ratio('unsent-one').fill('3');
  await ratio('unsent-two').fill('4');
  await ratio('unsent-two').blur();
  release();
  await page.getByText(text('保存成功', 'Saved')).waitFor();
  assert.equal([await ratio('unsent-one').inputValue(), await ratio('unsent-two').inputValue()], ['3', '4']);
  await apply.click();
  await area.getByRole('button', { name: text('放弃', 'Discard') }).waitFor({ state: 'detached' });
  const { items } = await daemon.root.prices.list({ keyword: 'unsent-' });
  assert.equal(
    items.map(({ model_ratio }) => model_ratio),
    [3, 4],
  );
});

journey.onDesktop('6.22 prices: applies nothing while a cell is no number, wherever that cell is', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon } = visit;
  await daemon.root.prices.set({ models: { 'mixed-up': { model_ratio: 1 } } });
  const stored = async () => {
    const { items } = await daemon.root.prices.list({ keyword: 'mixed-up' });
    return items.map((one) => [one.model_ratio, one.cache_ratio]);
  };
  await signIn('admin');
  await goTo('/setting?tab=operation&section=prices&price=visual');
  const area = page.locator('#section-prices');
  const search = area.getByPlaceholder(text('搜索模型名称', 'Search models'));
  const cell = (title: string) => area.getByRole('textbox', { name: `mixed-up: ${title}`, exact: true });
  const ratio = cell(text('模型倍率', 'Ratio'));
  const apply = area.getByRole('button', { name: text('应用更改', 'Apply'), exact: true });
  await search.fill('mixed-up');
  await cell(text('提示缓存倍率', 'Cache ratio')).fill('0.5');
  await ratio.fill('1,000');
  await ratio.blur();
  await page.getByText(text('例如 1000 或 0.25', 'such as 1000 or 0.25')).first().waitFor();
  await expectClean('no number');
  // Out of sight it is as wrong as before.
  await search.fill('gpt');
  await ratio.waitFor({ state: 'detached' });
  await apply.click();
  await page.getByText(text('请检查输入', 'Please check the input'), { exact: true }).waitFor();
  await area.getByText(text('mixed-up 的模型倍率「1,000」', 'mixed-up, Ratio: "1,000"')).waitFor();
  assert.equal(await stored(), [[1, null]]);
  await search.fill('mixed-up');
  assert.is(await ratio.inputValue(), '1,000');
  await ratio.fill('1000');
  await apply.click();
  await page.getByText(text('保存成功', 'Saved')).waitFor();
  assert.equal(await stored(), [[1000, 0.5]]);
});

journey.run();
