/** What was typed and not saved (console.md 4.3 rule 4, 6.22, 7.3): leaving it asks first, and it outlives a lost session. */
import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';
import { answerUnsaved, unsavedQuestion } from './unsaved-question.ts';

const journey = journeys('unsaved work', { isFresh: true });

/** Presses the browser's Back or Forward, and waits for the question. */
async function turnTo(visit: Journey, way: 'back' | 'forward'): Promise<void> {
  await visit.page.evaluate((which) => window.history[which](), way);
  await unsavedQuestion(visit).waitFor();
}

/** The session ends as on a server that forgot it; whoever was sent away signs in again. */
async function signInAgain(visit: Journey, act: () => Promise<void>) {
  const { page, text, context, expectFailure, settled } = visit;
  expectFailure('/api/', 401);
  await context.clearCookies();
  await act();
  await page.waitForURL('**/login?expired=true**');
  await fillSignIn(visit);
  await page.getByText(text('已恢复未保存的内容', 'Unsaved content restored')).waitFor();
  await settled();
}

async function fillSignIn({ page, text, site }: Journey): Promise<void> {
  await page.getByLabel(text('用户名或邮箱', 'User name or e-mail')).fill('root');
  await page.getByLabel(text('密码', 'Password'), { exact: true }).fill(site.accounts.root.password);
  await page.keyboard.press('Enter');
}

journey.onDesktop(
  '1.3 Esc, a press beside it and Back ask before what was typed into a dialog is lost',
  async (visit) => {
    const { page, text, signIn, goTo } = visit;
    const dialog = page.getByRole('dialog').first();
    const check = async (open: () => Promise<void>, field: Locator, typed: string, stays: () => Promise<void>) => {
      await open();
      await field.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await open();
      await field.fill(typed);
      await page.keyboard.press('Escape');
      await answerUnsaved(visit, 'stay');
      await stays();
      assert.is(await field.inputValue(), typed);
      await page.keyboard.press('Escape');
      await answerUnsaved(visit, 'discard');
      await dialog.waitFor({ state: 'detached' });
    };
    await signIn('root');
    await goTo('/token');
    await page.getByRole('link', { name: text('渠道', 'Channels'), exact: true }).click();
    const importing = async () => {
      await page
        .getByRole('button', { name: text('更多操作', 'More actions') })
        .first()
        .click();
      await page.getByRole('menuitem', { name: text('导入', 'Import') }).click();
    };
    await check(importing, dialog.getByLabel(text('文件内容', 'Content')), 'name,type\nfirst,1', async () => {
      await turnTo(visit, 'back');
      await answerUnsaved(visit, 'stay');
    });
    await goTo('/setting?tab=system&section=alerts');
    const adding = () => page.getByRole('button', { name: text('添加接收方', 'Add a target') }).click();
    await check(adding, dialog.getByLabel(text('名称', 'Name')), 'on call', async () => {
      await page.mouse.click(5, 5);
      await answerUnsaved(visit, 'stay');
    });
  },
);

journey.onDesktop(
  '7.3 Back asks before a channel that was changed is left, and leads on once it may be lost',
  async (visit) => {
    const { page, daemon, signIn, goTo, text, settled } = visit;
    const id = await daemon.addChannel({ name: 'first', base_url: 'http://127.0.0.1:9', models: 'm' });
    await signIn('root');
    await goTo('/channel');
    await page
      .getByRole('link', { name: text('编辑', 'Edit'), exact: true })
      .or(page.getByRole('button', { name: text('编辑', 'Edit'), exact: true }))
      .first()
      .click();
    const name = page.getByRole('dialog').getByLabel(text('名称', 'Name')).first();
    await name.waitFor();
    await settled();
    await name.fill('typed');
    await turnTo(visit, 'back');
    assert.is(page.url(), `${daemon.url}/channel/edit/${id}`);
    await answerUnsaved(visit, 'stay');
    assert.is(await name.inputValue(), 'typed');
    await turnTo(visit, 'back');
    await answerUnsaved(visit, 'discard');
    await untilPasses(() => assert.is(page.url(), `${daemon.url}/channel`));
    await name.waitFor({ state: 'detached' });
  },
);

journey.onDesktop('6.22 Forward asks before settings that were changed are left', async (visit) => {
  const { page, daemon, signIn, goTo, text, settled } = visit;
  await signIn('root');
  await goTo('/setting');
  await page
    .getByRole('link', { name: text('用户管理', 'Users') })
    .first()
    .click();
  await page.waitForURL('**/user');
  await settled();
  await page.goBack();
  const link = page.locator('[id="option-TopUpLink"] input');
  await link.fill('https://shop.example');
  // From one tab to another and back nothing is lost.
  await page.getByRole('tab', { name: text('其他设置', 'Other') }).click();
  await page.waitForURL('**/setting?tab=other');
  await page.goBack();
  await untilPasses(async () => assert.is(await link.inputValue(), 'https://shop.example'));
  await page
    .getByRole('link', { name: text('用户管理', 'Users') })
    .first()
    .click();
  await answerUnsaved(visit, 'discard');
  await page.waitForURL('**/user');
  await page.goBack();
  await link.fill('https://other.example');
  await turnTo(visit, 'forward');
  await answerUnsaved(visit, 'stay');
  assert.is(page.url(), `${daemon.url}/setting`);
  assert.is(await link.inputValue(), 'https://other.example');
  await turnTo(visit, 'forward');
  await answerUnsaved(visit, 'discard');
  await page.waitForURL('**/user');
});

journey.onDesktop(
  '4.3 what was typed over a channel and over settings is there again after the session was lost',
  async (visit) => {
    const { page, daemon, signIn, goTo, text } = visit;
    const id = await daemon.addChannel({
      name: 'first',
      base_url: 'http://127.0.0.1:9',
      models: 'm',
      setting: '{"timeout_connect":60,"pass_headers":["x-a"]}',
    });
    await signIn('root');
    await goTo(`/channel/edit/${id}`);
    const drawer = page.getByRole('dialog');
    const name = drawer.getByLabel(text('名称', 'Name')).first();
    await name.fill('typed');
    const seconds = drawer.getByLabel(text('连接超时（秒）', 'Seconds to connect'), { exact: true });
    await seconds.fill('30');
    const headers = drawer.getByLabel(text('透传的请求头', 'Headers passed on'), { exact: true });
    await headers.fill('x-a, x-b');
    await signInAgain(visit, () => page.keyboard.press('Control+Enter'));
    assert.is(page.url(), `${daemon.url}/channel/edit/${id}`);
    assert.is(await name.inputValue(), 'typed');
    assert.is(await seconds.inputValue(), '30');
    assert.is(await headers.inputValue(), 'x-a, x-b');
    await page.keyboard.press('Control+Enter');
    await drawer.waitFor({ state: 'detached' });
    assert.is((await daemon.root.channels.get({ id })).name, 'typed');

    await goTo('/setting');
    const link = page.locator('[id="option-TopUpLink"] input');
    await link.fill('https://shop.example');
    await page.locator('[id="option-RetryTimes"] input').fill('3');
    await signInAgain(visit, () => page.keyboard.press('Control+s'));
    assert.is(await link.inputValue(), 'https://shop.example');
    assert.is(await page.locator('[id="option-RetryTimes"] input').inputValue(), '3');
  },
);

journey.onDesktop(
  '4.3 what was typed is there again after another tab heard that the session was lost',
  async (visit) => {
    const { page, context, daemon, signIn, goTo, text } = visit;
    const id = await daemon.addChannel({ name: 'first', base_url: 'http://127.0.0.1:9', models: 'm' });
    await signIn('root');
    await goTo(`/channel/edit/${id}`);
    const name = page.getByRole('dialog').getByLabel(text('名称', 'Name')).first();
    await name.fill('typed');
    await signInAgain(visit, async () => {
      const other = await context.newPage();
      await other.goto(`${daemon.url}/token`);
      // Without "expired" where the first tab asked for something meanwhile, and this one began when all was over.
      await other.waitForURL('**/login?**');
      await other.close();
    });
    assert.is(await name.inputValue(), 'typed');
  },
);

journey.onDesktop(
  '4.3 prices that were edited are there again after the session was lost, but for those that others changed meanwhile',
  async (visit) => {
    const { page, daemon, signIn, goTo, text } = visit;
    await daemon.root.prices.set({ models: { 'zz-house': { model_ratio: 1 }, 'zz-taken': { model_ratio: 1 } } });
    await signIn('root');
    await goTo('/setting?tab=operation&section=prices&price=visual');
    const search = page.getByRole('textbox', { name: text('搜索模型名称', 'Search models') });
    const ratio = (name: string) => page.getByRole('textbox', { name: `${name}: ${text('模型倍率', 'Ratio')}` });
    const apply = page.getByRole('button', { name: text('应用更改', 'Apply'), exact: true });
    await search.fill('zz-');
    await ratio('zz-house').fill('2.5');
    await ratio('zz-taken').fill('2.5');
    await page.keyboard.press('Enter');
    await daemon.root.prices.set({ models: { 'zz-taken': { model_ratio: 4 } } });
    await signInAgain(visit, () => apply.click());
    await page.getByText(text('未恢复', 'not restored')).waitFor();
    await search.fill('zz-');
    assert.equal([await ratio('zz-house').inputValue(), await ratio('zz-taken').inputValue()], ['2.5', '4']);
    await apply.click();
    await page.getByText(text('保存成功', 'Saved')).waitFor();
    const stored = (await daemon.root.options.list()).find(({ key }) => key === 'ModelRatio');
    const { 'zz-house': house, 'zz-taken': taken } = JSON.parse(stored?.value ?? '{}');
    assert.equal([house, taken], [2.5, 4]);
  },
);

journey.onDesktop('4.3 what is no number in the table of prices is there again, too', async (visit) => {
  const { page, daemon, signIn, goTo, text } = visit;
  await daemon.root.prices.set({ models: { 'zz-house': { model_ratio: 1 } } });
  await signIn('root');
  await goTo('/setting?tab=operation&section=prices&price=visual');
  const search = page.getByRole('textbox', { name: text('搜索模型名称', 'Search models') });
  const ratio = page.getByRole('textbox', { name: `zz-house: ${text('模型倍率', 'Ratio')}` });
  await search.fill('zz-');
  await ratio.fill('1.2.3');
  await page.keyboard.press('Enter');
  await page.locator('[id="option-RetryTimes"] input').fill('3');
  // Its complaint of the price and the end of the session come in the same moment.
  await signInAgain(visit, () => page.keyboard.press('Control+s'));
  await search.fill('zz-');
  assert.is(await ratio.inputValue(), '1.2.3');
});

journey.onDesktop(
  '4.3 a note that is brought back after the session was lost brings no old balance with it',
  async (visit) => {
    const { page, daemon, site, signIn, goTo, text } = visit;
    const { id } = await site.addAccount({ username: 'spender', quota: 5_000_000 });
    await signIn('root');
    await goTo(`/user/edit/${id}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel(text('备注', 'Notes')).fill('pays by invoice');
    await daemon.root.users.manage({ id, action: 'add_quota', value: 1_000_000, mode: 'subtract' });
    await signInAgain(visit, () => page.keyboard.press('Control+Enter'));
    await page.keyboard.press('Control+Enter');
    await drawer.waitFor({ state: 'detached' });
    const user = await daemon.root.users.get({ id });
    assert.equal([user.notes, user.quota], ['pays by invoice', 4_000_000]);
  },
);

journey.onDesktop(
  '7.11 a question of before another tab signed out is refused, and later ones are asked',
  async (visit) => {
    const { page, context, daemon, signIn, goTo, text, settled } = visit;
    await daemon.addChannel({ name: 'first', base_url: 'http://127.0.0.1:9', models: 'm' });
    await signIn('root');
    await goTo('/channel');
    const act = page.getByRole('button', { name: text('删除渠道', 'Delete channel') });
    await actOnRow(visit, 'first', text('删除', 'Delete'));
    await act.waitFor();
    const other = await context.newPage();
    await other.goto(`${daemon.url}/token`);
    await other.getByRole('button', { name: 'root' }).first().click();
    await other.getByRole('menuitem', { name: text('退出', 'Sign out') }).click();
    await page.waitForURL('**/login**');
    await act.waitFor({ state: 'detached' });
    await other.close();
    await fillSignIn(visit);
    await page.waitForURL('**/channel');
    await settled();
    await actOnRow(visit, 'first', text('删除', 'Delete'));
    await act.click();
    await untilPasses(async () => assert.is((await daemon.root.channels.list({})).total, 0));
  },
);

journey.run();
