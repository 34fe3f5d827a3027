/** B12 of console.md 10: the keys with which applications call. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';

const journey = journeys('the tokens');

async function beginToken({ page, text, goTo }: Journey): Promise<void> {
  await goTo('/token');
  await page
    .getByRole('button', { name: text('添加令牌', 'Add token') })
    .first()
    .click();
}

journey('B12 tokens: makes one, connects a program with it, disables and deletes it', async (visit) => {
  const { page, context, text, signIn, expectClean, site, daemon } = visit;
  await daemon.addChannel({ name: 'a', base_url: visit.upstream.url, models: 'claude-sonnet-4-5' });
  await signIn(await site.addAccount());
  await beginToken(visit);
  const dialog = page.getByRole('dialog');
  const submit = dialog.getByRole('button', { name: text('提交', 'Submit') });
  await submit.click();
  await dialog.getByText(text('请输入令牌名称！', 'Please enter a name')).waitFor();
  await dialog.getByText(text('服务器看到的你的地址：127.0.0.1', 'Your address as seen: 127.0.0.1')).waitFor();
  const name = dialog.getByRole('textbox', { name: text('名称', 'Name'), exact: true });
  await name.fill('laptop');
  // An amount that was emptied is none of a token without a limit.
  await dialog.getByRole('textbox', { name: text('额度', 'Quota'), exact: true }).fill('');
  await submit.click();
  await dialog.getByText(text('请填写此项', 'This field is required')).waitFor();
  await dialog.getByRole('switch', { name: text('设为无限额度', 'Unlimited') }).click();
  await dialog.getByText(text('请填写此项', 'This field is required')).waitFor({ state: 'hidden' });
  await expectClean('drawer');
  const more = dialog.getByText(text('更多设置', 'More settings'));
  await more.click();
  await dialog
    .getByRole('textbox', { name: text('模型映射', 'Model names') })
    .fill('{"fast": "again", "again": "fast"}');
  // The refusal opens again what it is about.
  await more.click();
  await submit.click();
  await dialog.getByText(text('模型映射："fast" 形成循环', 'Model mapping: "fast" leads in a circle')).waitFor();
  await dialog.getByText(text('表格', 'Table'), { exact: true }).click();
  await dialog.getByRole('combobox', { name: text('第 1 行的目标名称', 'Row 1: to') }).fill('claude-sonnet-4-5');
  await page.keyboard.press('Escape');
  await expectClean('names');
  await submit.click();
  await dialog.getByText(text('令牌「laptop」已创建', 'Token "laptop" created')).waitFor();
  await expectClean('created');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialog.getByRole('button', { name: text('复制命令', 'Copy command') }).click();
  const [address, key = ''] = await page.evaluate(async () => {
    const command = await navigator.clipboard.readText();
    return /^curl (\S+) -H "Authorization: Bearer (sk-\w+)"$/.exec(command)?.slice(1) ?? [command];
  });
  const answer = await fetch(address ?? '', { headers: { authorization: `Bearer ${key}` } });
  assert.is(answer.status, 200, 'the command works as it was copied');
  assert.is(await dialog.getByText(key).count(), 0, 'the key is on screen only when asked for');
  await dialog.getByRole('button', { name: text('完成', 'Done') }).click();

  await actOnRow(visit, 'laptop', text('接入程序', 'Connect a program'));
  const settings = dialog.locator('pre');
  await settings.getByText('claude --model claude-sonnet-4-5').waitFor();
  assert.match(await settings.innerText(), 'ANTHROPIC_AUTH_TOKEN=sk-…');
  await dialog.getByRole('button', { name: text('显示密钥', 'Show key') }).click();
  assert.match(await settings.innerText(), /ANTHROPIC_AUTH_TOKEN=sk-\w{40,}/);
  await expectClean('connected');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  // The rows of before stay when the list cannot be read again.
  const rows = '**/api/token/?*';
  await page.route(rows, (route) => route.fulfill({ json: { success: false, message: 'not now', code: 'busy' } }));
  await page.locator('[data-refresh]').click();
  const refused = page.getByRole('alert').filter({ hasText: text('刷新失败', 'Refresh failed') });
  await refused.getByText(text('错误：not now', 'Error: not now')).waitFor();
  assert.is(await page.getByText('laptop', { exact: true }).count(), 1);
  await page.unroute(rows);
  await refused.getByRole('button', { name: text('重试', 'Retry') }).click();
  await refused.waitFor({ state: 'detached' });

  await actOnRow(visit, 'laptop', text('禁用', 'Disable'));
  await page.getByText(text('令牌已禁用', 'Token disabled')).first().waitFor();
  await actOnRow(visit, 'laptop', text('删除', 'Delete'));
  await dialog.getByRole('button', { name: text('删除令牌', 'Delete token') }).click();
  await untilPasses(async () => assert.is(await page.getByText('laptop', { exact: true }).count(), 0));
});

journey.onDesktop('B12 tokens: has nothing selected that is deleted since', async (visit) => {
  const { page, text, goTo, signIn, site, daemon, variant } = visit;
  const { user } = await signIn(await site.addAccount());
  for (const name of ['laptop', 'phone']) {
    const data = { name, expired_time: -1, unlimited_quota: true };
    const headers = { 'Tollgate-User': String(user.id) };
    assert.ok((await page.request.post(`${daemon.url}/api/token/`, { data, headers })).ok());
  }
  await goTo('/token');
  await page.getByRole('button', { name: text('复制所选', 'Copy selected') }).click();
  await page.getByText(text('请至少选择一个令牌！', 'Please select at least one token')).waitFor();
  if (variant.size === 'phone') await page.getByRole('button', { name: text('选择', 'Select'), exact: true }).click();
  const boxes = page.getByRole('checkbox', { name: text('选择此行', 'Select this row') });
  await boxes.first().check();
  await boxes.last().check();
  await page.getByText(text('已选 2 项', '2 selected')).waitFor();
  await actOnRow(visit, 'laptop', text('删除', 'Delete'));
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('删除令牌', 'Delete token') })
    .click();
  await page.getByText(text('已选 1 项', '1 selected')).waitFor();
});

/** Opens the list of somebody new who has a key of that name. */
async function goToOwnToken({ page, goTo, signIn, site, daemon }: Journey, name: string): Promise<void> {
  const { user } = await signIn(await site.addAccount());
  const data = { name, expired_time: -1, unlimited_quota: true };
  const headers = { 'Tollgate-User': String(user.id) };
  assert.ok((await page.request.post(`${daemon.url}/api/token/`, { data, headers })).ok());
  await goTo('/token');
}

journey.onDesktop('B12 tokens: takes a double click on an act as one', async (visit) => {
  const { page, text, settled } = visit;
  await goToOwnToken(visit, 'desk');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.postData() ?? '');
  });
  await page.getByRole('button', { name: text('禁用', 'Disable'), exact: true }).dblclick();
  await page.getByRole('button', { name: text('启用', 'Enable'), exact: true }).waitFor();
  await settled();
  assert.is(sent.length, 1, sent.join('\n'));
});

journey.onPhone('B12 tokens: offers acts on several once some are selected', async (visit) => {
  const { page, text, expectClean } = visit;
  await goToOwnToken(visit, 'pocket');
  await page.getByRole('button', { name: text('选择', 'Select'), exact: true }).tap();
  const bar = page.getByRole('group', { name: text('所选项的操作', 'Actions on the selection') });
  await bar.waitFor();
  const remove = bar.getByRole('button', { name: text('删除', 'Delete'), exact: true });
  assert.is(await remove.count(), 0);
  await page.locator('[data-row]').tap();
  await remove.waitFor();
  await expectClean('selected');
});

journey.onDesktop('B12 tokens: shows what a search finds page by page', async (visit) => {
  const { page, text, goTo, signIn, site, daemon } = visit;
  const { user } = await signIn(await site.addAccount());
  const headers = { 'Tollgate-User': String(user.id) };
  for (const name of ['desk', ...Array.from({ length: 12 }, (_, place) => `worker ${place}`)]) {
    const data = { name, expired_time: -1, unlimited_quota: true };
    assert.ok((await page.request.post(`${daemon.url}/api/token/`, { data, headers })).ok());
  }
  await goTo('/token?keyword=worker');
  const found = page.locator('[data-row]').filter({ hasText: 'worker' });
  await found.first().waitFor();
  assert.is(await found.count(), 10);
  await page.getByText(text('共 12 条', '12 in total')).waitFor();
  await page.getByRole('button', { name: text('下一页', 'Next') }).click();
  await page.getByText('worker 0', { exact: true }).waitFor();
  assert.is(await found.count(), 2);
});

journey.onDesktop('B12 tokens: says when a search finds more than it shows', async (visit) => {
  const { page, text, goTo, signIn, site, daemon } = visit;
  const { user } = await signIn(await site.addAccount());
  const headers = { 'Tollgate-User': String(user.id) };
  for (let place = 1; place <= 102; place += 1) {
    const data = { name: `worker ${place}`, expired_time: -1, unlimited_quota: true };
    assert.ok((await page.request.post(`${daemon.url}/api/token/`, { data, headers })).ok());
  }
  await goTo('/token?keyword=worker');
  await page.getByText(text('共 100 条', '100 in total')).waitFor();
  await page.getByText(text('共找到 102 个令牌', 'The newest 100 of 102 keys found')).waitFor();
  await goTo('/token?keyword=worker%201');
  await page.getByText(text('共 14 条', '14 in total')).waitFor();
  assert.is(await page.getByText(text('共找到', 'keys found')).count(), 0);
});

journey.onDesktop('B12 tokens: makes each of several once, though they are stopped and continued', async (visit) => {
  const { page, text, signIn, site } = visit;
  await signIn(await site.addAccount());
  let asked = 0;
  await page.route('**/api/token/', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    asked += 1;
    if (asked !== 2) return route.continue();
    // Made, but nobody hears of it: the answer comes after the stop.
    const response = await route.fetch();
    await page.getByRole('button', { name: text('停止', 'Stop'), exact: true }).click();
    await page.getByRole('button', { name: text('继续', 'Continue'), exact: true }).waitFor();
    return route.fulfill({ response }).catch(() => undefined);
  });
  await beginToken(visit);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: text('名称', 'Name'), exact: true }).fill('worker');
  await dialog.getByRole('textbox', { name: text('新建数量', 'Count') }).fill('3');
  await dialog.getByRole('button', { name: text('提交', 'Submit') }).click();
  await dialog.getByRole('button', { name: text('继续', 'Continue'), exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.is(asked, 4);
  await untilPasses(async () => assert.is(await page.getByText(/^worker/).count(), 3));
});

journey.onDesktop('7.5 amounts are read anew in the unit that was meant', async (visit) => {
  const { page, text, signIn, site } = visit;
  await signIn(await site.addAccount());
  await beginToken(visit);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: text('名称', 'Name'), exact: true }).fill('dollars');
  await drawer.getByRole('button', { name: text('以额度输入', 'Enter quota') }).click();
  await drawer.getByRole('textbox', { name: text('额度', 'Quota'), exact: true }).fill('1.5');
  await drawer.getByRole('button', { name: text('以美元输入', 'Enter dollars') }).click();
  await drawer.getByText('750,000').waitFor();
  await drawer.getByRole('button', { name: text('提交', 'Submit') }).click();
  await drawer.getByText(text('令牌「dollars」已创建', 'Token "dollars" created')).waitFor();
});

journey.run();
