/** B21 of console.md 10: the users, and what may be done to them. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';

const journey = journeys('the users');

journey('B21 users: adds to a balance once, and takes from it', async (visit) => {
  const { page, text, goTo, signIn, expectClean, site, daemon } = visit;
  const { id, username } = await site.addAccount();
  await signIn('root');
  await goTo(`/user?keyword=${username}`);
  await page.getByText(username).first().waitFor();
  await expectClean('found');
  await actOnRow(visit, username, text('额度', 'Quota'));
  const dialog = page.getByRole('dialog');
  const amount = dialog.getByRole('textbox').first();
  await amount.fill('-10.5');
  const confirm = dialog.getByRole('button', { name: text('确定', 'Confirm') });
  await confirm.click();
  await dialog.getByText(text('余额不能为负', 'The balance cannot become negative')).waitFor();
  // By keys: what stands there in between is no amount.
  await amount.fill('');
  await amount.pressSequentially('-1.5');
  await dialog.getByText('$8.50').waitFor();
  await dialog.getByLabel(text('原因', 'Reason')).fill('ticket 4711');
  await expectClean('what it comes to');
  // What was spent since the list was read is in the balance that the change leaves, and in what is said of it.
  await daemon.root.users.manage({ id, action: 'add_quota', mode: 'subtract', value: 1_000_000 });
  await confirm.click();
  await page.getByText('$8.00 − $1.50 = $6.50').waitFor();
  await untilPasses(async () => assert.is((await daemon.root.users.get({ id })).quota, 3_250_000));
  const { items } = await daemon.root.audits.list({ action: 'user.quota' });
  assert.ok(
    items.some(({ target, detail }) => target === `user:${id}` && JSON.stringify(detail).includes('ticket 4711')),
  );
});

journey.onDesktop('B21 users: saves nothing while a balance cannot be read', async (visit) => {
  const { page, text, goTo, signIn, expectClean, site, daemon } = visit;
  const { id } = await site.addAccount();
  await signIn('root');
  const drawer = page.getByRole('dialog');
  const submit = drawer.getByRole('button', { name: text('提交', 'Submit') });
  await goTo(`/user/edit/${id}`);
  await drawer.getByLabel(text('显示名称', 'Display name')).fill('Renamed');
  const quota = drawer.getByRole('textbox', { name: text('剩余额度', 'Remaining quota') });
  await quota.fill('ten');
  await submit.click();
  await drawer.getByText(text('请输入有效的金额', 'Enter a valid amount')).waitFor();
  await expectClean('unreadable');
  assert.is.not((await daemon.root.users.get({ id })).display_name, 'Renamed');
  await quota.fill('3');
  await submit.click();
  await page.getByText(text('用户信息更新成功！', 'Info updated')).waitFor();
  const { display_name, quota: balance } = await daemon.root.users.get({ id });
  assert.equal([display_name, balance], ['Renamed', 1_500_000]);
});

journey.onDesktop('B21 users: keeps notes about one, for administrators', async (visit) => {
  const { page, text, goTo, signIn, expectClean, site, daemon } = visit;
  const { id, username } = await site.addAccount();
  await signIn('root');
  await goTo(`/user?keyword=${username}`);
  await actOnRow(visit, username, text('编辑', 'Edit'));
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel(text('备注', 'Notes')).fill('pays by invoice');
  await expectClean('notes');
  await drawer.getByRole('button', { name: text('提交', 'Submit') }).click();
  await page.getByText(text('用户信息更新成功！', 'Info updated')).waitFor();
  assert.is((await daemon.root.users.get({ id })).notes, 'pays by invoice');
});

journey('B21 users: sets limits of one in the drawer', async (visit) => {
  const { page, text, goTo, signIn, expectClean, site, daemon } = visit;
  const { id, username } = await site.addAccount();
  await signIn('root');
  await goTo(`/user/edit/${id}`);
  const drawer = page.getByRole('dialog');
  const requests = drawer.getByLabel(text('每分钟请求数', 'Requests/min'));
  await requests.fill('many');
  await drawer.getByRole('button', { name: text('设置限流', 'Set limits') }).click();
  await drawer.getByText(text('请输入不小于 0 的整数', 'Enter whole numbers')).waitFor();
  await requests.fill('60');
  await drawer.getByLabel(text('并发数', 'Calls at once')).fill('3');
  await expectClean('limits');
  await requests.press('Enter');
  await page.getByText(text('限流已设置', 'Limits set')).waitFor();
  const kept = (await daemon.root.limits.list()).filter(({ on }) => on === `user:${username}`);
  assert.equal(
    kept.map(({ kind, limit }) => [kind, limit]),
    [
      ['rpm', 60],
      ['concurrency', 3],
    ],
  );
  await drawer.waitFor();
});

journey('B21 users: sets and takes back a ratio of one in the drawer', async (visit) => {
  const { page, text, site, daemon, signIn, goTo, expectClean } = visit;
  const { id } = await site.addAccount();
  const rules = async () =>
    (await daemon.root.rateRules.list())
      .filter(({ subject_kind, subject }) => subject_kind === 'user' && subject === String(id))
      .map(({ model, ratio }) => [model, ratio]);
  await signIn('admin');
  await goTo(`/user/edit/${id}`);
  const drawer = page.getByRole('dialog').first();
  const model = drawer.getByLabel(text('模型', 'Model'), { exact: true });
  const ratio = drawer.getByLabel(text('倍率', 'Ratio'), { exact: true });
  await model.fill('gpt-*-mini');
  await ratio.fill('-1');
  const set = drawer.getByRole('button', { name: text('设置倍率', 'Set ratio') });
  await set.click();
  await drawer.getByText(text('请输入模型名称；* 只能在末尾', 'Enter the name of a model')).waitFor();
  await model.fill('gpt-*');
  await set.click();
  await drawer.getByText(text('请输入不小于 0 的数字', 'Enter a number from 0')).waitFor();
  await ratio.fill('0.8');
  await ratio.press('Enter');
  await drawer.getByText('gpt-*', { exact: true }).waitFor();
  await expectClean('rates');
  assert.equal(await rules(), [['gpt-*', 0.8]]);
  const taken = drawer.getByRole('listitem').filter({ hasText: 'gpt-*' });
  await taken.getByRole('button').click();
  await page
    .getByRole('dialog')
    .last()
    .getByRole('button', { name: text('删除', 'Delete'), exact: true })
    .click();
  await drawer.getByText(text('没有费率规则', 'No rate rules')).waitFor();
  assert.equal(await rules(), []);
});

journey.onPhone('B21 users: disables one after asking, and says so in the row', async (visit) => {
  const { page, text, goTo, signIn, expectClean, site, daemon } = visit;
  const { id, username } = await site.addAccount();
  await signIn('root');
  await goTo(`/user?keyword=${username}`);
  await actOnRow(visit, username, text('禁用', 'Disable'));
  const question = page.getByRole('dialog');
  await question.getByText(username).waitFor();
  await expectClean('asked');
  await question.getByRole('button', { name: text('禁用用户', 'Disable user') }).click();
  await page.getByText(text('已封禁', 'Banned')).first().waitFor();
  await untilPasses(async () => assert.is((await daemon.root.users.get({ id })).status, 2));
});

journey('B21 users: ends all sessions of one after asking, and says what goes on', async (visit) => {
  const { page, text, goTo, signIn, expectClean, site, daemon } = visit;
  const account = await site.addAccount();
  const { id, username } = account;
  await site.signIn(account);
  const sessions = async () => (await daemon.root.sessions.list({ user_id: id })).length;
  assert.is(await sessions(), 1);
  await signIn('root');
  await goTo(`/user?keyword=${username}`);
  const label = text('结束全部会话', 'End all sessions');
  await actOnRow(visit, username, label);
  const question = page.getByRole('dialog').filter({ hasText: text('机器令牌', 'machine tokens') });
  await question.waitFor();
  await expectClean('asked');
  await question.getByRole('button', { name: label, exact: true }).click();
  await page.getByText(text('全部会话已结束', 'All sessions have ended')).waitFor();
  assert.is(await sessions(), 0);
});

journey.onDesktop(
  'B21 users: lets an administrator do nothing to another',
  async ({ page, text, goTo, signIn, expectClean }) => {
    await signIn('admin');
    await goTo('/user/edit/1');
    await page.getByRole('heading', { name: text('用户管理', 'Users') }).waitFor();
    await page.getByRole('alert').first().waitFor();
    await expectClean('refused');
  },
);

journey.onDesktop('B21 users: changes the own password only with the one before', async (visit) => {
  const { page, text, goTo, signIn, expectClean, daemon } = visit;
  await signIn('admin');
  // By whichever address: the calls for others refuse it.
  await goTo(`/user/edit/${(await daemon.root.users.search({ keyword: 'bob', page: 1, page_size: 10 })).items[0]?.id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel(text('密码', 'Password'), { exact: true }).fill('another good one');
  await drawer.getByRole('button', { name: text('提交', 'Submit'), exact: true }).click();
  await drawer.getByText(text('请输入当前密码', 'Enter the current password')).waitFor();
  await expectClean('asked for');
  await drawer.getByLabel(text('当前密码', 'Current password'), { exact: true }).fill('not the password');
  await drawer.getByRole('button', { name: text('提交', 'Submit'), exact: true }).click();
  await drawer.getByText(text('当前密码不正确', 'The current password is wrong')).waitFor();
});

journey.onDesktop('B21 users: shows role and status beside the acts on a small screen', async (visit) => {
  const { page, text, goTo, signIn } = visit;
  await signIn('root');
  const usual = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: 1280, height: 800 });
  try {
    await goTo('/user?keyword=alice');
    await page.getByText('alice').first().waitFor();
    const head = async (name: string) => page.getByRole('columnheader', { name, exact: true }).boundingBox();
    const status = await head(text('状态', 'Status'));
    const acts = await head(text('操作', 'Actions'));
    assert.ok(status && acts && status.x + status.width <= acts.x, 'the acts cover the status');
  } finally {
    await page.setViewportSize(usual);
  }
});

journey.onDesktop('B21 users: keeps an account to a budget, shows what is used, and lifts it', async (visit) => {
  const { page, text, goTo, signIn, expectClean, site, daemon } = visit;
  const { id } = await site.addAccount();
  const on = `user:${id}`;
  await signIn('root');
  await goTo(`/user/edit/${id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByText(text('未设置预算', 'No budget is set')).waitFor();
  // Behind the drawer; where nobody has a budget it would be a column of dashes.
  const column = page.locator('main th').filter({ hasText: text('预算', 'Budgets') });
  assert.is(await column.count(), 0);
  const limit = drawer.getByRole('textbox', { name: text('上限', 'Limit') });
  const set = drawer.getByRole('button', { name: text('设置预算', 'Set budget') });
  await set.click();
  await drawer.getByText(text('请输入大于 0 的整数', 'Enter a whole number above 0')).waitFor();
  await limit.fill('20');
  await limit.press('Enter');
  await drawer.getByText(text('每月 · 额度', 'Per month · Quota')).waitFor();
  await drawer.getByText('$20.00').first().waitFor();
  // The month ends by the clock of the server, not by that of this browser.
  await drawer.getByText(/-01 00:00:00.*UTC/).waitFor();
  await drawer.getByRole('progressbar').scrollIntoViewIfNeeded();
  await expectClean('set');
  const { items } = await daemon.root.budgets.list({ on });
  assert.equal(
    items.map(({ kind, per, limit }) => [kind, per, limit]),
    [['quota', 'month', 10_000_000]],
  );
  await column.waitFor();
  await drawer
    .getByRole('button', { name: text('删除每月额度预算？', 'Delete the budget: Quota, Per month?') })
    .click();
  const question = page.getByRole('dialog').last();
  await question.getByRole('button', { name: text('删除预算', 'Delete budget'), exact: true }).click();
  await drawer.getByText(text('未设置预算', 'No budget is set')).waitFor();
  await untilPasses(async () => assert.is((await daemon.root.budgets.list({ on })).total, 0));
  await column.waitFor({ state: 'detached' });
  await drawer.getByRole('button', { name: text('添加额度', 'Add quota'), exact: true }).click();
  await page.getByRole('dialog', { name: text('添加额度：', 'Add quota: ') }).waitFor();
  await expectClean('from the drawer to the balance');
});

journey.onDesktop('B21 users: shows who invited one beside the acts of the row, not beneath them', async (visit) => {
  const { page, text, goTo, signIn, site, expectClean } = visit;
  const inviter = await site.addAccount();
  const { username } = await site.addAccount({ username: 'invited_someone', display_name: 'Some One', group: 'vip' });
  await page.route('**/api/user/search?*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const figures = { inviter_id: inviter.id, aff_count: 12, aff_history_quota: 5_500_000 };
    for (const row of body.data.items) Object.assign(row, figures, { used_quota: 61_728_394, request_count: 12_345 });
    await route.fulfill({ json: body });
  });
  await signIn('root');
  await goTo(`/user?keyword=${username}`);
  const tag = page.getByText(text(`邀请人 ${inviter.id}`, `Invited by ${inviter.id}`), { exact: true });
  const act = page.getByRole('button', { name: text('编辑', 'Edit'), exact: true });
  const { x = 0, width = 0 } = (await tag.boundingBox()) ?? {};
  const edge = (await act.boundingBox())?.x ?? 0;
  assert.ok(x > 0 && x + width <= edge, `the tag ends at ${x + width}, the acts begin at ${edge}`);
  await expectClean('inviter');
});

journey.onDesktop('B21 users: says what is too short and too long before anything is sent', async (visit) => {
  const { page, text, goTo, signIn } = visit;
  await signIn('root');
  await goTo('/user');
  await page.getByRole('button', { name: text('添加用户', 'Add user') }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel(text('用户名', 'User name')).fill('newcomer');
  await drawer.getByLabel(text('显示名称', 'Display name')).fill('x'.repeat(21));
  await drawer.locator('input[type=password]').fill('short');
  await page.keyboard.press('Control+Enter');
  await drawer.getByText(text('最多 20 个字符', 'At most 20 characters')).waitFor();
  // Below its label, and again as what is wrong.
  assert.is(await drawer.getByText(text('最短 8 位', 'At least 8 characters')).count(), 2);
});

journey.onDesktop('B21 users: begins a new account with no group that the site does not have', async (visit) => {
  const { page, daemon, text, goTo, signIn } = visit;
  await daemon.root.options.set({ key: 'GroupRatio', value: JSON.stringify({ basic: 1, vip: 1 }) });
  await signIn('root');
  await goTo('/user');
  await page.getByRole('button', { name: text('添加用户', 'Add user') }).click();
  const drawer = page.getByRole('dialog');
  const group = drawer.getByRole('combobox', { name: text('分组', 'Group') });
  assert.is(await group.inputValue(), '');
  await drawer.getByLabel(text('用户名', 'User name')).fill('grouped');
  await drawer.locator('input[type=password]').fill('long enough');
  const create = drawer.getByRole('button', { name: text('创建', 'Create') });
  await create.click();
  await drawer.getByText(text('请填写此项', 'Fill this in')).waitFor();
  await group.click();
  await page.getByRole('option', { name: 'vip' }).click();
  await create.click();
  await drawer.waitFor({ state: 'detached' });
  const { items } = await daemon.root.users.search({ keyword: 'grouped' });
  assert.is(items[0]?.group, 'vip');
  await daemon.root.options.set({ key: 'GroupRatio', value: null });
});

journey.onDesktop(
  '3 the tips of a table tell of a button while the pointer is on it or on what is told',
  async (visit) => {
    const { page, text, signIn, goTo } = visit;
    await signIn('admin');
    await goTo('/user');
    const more = page.getByRole('button', { name: text('更多操作', 'More actions') }).first();
    const { x = 0, y = 0, width = 0, height = 0 } = (await more.boundingBox()) ?? {};
    const tip = page.getByRole('tooltip');
    // Onto the edge of the button, then onto the picture in it.
    await page.mouse.move(x + 2, y + height / 2);
    await page.mouse.move(x + width / 2, y + height / 2);
    await tip.waitFor();
    const told = (await tip.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(told.x + told.width / 2, told.y + told.height / 2);
    const isGone = await tip.waitFor({ state: 'detached', timeout: 500 }).then(
      () => true,
      () => false,
    );
    assert.not(isGone);
    await page.mouse.move(2, 2);
    await tip.waitFor({ state: 'detached' });
  },
);

journey.run();
