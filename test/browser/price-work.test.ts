/** Work on prices in the settings: versions, a list to take over, rate rules. */
import { journeys } from './journeys.ts';

const journey = journeys('price work', { isFresh: true });

journey.onDesktop('6.22 prices: sets a rate rule, takes a list over and goes back', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon, variant } = visit;
  await daemon.root.prices.set({ models: { house: { model_ratio: 1 } } });
  await signIn('admin');
  await goTo('/setting?tab=operation&section=prices&price=rates');
  await page.getByText(text('尚无费率规则', 'There are no rate rules yet')).waitFor();
  await page.getByRole('button', { name: text('添加规则', 'Add rule') }).click();
  const adding = page.getByRole('dialog', { name: text('添加规则', 'Add rule') });
  await adding.getByLabel(text('用户名或编号', 'Username or ID')).fill('nobody-at-all');
  await adding.getByLabel(text('模型', 'Model'), { exact: true }).fill('gpt-*');
  await adding.getByLabel(text('倍率', 'Ratio'), { exact: true }).fill('0.5');
  await adding.getByRole('button', { name: text('保存', 'Save') }).click();
  await adding.getByText(text('没有用户 nobody-at-all', 'There is no user nobody-at-all')).waitFor();
  await expectClean('rule');
  await adding.getByLabel(text('用户名或编号', 'Username or ID')).fill('root');
  await adding.getByRole('button', { name: text('保存', 'Save') }).click();
  await adding.waitFor({ state: 'hidden' });
  await page.getByText('root (1)').first().waitFor();
  const tester = page.getByRole('form', { name: text('哪条规则生效', 'Which rule wins') });
  await tester.getByLabel(text('用户名或编号', 'Username or ID')).fill('root');
  await tester.getByLabel(text('模型', 'Model'), { exact: true }).fill('gpt-4o');
  await tester.getByRole('button', { name: text('查询', 'Ask') }).click();
  await tester.getByText(text('规则 user:1 gpt-* 生效，倍率 0.5', 'Rule user:1 gpt-* wins, ratio 0.5')).waitFor();
  await expectClean('rules');

  await goTo('/setting?tab=operation&section=prices&price=versions');
  await page.getByRole('button', { name: text('同步价格', 'Sync prices') }).click();
  const dialog = page.getByRole('dialog', { name: text('从价格列表同步', 'Sync from a price list') });
  const list = { model_ratio: { 'gpt-4o': 2.5, 'brand-new': 1 }, completion_ratio: { 'gpt-4o': 4 } };
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'prices.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(list)),
  });
  await dialog.getByLabel(text('最大涨幅（%）', 'Largest rise (%)')).fill('50');
  const compare = dialog.getByRole('button', { name: text('查看变化', 'Show changes') });
  await compare.click();
  await dialog.getByText('gpt-4o +100%').waitFor();
  await expectClean('over');
  await dialog.getByLabel(text('最大涨幅（%）', 'Largest rise (%)')).fill('');
  await compare.click();
  await dialog.getByRole('button', { name: text('应用 2 项变化', 'Apply 2 changes') }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('prices.json').first().waitFor();
  await expectClean('versions');
  // The newest is how prices are: it cannot be gone back to.
  const act = text('回滚到此版本', 'Roll back to this');
  if (variant.size === 'phone') {
    await page
      .getByRole('button', { name: text('更多操作', 'More actions') })
      .last()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: act }).click();
  } else {
    await page.getByRole('button', { name: act }).last().click();
  }
  await page.getByText(text('全部价格将恢复', 'All prices become')).waitFor();
  await page.getByText(text('brand-new · 模型倍率', 'brand-new · model ratio')).waitFor();
  await expectClean('rollback');
  await page.getByRole('dialog').getByRole('button', { name: act }).click();
  await page.getByText(text('价格已恢复到版本 1', 'Prices are as at version 1 again')).first().waitFor();
});

journey.run();
