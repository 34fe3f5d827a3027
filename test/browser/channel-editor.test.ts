/** The extra settings of a channel in their form (console.md 6.9), and what its row shows of it. Runs once: the database is no matter here. */
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';
import { startSite } from './site.ts';

const journey = journeys('the editor of channels', { open: startSite });

journey.onDesktop('adds extra settings one after another, and submits nothing by a search', async (visit) => {
  const { page, text, signIn, goTo, expectClean, settled, daemon, upstream } = visit;
  const id = await daemon.addChannel({ name: 'edited', base_url: upstream.url, models: 'm', setting: '{"proxy":""}' });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const drawer = page.getByRole('dialog').first();
  const search = drawer.getByPlaceholder(text('添加一项设置', 'Add a setting'));
  await search.fill('timeout_connect');
  const found = page.getByRole('option', { name: '(timeout_connect)' });
  await found.waitFor();
  await page.keyboard.press('ArrowDown');
  await found.and(page.locator('[data-combobox-selected]')).waitFor();
  await page.keyboard.press('Enter');
  await drawer.getByText(text('连接超时（秒）', 'Seconds to connect')).waitFor();
  assert.is(await search.inputValue(), '', 'ready for the next one');
  await expectClean('added');
  await search.fill('no such setting');
  await page.keyboard.press('Enter');
  await settled();
  assert.is(await drawer.count(), 1, 'still being edited');
  const { database } = daemon.daemon.foundation;
  const { items: looks } = await database.stores.audits.list({ action: 'channel.key_read' }, { offset: 0, limit: 1 });
  assert.equal(looks, [], 'no key has left the server');
  await drawer
    .getByRole('button', { name: text('显示', 'Show') })
    .first()
    .waitFor();
  const { setting } = await daemon.root.channels.get({ id });
  assert.is(setting, '{"proxy":""}', 'not saved');
  await page.keyboard.press('Escape');
  await goTo('/channel');
  const row = page.getByRole('row').filter({ hasText: 'edited' });
  await row.waitFor();
  assert.is(await row.getByText(text('代理', 'Proxy')).count(), 0, 'an empty address is no proxy');
});

journey.onDesktop('takes a model that is typed with an input method once it stands in the field', async (visit) => {
  const { page, signIn, goTo } = visit;
  await signIn('root');
  await goTo('/channel/add');
  const field = page.locator('input[data-path=models]');
  await field.fill('my-own-model');
  const chosen = page.locator('.mantine-Pill-root').filter({ hasText: 'my-own-model' });
  await field.evaluate((input) =>
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })),
  );
  assert.is(await chosen.count(), 0);
  await field.press('Enter');
  await chosen.waitFor();
});

journey.onDesktop('calls a switch that is null, which counts as absent, neither on nor off', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon, upstream } = visit;
  const setting = '{"force_format":null,"untrusted":false}';
  const id = await daemon.addChannel({ name: 'unset', base_url: upstream.url, models: 'm', setting });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const chosen = (zh: string, en: string) =>
    page.getByRole('radiogroup', { name: text(zh, en) }).getByRole('radio', { checked: true });
  await chosen('不受信任', 'Not trusted').waitFor({ state: 'attached' });
  assert.is(await chosen('强制标准格式', 'Standard fields only').count(), 0);
  await expectClean('unset');
});

journey('edits the operations of an override, looks at what they make of a sample, and applies them', async (visit) => {
  const { page, text, signIn, goTo, expectClean, expectFailure, daemon, upstream } = visit;
  const saved = { name: 'overridden', base_url: upstream.url, models: 'm', param_override: '{"temperature":0}' };
  const id = await daemon.addChannel(saved);
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const open = page.getByRole('button', { name: text('编辑操作', 'Edit operations'), exact: true });
  await open.click();
  const dialog = page.getByRole('dialog', { name: text('参数覆盖操作', 'Operations of the override') });
  const operation = (place: number) =>
    dialog.getByRole('group', { name: text(`操作 ${place}`, `Operation ${place}`), exact: true });
  const path = (place: number) => operation(place).getByRole('textbox', { name: text('路径', 'Path'), exact: true });
  assert.is(await path(1).inputValue(), 'temperature', 'the member of a plain object');

  await dialog.getByRole('button', { name: text('添加操作', 'Add an operation') }).click();
  const mode = operation(2).getByLabel(text('方式', 'Mode'), { exact: true }).first();
  await mode.click();
  await page.getByRole('option', { name: '(ensure_suffix)' }).click();
  await path(2).fill('..');
  await operation(2)
    .getByRole('textbox', { name: text('值', 'Value'), exact: true })
    .fill('-latest');
  expectFailure('/api/channel/override/preview', 400);
  await dialog.getByRole('button', { name: text('预览', 'Preview'), exact: true }).click();
  await operation(2)
    .getByText(/messages\.0\.content/)
    .waitFor();
  assert.is(await path(2).evaluate((field) => field === document.activeElement), true, 'the field that is refused');
  await path(2).fill('model');
  await operation(2)
    .getByRole('button', { name: text('上移操作 2', 'Move operation 2 up') })
    .click();
  assert.is(await path(1).inputValue(), 'model');
  const down = operation(1).getByRole('button', { name: text('下移操作 1', 'Move operation 1 down') });
  assert.is(await down.evaluate((button) => button === document.activeElement), true, 'what can still be pressed');

  await operation(1)
    .getByRole('button', { name: text('添加条件', 'Add a condition') })
    .click();
  const condition = operation(1).getByRole('group', { name: text('条件 1', 'Condition 1'), exact: true });
  await condition.getByRole('textbox', { name: text('读取的路径', 'Path to read') }).fill('user_group');
  await condition.getByRole('textbox', { name: text('值（JSON）', 'Value (JSON)') }).fill('vip');
  const preview = dialog.getByRole('button', { name: text('预览', 'Preview'), exact: true });
  await preview.click();
  await condition
    .getByText(text('必须是合法的 JSON；文本要加双引号', 'Must be valid JSON; texts in quotation marks'))
    .waitFor();
  await condition.getByRole('textbox', { name: text('值（JSON）', 'Value (JSON)') }).fill('"vip"');
  await dialog.getByRole('textbox', { name: 'user_group', exact: true }).fill('vip');

  await preview.click();
  const changes = dialog.getByRole('region', { name: text('覆盖后的变化', 'What changes') });
  await changes.getByText('"model": "m-latest"').waitFor();
  await changes.getByText('"temperature": 0', { exact: false }).waitFor();
  await expectClean('previewed');
  await dialog.getByRole('button', { name: text('应用', 'Apply'), exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const field = page.getByRole('textbox', { name: text('参数覆盖', 'Param override'), exact: true });
  assert.equal(JSON.parse(await field.inputValue()), {
    operations: [
      {
        mode: 'ensure_suffix',
        path: 'model',
        value: '-latest',
        conditions: [{ path: 'user_group', value: 'vip' }],
      },
      { mode: 'set', path: 'temperature', value: 0 },
    ],
  });
  await page.getByRole('textbox', { name: text('自定义模型名称', 'Custom names') }).fill('typed-only, m');
  await page.getByRole('button', { name: text('提交', 'Submit'), exact: true }).click();
  await page.getByText(text('渠道更新成功！', 'Channel updated')).waitFor();
  const { param_override: stored, models } = await daemon.root.channels.get({ id });
  assert.is(models, 'm,typed-only', 'names that were typed and not added first');
  assert.is(JSON.parse(stored ?? '').operations.length, 2);
});

journey.onDesktop(
  'B10 channels: shows large amounts whole, and names of groups that are cut by the keyboard',
  async (visit) => {
    const { page, text, signIn, goTo, expectClean, daemon, upstream } = visit;
    await daemon.addChannel({ name: 'rich', base_url: upstream.url, models: 'm' });
    await page.route(/[/]api[/]channel[/][?]/, async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const group = 'enterprise-customers-of-the-north,vip';
      const large = { status: 3, cooling: 30, used_quota: 3_086_425 * 500_000, balance: 2_469_135.75, group };
      body.data = body.data.map((item: object) => ({ ...item, ...large, balance_updated_time: 1 }));
      await route.fulfill({ json: body });
    });
    await signIn('root');
    await goTo('/channel');
    const row = page.getByRole('row', { name: 'rich' });
    await row.getByText('$3,086,425.00').waitFor();
    await expectClean('large amounts');
    for (const shown of [row.getByText(text('自动禁用', 'Auto-disabled')), row.getByText('$2,469,135.75')]) {
      const [own, cell] = await shown.evaluate((element) => {
        const right = (one: Element | null) => one?.getBoundingClientRect().right ?? 0;
        return [right(element), right(element.closest('td'))];
      });
      assert.ok(own <= cell, `${own} of ${cell}`);
    }
    assert.is(
      await page.locator('main table').evaluate((table) => table.parentElement?.dataset.overflowing),
      undefined,
    );
    const cut = row.locator('[data-tip^="enterprise"]');
    await cut.focus();
    await page.getByRole('tooltip', { name: 'enterprise-customers-of-the-north' }).waitFor();
  },
);

journey.onDesktop('says why a long form was not saved where it is seen', async (visit) => {
  const { page, text, signIn, goTo, expectFailure, daemon, upstream } = visit;
  const id = await daemon.addChannel({ name: 'unsaved', base_url: upstream.url, models: 'm', priority: 999_999 });
  await signIn('root');
  await goTo('/channel');
  const priority = page.getByRole('button', { name: `${text('unsaved 的优先级', 'Priority of unsaved')}: 999999` });
  const cut = await priority.evaluate((each) => {
    const { scrollWidth = 0, clientWidth = 0 } = each.closest('td') ?? {};
    return scrollWidth - clientWidth;
  });
  assert.is(cut, 0, 'a figure without its end is another one');
  await goTo(`/channel/edit/${id}`);
  const drawer = page.getByRole('dialog').first();
  await drawer.getByLabel(text('名称', 'Name')).first().fill('renamed');
  await drawer.getByText(text('参数覆盖', 'Param override'), { exact: true }).first().scrollIntoViewIfNeeded();
  expectFailure('/api/channel/', 500);
  await page.route('**/api/channel/', (route) => route.fulfill({ status: 500, json: { success: false, message: '' } }));
  const submit = drawer.getByRole('button', { name: text('提交', 'Submit'), exact: true });
  await submit.click();
  const reason = drawer.getByRole('alert');
  await reason.waitFor();
  const { top, bottom } = await reason.evaluate((each) => each.getBoundingClientRect().toJSON());
  assert.ok(top > 0 && bottom < 900, `from ${top} to ${bottom}`);

  await page.unroute('**/api/channel/');
  await submit.click();
  await page.getByText(text('渠道更新成功！', 'Channel updated')).waitFor();
  await page.getByRole('row').filter({ hasText: 'renamed' }).waitFor();
});

journey.onDesktop('counts the models that no list names among those that are to be chosen from', async (visit) => {
  const { page, text, signIn, goTo, daemon, upstream } = visit;
  const id = await daemon.addChannel({ name: 'strange', base_url: upstream.url, models: 'of-ours-1,of-ours-2' });
  await signIn('root');
  for (const [list, data] of [
    ['channel/models', []],
    ['models', {}],
  ] as const) {
    await page.route(`**/api/${list}`, (route) => route.fulfill({ json: { success: true, message: '', data } }));
  }
  await goTo(`/channel/edit/${id}`);
  await page.getByText(text('已选 2 / 共 2', '2 of 2 selected')).waitFor();
});

journey.onDesktop('lets go of a selected key once it is deleted by itself', async (visit) => {
  const { page, text, signIn, goTo, daemon, upstream } = visit;
  const key = ['aaaa', 'bbbb', 'cccc'].map((tail) => `sk-of-several-${tail}`).join(',');
  const id = await daemon.addChannel({ name: 'selected', base_url: upstream.url, models: 'm', key });
  await signIn('root');
  await goTo(`/channel?panel=keys-${id}`);
  const panel = page.getByRole('dialog').first();
  for (const tail of ['…bbbb', '…cccc']) {
    await panel.getByRole('row').filter({ hasText: tail }).getByRole('checkbox').check();
  }
  const sure = page
    .getByRole('dialog')
    .last()
    .getByRole('button', { name: text('删除 1 个密钥', 'Delete 1 key') });
  await actOnRow(visit, '…bbbb', text('删除', 'Delete'));
  await sure.click();
  await panel.getByText('…bbbb').waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: text('删除', 'Delete'), exact: true }).click();
  await sure.click();
  await panel.getByText('…cccc').waitFor({ state: 'detached' });
  assert.is((await daemon.root.channels.keys({ id })).length, 1);
  // The button that had the focus went with its row.
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
});

journey.onDesktop('counts the keys in service anew, and shows them as they are after a refusal', async (visit) => {
  const { page, text, signIn, goTo, daemon, upstream } = visit;
  const key = ['aaaa', 'bbbb', 'cccc'].map((tail) => `sk-of-several-${tail}`).join(',');
  const id = await daemon.addChannel({ name: 'of three keys', base_url: upstream.url, models: 'm', key });
  await signIn('root');
  await goTo('/channel');
  await page.getByRole('row').filter({ hasText: 'of three keys' }).getByText('3/3').waitFor();
  await actOnRow(visit, 'of three keys', text('密钥', 'Keys'));
  const panel = page.getByRole('dialog').first();
  const disable = (tail: string) =>
    panel
      .getByRole('row')
      .filter({ hasText: tail })
      .getByRole('button', { name: text('禁用', 'Disable'), exact: true });
  await disable('…cccc').waitFor();
  const [first, , third] = await daemon.root.channels.keys({ id });
  await daemon.root.channels.setKey({ id, key_hash: first?.key_hash ?? '', status: 2 });
  await daemon.root.channels.removeKeys({ id, key_hashes: [third?.key_hash ?? ''] });
  await disable('…cccc').click();
  await panel.getByText('…cccc').waitFor({ state: 'detached' });
  await disable('…aaaa').waitFor({ state: 'detached' });
  await panel
    .getByRole('button', { name: text('关闭', 'Close') })
    .last()
    .click();
  await page.getByRole('row').filter({ hasText: 'of three keys' }).getByText('1/2').waitFor();
});

journey('says at the field that a limit of a key is larger than it may be, and sends nothing', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon, upstream, variant } = visit;
  const name = `limited on ${variant.name}`;
  const key = 'sk-of-several-aaaa,sk-of-several-bbbb';
  const id = await daemon.addChannel({ name, base_url: upstream.url, models: 'm', key });
  await signIn('root');
  await goTo(`/channel?panel=keys-${id}`);
  await actOnRow(visit, '…bbbb', text('上限', 'Limits'));
  const dialog = page.getByRole('dialog', { name: text('第 2 个密钥的上限', 'Limits of key 2') });
  const tokens = dialog.getByRole('textbox', { name: text('每分钟 token', 'Tokens/min') });
  await dialog.getByRole('textbox', { name: text('每分钟请求', 'Requests/min') }).fill('100000');
  await tokens.fill('1000000001');
  const save = dialog.getByRole('button', { name: text('保存', 'Save'), exact: true });
  await save.click();
  await dialog.getByText(text('上限必须是 0 到 1000000000 的整数', 'from 0 to 1000000000')).waitFor();
  assert.is(await tokens.evaluate((field) => field === document.activeElement), true, 'the field that is wrong');
  await expectClean('refused');
  await tokens.fill('1000000000');
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  const [, second] = await daemon.root.channels.keys({ id });
  assert.equal([second?.cap, second?.tpm], [100_000, 1_000_000_000]);
});

journey('keeps numbers as they are typed, and no line of headers that says nothing goes in silence', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon, upstream, variant } = visit;
  const setting = JSON.stringify({ cost_ratio: 1, timeout_connect: 60, header_override: { 'X-A': '1' } });
  const name = `typed on ${variant.name}`;
  const id = await daemon.addChannel({ name, base_url: upstream.url, models: 'm', setting });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const field = (zh: string, en: string) => page.getByRole('textbox', { name: text(zh, en), exact: true });
  const ratio = field('成本倍率', 'Part of the list price paid');
  await ratio.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('0.85');
  assert.is(await ratio.inputValue(), '0.85');
  const seconds = field('连接超时（秒）', 'Seconds to connect');
  await seconds.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Backspace');
  const headers = field('请求头覆盖', 'Headers set');
  const submit = page.getByRole('button', { name: text('提交', 'Submit'), exact: true });
  await submit.click();
  await page.getByText(text('timeout_connect 的值无效', 'timeout_connect has an invalid value')).waitFor();
  await seconds.click();
  await page.keyboard.type('30');
  assert.is(await seconds.inputValue(), '30');
  await headers.fill('X-A: 1\nX-B 2');
  await page.getByText(text('每行须为「请求头: 值」', 'Each line must be “header: value”')).waitFor();
  await submit.click();
  await page.getByText(text('header_override 的值无效', 'header_override has an invalid value')).waitFor();
  await expectClean('refused');
  await headers.fill('X-A: 1\nX-B: 2');
  await submit.click();
  await page.getByText(text('渠道更新成功！', 'Channel updated')).waitFor();
  const { setting: stored } = await daemon.root.channels.get({ id });
  const wanted = { cost_ratio: 0.85, timeout_connect: 30, header_override: { 'X-A': '1', 'X-B': '2' } };
  assert.equal(JSON.parse(stored ?? ''), wanted);
});

journey.onDesktop('takes every key that was typed, whether its button was pressed or not', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon, upstream } = visit;
  await signIn('root');
  await goTo('/channel/add');
  const drawer = page.getByRole('dialog').first();
  await drawer.locator('[data-path=name]').fill('of many keys');
  await drawer.getByLabel('API 地址').or(drawer.getByLabel('Base URL')).fill(upstream.url);
  await drawer.getByLabel(text('自定义模型名称', 'Custom names')).fill('m');
  await drawer.locator('[data-path=key]').focus();
  await page.keyboard.type('sk-first-key-1111,sk-second-key-2222,sk-first-key-1111');
  const more = drawer.getByRole('textbox', { name: /^(?:继续粘贴密钥|Paste more keys)/ });
  assert.is(await more.inputValue(), 'sk-second-key-2222,sk-first-key-1111', 'typed on where the rows begin');
  await drawer.getByLabel(text('标签', 'Tag'), { exact: true }).focus();
  await drawer.getByText(text('2 个密钥 · 1 个重复', '2 keys · 1 repeated')).waitFor();
  await expectClean('rows');
  await more.fill('sk-third-key-3333');
  await page.keyboard.press('Control+Enter');
  await drawer.waitFor({ state: 'detached' });
  const { items } = await daemon.root.channels.search({ keyword: 'of many keys' });
  const keys = await daemon.root.channels.keys({ id: items[0]?.id ?? 0 });
  assert.equal(
    keys.map(({ tail }) => tail),
    ['1111', '2222', '3333'],
  );
});

journey.onDesktop('counts no model as failed that makes no tool calls', async (visit) => {
  const { page, text, signIn, goTo, settled, daemon, upstream } = visit;
  const id = await daemon.addChannel({ name: 'tried', base_url: upstream.url, models: 'one,other' });
  await signIn('root');
  await goTo(`/channel?keyword=tried&panel=test-${id}`);
  const dialog = page.getByRole('dialog');
  const removal = dialog.getByRole('button', { name: text('移除失败的模型', 'Remove failed models') });
  await dialog.getByLabel(text('测试内容', 'Question')).first().click();
  await page.getByRole('option', { name: text('工具调用', 'Tool call') }).click();
  await dialog.getByRole('button', { name: text('全部测试', 'Test all') }).click();
  await dialog.getByText(text('模型未调用工具', 'The model made no tool call')).nth(1).waitFor();
  await settled();
  assert.is(await removal.count(), 0);
});

journey.run();
