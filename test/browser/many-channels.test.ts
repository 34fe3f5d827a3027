/** B10 of console.md 10: channels out of a file, what is done to several at once, and where Back leads from what was opened. */
import * as assert from 'uvu/assert';
import { gate } from '../support/gate.ts';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';

const journey = journeys('many channels', { isFresh: true });

function rowsOf(names: readonly string[]) {
  return names.map((name) => ({ name, type: 1, key: 'sk-1', models: 'gpt-4o', group: 'default' }));
}

async function openImport({ page, text, goTo }: Journey) {
  await goTo('/channel');
  const more = page.getByRole('button', { name: text('更多操作', 'More actions'), exact: true });
  await more.first().click();
  await page.getByRole('menuitem', { name: text('导入', 'Import'), exact: true }).click();
  const dialog = page.getByRole('dialog', { name: text('导入渠道', 'Import channels') });
  return {
    dialog,
    content: dialog.getByLabel(text('文件内容', 'Content')),
    preview: dialog.getByRole('button', { name: text('预览变更', 'Preview changes') }),
    send: (count: number) =>
      dialog.getByRole('button', {
        name: text(`导入 ${count} 个渠道`, `Import ${count} channel${count > 1 ? 's' : ''}`),
      }),
  };
}

async function namesOf({ daemon }: Journey): Promise<string[]> {
  const { items } = await daemon.root.channels.list({ page: 1, page_size: 100, id_sort: true });
  return items.flatMap((row) => ('name' in row ? [row.name] : []));
}

journey.onDesktop(
  'B10 channels: never takes the late preview of a text for that of the one typed since, and imports what it shows',
  async (visit) => {
    const { page, signIn } = visit;
    await signIn('root');
    const { dialog, content, preview, send } = await openImport(visit);
    const { open: release, opened: held } = gate();
    await page.route('**/api/channel/import', async (route) => {
      await held;
      // Given up by the page meanwhile, if it does as it should.
      await route.continue().catch(() => undefined);
    });
    await content.fill(JSON.stringify(rowsOf(['first'])));
    await preview.click();
    const asked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/channel/import'));
    await content.fill(JSON.stringify(rowsOf(['second', 'third'])));
    await asked;
    release();
    await page.unroute('**/api/channel/import');
    await preview.click();
    await dialog.getByRole('cell', { name: 'third', exact: true }).waitFor();
    assert.is(await dialog.getByRole('cell', { name: 'first', exact: true }).count(), 0);
    const sent = gate();
    await page.route('**/api/channel/import', async (route) => {
      await sent.opened;
      await route.continue();
    });
    await send(2).click();
    // Closed by hand it would, once it is done, close what was opened since.
    await page.keyboard.press('Escape');
    assert.is(await dialog.count(), 1);
    sent.open();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await namesOf(visit)).toSorted(), ['second', 'third']);
  },
);

journey('B10 channels: previews five hundred rows in a box of their own, with its buttons in sight', async (visit) => {
  const { signIn, expectClean, page, daemon } = visit;
  await signIn('root');
  const { dialog, content, preview, send } = await openImport(visit);
  await content.fill(JSON.stringify(rowsOf(Array.from({ length: 500 }, (_, index) => `row ${index + 1}`))));
  await preview.click();
  await dialog.getByRole('cell', { name: 'row 500', exact: true }).waitFor();
  await expectClean('five hundred');
  const height = page.viewportSize()?.height ?? 0;
  const { y = height, height: tall = 0 } = (await send(500).boundingBox()) ?? {};
  assert.ok(y + tall <= height, `the button ends at ${y + tall} of ${height}`);
  await send(500).click();
  await dialog.waitFor({ state: 'detached' });
  await untilPasses(async () => {
    assert.is((await daemon.root.channels.list({ page: 1, page_size: 10 })).total, 500);
  });
});

journey.onDesktop(
  'B10 channels: lays out the text of a large file once, and names the row and the line that are wrong in a file',
  async (visit) => {
    const { page, text, signIn } = visit;
    await signIn('root');
    const { dialog, content, preview } = await openImport(visit);
    const lots = rowsOf(Array.from({ length: 2000 }, (_, index) => `row ${index + 1}`));
    const buffer = Buffer.from(JSON.stringify(lots, null, 2));
    await dialog.locator('input[type=file]').setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer });
    await page.waitForFunction(
      (length) => [...document.querySelectorAll('textarea')].some(({ value }) => value.length === length),
      buffer.length,
    );
    const laidOut = await page.evaluate(
      (length) => [...document.querySelectorAll('textarea')].filter(({ value }) => value.length === length).length,
      buffer.length,
    );
    assert.is(laidOut, 1);

    await content.fill(JSON.stringify([...rowsOf(['first']), { name: 'second', models: ['gpt-4o'] }]));
    await preview.click();
    await dialog
      .getByText(text('第 2 行：models 的值类型不正确', 'Row 2: the value of models is of the wrong kind'))
      .waitFor();
    await content.fill('[\n  {"name": "first"},\n]');
    await preview.click();
    await dialog
      .getByText(text('不是合法的 JSON 字符串（第 3 行，第 1 列）', 'Not a valid JSON string (line 3, column 1)'))
      .waitFor();
  },
);

journey.onDesktop(
  'B10 channels: names those of several that were refused, keeps them selected, and boasts of none that were changed',
  async (visit) => {
    const { page, text, signIn, goTo, daemon, expectClean } = visit;
    await daemon.root.channels.import({ channels: rowsOf(['one', 'two', 'three']) });
    const { items } = await daemon.root.channels.list({ page: 1, page_size: 10 });
    const ids = new Map(items.flatMap((row) => ('name' in row ? [[row.name, row.id] as const] : [])));
    const refuse = (names: readonly string[]) =>
      page.route('**/api/channel/*/status', (route) => {
        const id = Number(/(\d+)\/status$/.exec(route.request().url())?.[1]);
        if (!names.some((name) => ids.get(name) === id)) return route.continue();
        return route.fulfill({ json: { success: false, message: `not ${id}`, code: 'busy' } });
      });
    await signIn('root');
    await goTo('/channel');
    await page.getByRole('checkbox', { name: text('选择本页所有行', 'Select all rows of this page') }).click();
    const batch = page.getByRole('group', { name: text('所选项的操作', 'Actions on the selection') });
    const disable = batch.getByRole('button', { name: text('禁用', 'Disable'), exact: true });
    const told = page.getByRole('alert');
    const changed = page.getByText(visit.variant.language === 'zh' ? /^已禁用 \d/ : /^\d+ channels? disabled/);

    await refuse(['one', 'two', 'three']);
    await disable.click();
    await told.getByText(text('共 3 个渠道，其中 3 个未能修改，仍保持选中', '3 of 3 were not changed')).waitFor();
    assert.is(await changed.count(), 0);
    await told.getByRole('button').last().click();
    await page.unroute('**/api/channel/*/status');

    await refuse(['two']);
    await disable.click();
    await told.getByText(text('共 3 个渠道，其中 1 个未能修改，仍保持选中', '1 of 3 was not changed')).waitFor();
    const id = ids.get('two');
    await told.getByText(text(`two（ID ${id}）：错误：not ${id}`, `two (ID ${id}): Error: not ${id}`)).waitFor();
    await page.getByText(text('已禁用 2 个渠道', '2 channels disabled')).waitFor();
    await page.getByText(text('已选 1 项', '1 selected')).waitFor();
    await expectClean('refused');
    await page.unroute('**/api/channel/*/status');
    await disable.click();
    await page.getByText(text('已禁用 1 个渠道', '1 channel disabled')).waitFor();
    const after = await daemon.root.channels.list({ page: 1, page_size: 10 });
    assert.equal(
      after.items.map((row) => ('status' in row ? row.status : 0)),
      [2, 2, 2],
    );
  },
);

journey.onDesktop('6.9 why: the longest name of a channel leaves the figures beside it in sight', async (visit) => {
  const { page, signIn, goTo, daemon, upstream, expectClean, text } = visit;
  const name = 'the-account-of-a-vendor-'.repeat(8).slice(0, 180);
  const id = await daemon.addChannel({ name, base_url: upstream.url, models: 'explained-model' });
  await signIn('admin');
  await goTo(`/channel?panel=why-${id}`);
  await page.getByRole('link', { name }).waitFor();
  await expectClean('long name');
  const ratio = page.getByRole('columnheader', { name: text('分组倍率', 'Group ratio'), exact: true });
  const isReached = await ratio.evaluate((head) => {
    const table = head.closest('table');
    const frame = table?.parentElement;
    return frame !== null && frame !== undefined && frame.scrollWidth <= frame.clientWidth;
  });
  assert.ok(isReached, 'the table scrolls sideways');
});

journey.onDesktop('4.2 Back after a channel or a panel was closed leads to what was there before', async (visit) => {
  const { page, text, signIn, goTo, daemon, settled } = visit;
  const id = await daemon.addChannel({ name: 'first', base_url: 'http://127.0.0.1:9', models: 'm' });
  await signIn('root');
  await goTo('/token');
  await page
    .getByRole('link', { name: text('渠道', 'Channels'), exact: true })
    .first()
    .click();
  await page.waitForURL('**/channel');
  await page.getByRole('link', { name: text('编辑', 'Edit'), exact: true }).click();
  await page.waitForURL(`**/channel/edit/${id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel(text('名称', 'Name')).first().waitFor();
  await settled();
  await page.keyboard.press('Escape');
  await page.waitForURL('**/channel');
  await drawer.waitFor({ state: 'detached' });
  await goTo('/channel?panel=why');
  await drawer.waitFor();
  await settled();
  await page.keyboard.press('Escape');
  await page.waitForURL('**/channel');
  await drawer.waitFor({ state: 'detached' });
  for (let step = 0; step < 3; step += 1) {
    await page.goBack();
    await settled();
    assert.is(await drawer.count(), 0, page.url());
  }
  assert.is(page.url(), `${daemon.url}/token`);
});

journey('6.10 tags: shows of each channel of a tag what an edit would change, before it is made', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon } = visit;
  const [first, second] = rowsOf(['first', 'second']);
  await daemon.root.channels.import({
    channels: [
      { ...first, tag: 'lot', priority: 2 },
      { ...second, tag: 'lot', models: 'gpt-4o,gpt-4.1' },
    ],
  });
  await signIn('root');
  await goTo('/channel?tag_mode=true');
  await actOnRow(visit, 'lot', text('编辑标签', 'Edit tag'));
  const drawer = page.getByRole('dialog').first();
  const concerned = drawer.getByRole('list').last();
  const effects = (name: string) => concerned.getByRole('listitem').filter({ hasText: name });
  await effects('second').waitFor();
  assert.is(await concerned.getByRole('table').count(), 0, 'nothing is changed yet');
  await drawer.getByRole('textbox', { name: text('优先级', 'Priority') }).fill('2');
  await effects('second')
    .getByRole('row', { name: text('优先级', 'Priority') })
    .getByText('2')
    .waitFor();
  await effects('first').getByText(text('没有差异', 'No difference')).waitFor();
  const custom = drawer.getByRole('textbox', { name: text('自定义模型名称', 'Custom names') });
  await custom.fill('gpt-4o,o3');
  await custom.press('Enter');
  await effects('second').getByText('−gpt-4.1', { exact: true }).waitFor();
  await effects('second').getByText('+o3', { exact: true }).waitFor();
  assert.is(await effects('first').locator('del').count(), 0, 'of what it keeps nothing goes');
  await effects('second').scrollIntoViewIfNeeded();
  await expectClean('effects');
  await drawer.getByRole('button', { name: text('提交', 'Submit') }).click();
  await page.getByText(text('标签更新成功！', 'Tag updated')).waitFor();
});

journey('6.10 tags: says how many channels have none, and asks before two become one', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon } = visit;
  // More tags than a page shows.
  const names = Array.from({ length: 12 }, (_, index) => `t${index}`);
  const tagged = rowsOf(names).map((row) => ({ ...row, tag: row.name }));
  await daemon.root.channels.import({ channels: [...tagged, ...rowsOf(['loose one', 'loose two'])] });
  await daemon.root.channels.import({ channels: rowsOf(['other']).map((row) => ({ ...row, tag: 't1' })) });
  const countOf = async (tag: string) => (await daemon.root.channels.list({ tag, page: 1, page_size: 1 })).total;
  await signIn('root');
  await goTo('/channel?tag_mode=true&page_size=10');
  await page.getByText(text('2 个渠道没有标签', '2 channels have no tag')).waitFor();
  await goTo('/channel?tag_mode=true&keyword=loose');
  await page.getByText(text('2 个渠道没有标签', '2 channels have no tag')).waitFor();

  await goTo('/channel?tag_mode=true&keyword=t0');
  await actOnRow(visit, 't0', text('编辑标签', 'Edit tag'));
  const drawer = page.getByRole('dialog').first();
  await drawer.getByRole('textbox', { name: text('标签名', 'Tag name') }).fill(' t1 ');
  const submit = drawer.getByRole('button', { name: text('提交', 'Submit') });
  await submit.click();
  const question = page.getByRole('dialog', { name: text('合并标签「t0」与「t1」', 'Merge tags "t0" and "t1"') });
  await question
    .getByText(text('「t0」有 1 个渠道，「t1」有 2 个渠道', 'Channels of "t0": 1; channels of "t1": 2'))
    .waitFor();
  await expectClean('two tags become one');
  await question.getByRole('button', { name: text('取消', 'Cancel') }).click();
  await question.waitFor({ state: 'detached' });
  assert.equal([await countOf('t0'), await countOf('t1')], [1, 2]);
  await submit.click();
  await question.getByRole('button', { name: text('合并标签', 'Merge tags') }).click();
  await page.getByText(text('标签更新成功！', 'Tag updated')).waitFor();
  assert.equal([await countOf('t0'), await countOf('t1')], [0, 3]);
});

journey.onDesktop('6.9 tags: offers all of them where one is entered, and reads no channel for that', async (visit) => {
  const { page, text, signIn, goTo, daemon } = visit;
  const names = Array.from({ length: 120 }, (_, index) => `t${String(index).padStart(3, '0')}`);
  await daemon.root.channels.import({ channels: rowsOf(names).map((row) => ({ ...row, tag: row.name })) });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await signIn('root');
  await goTo('/channel/add');
  const tag = page.getByRole('dialog').getByLabel(text('标签', 'Tag'), { exact: true });
  await tag.fill('t119');
  await page.getByRole('option', { name: 't119' }).click();
  assert.is(await tag.inputValue(), 't119');
  assert.equal(
    asked.filter((address) => address.includes('tag_mode=true')),
    [],
  );
});

journey.onDesktop('6.9 channels: takes back what was switched at once, and of it what had changed', async (visit) => {
  const { page, text, signIn, goTo, daemon } = visit;
  await daemon.root.channels.import({ channels: rowsOf(['first', 'second', 'third']) });
  const enabled = async () => {
    const { items } = await daemon.root.channels.list({ page: 1, page_size: 10, id_sort: true });
    return items.flatMap((row) => ('name' in row && row.status === 1 ? [row.name] : [])).toSorted();
  };
  const { items } = await daemon.root.channels.list({ page: 1, page_size: 10, id_sort: true });
  const off = items.find((row) => 'name' in row && row.name === 'second');
  assert.ok(off);
  await daemon.root.channels.setStatus({ id: off.id, status: 2 });
  await signIn('root');
  await goTo('/channel');
  await page.getByRole('checkbox', { name: text('选择本页所有行', 'Select all rows of this page') }).click();
  const batch = page.getByRole('group', { name: text('所选项的操作', 'Actions on the selection') });
  const turn = async (act: string, done: string, undone: string) => {
    await batch.getByRole('button', { name: act, exact: true }).click();
    const told = page.locator('.mantine-Notification-root').filter({ hasText: done });
    const after = await told.getByRole('button', { name: text('撤销', 'Undo') }).elementHandle();
    const between = await enabled();
    await after?.click();
    await page.locator('.mantine-Notification-root').filter({ hasText: undone }).waitFor();
    return between;
  };
  const [enable, disable] = [text('启用', 'Enable'), text('禁用', 'Disable')];
  const enabledText = (count: number) =>
    text(`已启用 ${count} 个渠道`, `${count} channel${count > 1 ? 's' : ''} enabled`);
  const disabledText = (count: number) =>
    text(`已禁用 ${count} 个渠道`, `${count} channel${count > 1 ? 's' : ''} disabled`);
  assert.equal(await turn(disable, disabledText(3), enabledText(2)), []);
  await untilPasses(async () => assert.equal(await enabled(), ['first', 'third']));
  assert.equal(await turn(enable, enabledText(3), disabledText(1)), ['first', 'second', 'third']);
  await untilPasses(async () => assert.equal(await enabled(), ['first', 'third']));
});

journey.onDesktop(
  'B10 channels: tests the models that were being tested when the loop was stopped once it goes on',
  async (visit) => {
    const { page, text, signIn, goTo, daemon } = visit;
    const models = Array.from({ length: 6 }, (_, index) => `slow-${index + 1}`);
    await daemon.addChannel({ name: 'slow', base_url: visit.upstream.url, models: models.join(',') });
    const asked: string[] = [];
    const { open: release, opened: held } = gate();
    await page.route('**/api/channel/test/*', async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('model') ?? '');
      await held;
      await route
        .fulfill({ json: { success: true, message: '', time: 0.5, model: '', stream: false } })
        .catch(() => undefined);
    });
    await signIn('root');
    await goTo('/channel?keyword=slow');
    await actOnRow(visit, 'slow', text('按模型测试', 'Test models'));
    const dialog = page.getByRole('dialog', { name: /slow/ });
    await dialog.getByRole('button', { name: text('全部测试', 'Test all') }).click();
    await untilPasses(() => assert.is(asked.length, 4));
    await dialog.getByRole('button', { name: text('停止', 'Stop'), exact: true }).click();
    const resume = dialog.getByRole('button', { name: text('继续', 'Continue'), exact: true });
    await resume.waitFor();
    await dialog.getByText(text('已完成 0 / 6', '0 of 6 done')).waitFor();
    release();
    await resume.click();
    await dialog.getByText(text('已完成 6 / 6', '6 of 6 done')).waitFor();
    assert.equal(asked.slice(4).toSorted(), models);
    await page.unrouteAll({ behavior: 'wait' });
  },
);

journey.run();
