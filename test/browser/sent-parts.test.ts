/** What is sent beside a page: dialogs until their answer is here, and parts of a drawer that have buttons of their own. */
import * as assert from 'uvu/assert';
import { gate } from '../support/gate.ts';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';
import { answerUnsaved } from './unsaved-question.ts';

const journey = journeys('what is sent beside a page');

journey.onDesktop(
  'a dialog that sends stays until its answer, and says in itself that it was refused',
  async (visit) => {
    const { page, text, goTo, signIn, expectFailure } = visit;
    await signIn('root');
    await goTo('/setting?tab=operation&section=prices&price=rates');
    await page.getByRole('button', { name: text('添加规则', 'Add rule') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(text('用户名或编号', 'Username or ID')).fill('1');
    await dialog.getByLabel(text('模型', 'Model'), { exact: true }).fill('gpt-*');
    await dialog.getByLabel(text('倍率', 'Ratio'), { exact: true }).fill('0.5');
    const { open: answer, opened: late } = gate();
    await page.route('**/api/rate_rule/', async (route) => {
      await late;
      await route.fulfill({ status: 500, json: { success: false, message: '' } });
    });
    expectFailure('/api/rate_rule/', 500);
    const sent = page.waitForRequest('**/api/rate_rule/');
    await dialog.getByLabel(text('倍率', 'Ratio'), { exact: true }).press('Enter');
    await sent;
    await page.keyboard.press('Escape');
    assert.ok(await dialog.getByRole('button', { name: text('取消', 'Cancel') }).isDisabled());
    answer();
    await dialog.getByRole('alert').waitFor();
    assert.is(await dialog.getByLabel(text('倍率', 'Ratio'), { exact: true }).inputValue(), '0.5');
    await page.keyboard.press('Escape');
    await answerUnsaved(visit, 'discard');
    await dialog.waitFor({ state: 'detached' });
  },
);

journey.onDesktop('a channel whose copy is chosen again before it is there is copied once', async (visit) => {
  const { page, text, goTo, signIn, daemon, upstream } = visit;
  await daemon.addChannel({ name: 'twin', base_url: upstream.url, models: 'm', key: 'sk-a' });
  await signIn('root');
  await goTo('/channel?keyword=twin');
  const { open: release, opened: late } = gate();
  await page.route('**/api/channel/copy/**', async (route) => {
    await late;
    await route.continue();
  });
  const sent = page.waitForRequest('**/api/channel/copy/**');
  await actOnRow(visit, 'twin', text('复制', 'Copy'));
  await sent;
  await actOnRow(visit, 'twin', text('复制', 'Copy'));
  release();
  await page.getByText(text('渠道复制成功', 'Channel copied')).first().waitFor();
  await page.waitForLoadState('networkidle');
  assert.is((await daemon.root.channels.search({ keyword: 'twin' })).items.length, 2);
});

journey.onDesktop('a balance whose answer comes late leaves the dialog of another user open', async (visit) => {
  const { page, text, goTo, signIn, site, daemon } = visit;
  const { id, username } = await site.addAccount();
  await signIn('root');
  await goTo(`/user?keyword=${username}`);
  await page.getByRole('button', { name: text('额度', 'Quota'), exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').first().fill('1');
  const { open: release, opened: late } = gate();
  await page.route('**/api/user/manage', async (route) => {
    await late;
    await route.continue();
  });
  const sent = page.waitForRequest('**/api/user/manage');
  await dialog.getByRole('button', { name: text('确定', 'Confirm') }).click();
  await sent;
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: text('关闭', 'Close') }).click();
  assert.is(await dialog.count(), 1);
  release();
  await dialog.waitFor({ state: 'detached' });
  await untilPasses(async () => assert.is((await daemon.root.users.get({ id })).quota, 5_500_000));
});

journey(
  'a drawer neither goes nor saves the rest over a budget or a limit that was typed and not set',
  async (visit) => {
    const { page, text, goTo, signIn, expectClean, site, daemon } = visit;
    const { id } = await site.addAccount();
    await signIn('root');
    await goTo(`/user/edit/${id}`);
    const drawer = page.getByRole('dialog').first();
    const limit = drawer.getByRole('textbox', { name: text('上限', 'Limit') });
    await limit.fill('20');
    await drawer.getByLabel(text('显示名称', 'Display name')).fill('Renamed');
    const submit = drawer.getByRole('button', { name: text('提交', 'Submit'), exact: true });
    await submit.click();
    await drawer
      .getByRole('alert')
      .filter({ hasText: text('「设置预算」', '"Set budget"') })
      .waitFor();
    assert.is.not((await daemon.root.users.get({ id })).display_name, 'Renamed');
    await expectClean('not set');
    await drawer.getByRole('button', { name: text('设置预算', 'Set budget') }).click();
    await drawer.getByText('$20.00').first().waitFor();

    const requests = drawer.getByLabel(text('每分钟请求数', 'Requests/min'));
    await requests.fill('60');
    await drawer.getByText(text('每分钟请求数', 'Requests/min')).click();
    await page.keyboard.press('Escape');
    await answerUnsaved(visit, 'stay');
    await submit.click();
    await drawer
      .getByRole('alert')
      .filter({ hasText: text('「设置限流」', '"Set limits"') })
      .waitFor();
    await requests.fill('');
    await submit.click();
    await page.getByText(text('用户信息更新成功！', 'Info updated')).waitFor();
    assert.is((await daemon.root.users.get({ id })).display_name, 'Renamed');
  },
);

journey.onDesktop(
  'a rate rule that is there already is not replaced by adding it, and no wrong key is left out',
  async (visit) => {
    const { page, text, goTo, signIn, expectClean, daemon } = visit;
    await daemon.root.rateRules.set({ subject_kind: 'user', subject: 1, model: 'known-*', ratio: 0.5 });
    await signIn('root');
    await goTo('/setting?tab=operation&section=prices&price=rates');
    await page.getByText('known-*').waitFor();
    await page.getByRole('button', { name: text('添加规则', 'Add rule') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(text('用户名或编号', 'Username or ID')).fill('root');
    await dialog.getByLabel(text('模型', 'Model'), { exact: true }).fill('known-*');
    const ratio = dialog.getByLabel(text('倍率', 'Ratio'), { exact: true });
    await ratio.fill('3');
    await ratio.press('Enter');
    await dialog.getByText(text('已有此规则，倍率 0.5', 'There is a rule for this already, ratio 0.5')).waitFor();
    await expectClean('known');
    assert.equal(
      (await daemon.root.rateRules.list({})).filter(({ model }) => model === 'known-*').map(({ ratio }) => ratio),
      [0.5],
    );
    await page.keyboard.press('Escape');
    await answerUnsaved(visit, 'discard');
    const tester = page.getByRole('form', { name: text('哪条规则生效', 'Which rule wins') });
    await tester.getByLabel(text('令牌编号', 'ID of the key')).fill('laptop');
    await tester.getByLabel(text('模型', 'Model'), { exact: true }).fill('known-1');
    await tester.getByRole('button', { name: text('查询', 'Ask') }).click();
    await tester.getByText(text('请输入数字形式的令牌编号', 'Enter the ID of the key')).waitFor();
  },
);

journey.onDesktop(
  'a rate rule that somebody else changed or removed meanwhile is not saved over unseen',
  async (visit) => {
    const { page, text, goTo, signIn, expectClean, daemon } = visit;
    const rule = { subject_kind: 'user', subject: 1, model: 'rival-*' } as const;
    const stored = async () => (await daemon.root.rateRules.list({})).find(({ model }) => model === rule.model);
    await daemon.root.rateRules.set({ ...rule, ratio: 0.5 });
    await signIn('root');
    await goTo('/setting?tab=operation&section=prices&price=rates');
    const edit = page
      .getByRole('row')
      .filter({ hasText: 'rival-*' })
      .getByRole('button', { name: text('编辑', 'Edit') });
    const dialog = page.getByRole('dialog');
    const ratio = dialog.getByLabel(text('倍率', 'Ratio'), { exact: true });
    await edit.click();
    await ratio.fill('0.9');
    await daemon.root.rateRules.set({ ...rule, ratio: 0.7 });
    await ratio.press('Enter');
    await dialog.getByText(text('已被 root 改为 0.7', 'Changed by root meanwhile, to 0.7')).waitFor();
    await expectClean('moved');
    assert.is((await stored())?.ratio, 0.7);
    await ratio.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const { id = 0, ratio: saved } = (await stored()) ?? {};
    assert.is(saved, 0.9);
    await edit.click();
    await ratio.fill('0.8');
    await daemon.root.rateRules.delete({ id });
    await ratio.press('Enter');
    await dialog.getByText(text('规则已被删除', 'Removed meanwhile')).waitFor();
    assert.is(await stored(), undefined);
    await ratio.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.is((await stored())?.ratio, 0.8);
  },
);

journey.onDesktop('a model mapping is edited as a table up to a hundred rows, as JSON beyond', async (visit) => {
  const { page, text, goTo, signIn, expectClean, daemon, upstream } = visit;
  const rows = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, `b${at}`])));
  const id = await daemon.addChannel({ name: 'mapped', base_url: upstream.url, models: 'm', model_mapping: rows(101) });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const drawer = page.getByRole('dialog').first();
  await drawer.getByText(text('超过 100 行', 'More than 100 rows')).waitFor();
  const table = drawer.getByRole('radio', { name: text('表格', 'Table') });
  assert.ok(await table.isDisabled());
  await expectClean('as JSON');
  await drawer.getByRole('textbox', { name: text('模型重定向', 'Model mapping') }).fill(rows(3));
  await drawer.getByText(text('表格', 'Table'), { exact: true }).click();
  await drawer.getByLabel(text('第 2 行的目标名称', 'Row 2: to')).fill('other');
  await drawer.getByRole('button', { name: text('移除第 1 行', 'Remove row 1') }).click();
  await drawer.getByRole('button', { name: text('提交', 'Submit'), exact: true }).click();
  await page.getByText(text('渠道更新成功！', 'Channel updated')).waitFor();
  const { model_mapping } = await daemon.root.channels.get({ id });
  assert.equal(JSON.parse(model_mapping ?? ''), { a1: 'other', a2: 'b2' });
});

journey.run();
