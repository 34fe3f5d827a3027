/** B10 and B11 of console.md 10: the channels, what is entered of each, and what is done to many at once. */
import * as assert from 'uvu/assert';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { untilPasses } from '../support/until.ts';
import { drawerOf } from './channel-drawer.ts';
import { journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';
import { answeredChat, startFilledSite } from './site.ts';

const journey = journeys('the channels', { open: startFilledSite });

journey.onDesktop(
  'B10 channels: asks each type for what it needs, takes several keys, and warns of /v1',
  async (visit) => {
    const { page, text, signIn, goTo, expectClean, daemon, settled } = visit;
    await signIn('root');
    await goTo('/channel/add');
    const { drawer, field, submit, choose } = drawerOf(visit);
    await submit.click();
    await drawer.getByText(text('请填写渠道名称和渠道密钥！', 'Please fill in channel name and key')).first().waitFor();
    await drawer.getByText(text('请至少选择一个模型！', 'Please select at least one model')).waitFor();
    await expectClean('refused');
    for (const [search, label] of [
      ['xunfei', text('模型版本', 'Version')],
      ['cloudflare', 'Account ID'],
      ['vertex', text('部署地区', 'Region')],
      ['dify', text('应用类型', 'App kind')],
      ['azure', text('默认 API 版本', 'Default API version')],
    ] as const) {
      await choose(search);
      await drawer.getByLabel(label).first().waitFor();
    }
    await choose('coze');
    await drawer.getByText(text('格式：TOKEN 或 TOKEN|USER_ID', 'Form: TOKEN or TOKEN|USER_ID')).waitFor();
    await choose('azure');
    const mapping = field('模型重定向', 'Model mapping');
    const override = field('参数覆盖', 'Param override');
    await mapping.fill('{');
    await override.fill('[1]');
    await submit.click();
    for (const problem of [
      text('该类型必须填写 API 地址！', 'This type needs a base URL'),
      text('模型映射必须是合法的 JSON 格式！', 'Model mapping must be valid JSON'),
      text('参数覆盖必须是合法的 JSON 格式！', 'Param override must be valid JSON'),
    ]) {
      await drawer.getByText(problem).first().waitFor();
    }
    await mapping.fill('');
    await override.fill('');

    await choose('suno');
    await drawer.getByText('suno_music', { exact: true }).waitFor();
    await field('名称', 'Name').fill('of several keys');
    await field('密钥', 'Key').fill('sk-one\nsk-two');
    const turnOff = drawer.getByText(text('关闭多密钥视图', 'Turn off'));
    await turnOff.click();
    await field('密钥', 'Key').fill('sk-one');
    await field('密钥', 'Key').fill('sk-one,sk-two,sk-one');
    await turnOff.waitFor();
    await drawer.getByLabel(text('此地址不含路径', 'Address without path')).fill('http://localhost:3000/v1');
    await expectClean('several keys');
    const question = page.getByRole('dialog', { name: text('API 地址以 /v1 结尾', /\/v1/) });
    const submitAnyway = async () => {
      await submit.click();
      await question.getByRole('button', { name: text('继续提交', 'Submit anyway') }).click();
    };
    await override.fill('{"operations":[{"mode":"put"}]}');
    await submitAnyway();
    await drawer.getByText(text('操作 1 · mode', 'Operation 1 · mode')).waitFor();
    await override.fill('');
    await submitAnyway();
    await page.getByText(text('渠道创建成功！', 'Channel created')).first().waitFor();
    await settled();
    const { items } = await daemon.root.channels.list({ page: 1, page_size: 10 });
    assert.ok(items.some((one) => 'name' in one && one.name === 'of several keys'));
  },
);

/** Search word, name of the type's own field and what is entered there, key. */
const special: readonly (readonly [number, string, Readonly<{ other?: string; key?: string }>])[] = [
  [2, 'Midjourney Proxy', {}],
  [3, 'azure openai', { other: '2024-12-01-preview' }],
  [5, 'Midjourney Proxy Plus', {}],
  [8, '自定义', {}],
  [15, '百度文心千帆', { key: 'key|secret' }],
  [18, 'xunfei', { key: 'app|secret|key' }],
  [21, 'AI Proxy', { other: '123456' }],
  [22, 'fastgpt', { key: 'fastgpt-1' }],
  [23, 'tencent', { key: 'app|id|secret' }],
  [33, 'aws', { key: 'ak|sk|us-east-1' }],
  [36, 'suno', {}],
  [37, 'dify', { key: 'app-1' }],
  [39, 'cloudflare', { other: 'account' }],
  [40, 'siliconflow', {}],
  [41, 'vertex', { other: 'us-central1', key: '{"project_id": "p"}' }],
];

journey.beforeRelease('B10 channels: makes one of each special type', async (visit) => {
  const { page, text, signIn, goTo, daemon } = visit;
  await signIn('root');
  for (const [type, search, { other, key = 'sk-1' }] of special) {
    await goTo('/channel/add');
    const { drawer, field, submit, choose } = drawerOf(visit);
    await choose(search);
    await field('名称', 'Name').fill(`of type ${type}`);
    await field('密钥', 'Key').fill(key);
    const address = drawer.locator('[data-path="base_url"]');
    if ((await address.inputValue()) === '') await address.fill('http://localhost:3000');
    if (other !== undefined) await drawer.locator('[data-path="other"]').fill(other);
    const custom = drawer.getByRole('textbox', { name: text('自定义模型名称', 'Custom names') });
    await custom.fill(`made-of-${type}`);
    await custom.press('Enter');
    await submit.click();
    await page.getByText(text('渠道创建成功！', 'Channel created')).first().waitFor();
    const { items } = await daemon.root.channels.list({ type, page: 1, page_size: 10 });
    assert.ok(items.some((row) => 'name' in row && row.name === `of type ${type}`));
  }
});

journey.onDesktop('B10 channels: keeps its place through an edit, which sends what changed alone', async (visit) => {
  const { page, text, signIn, goTo, daemon, settled } = visit;
  const names = Array.from({ length: 100 }, (_, index) => `row ${index}`);
  await daemon.root.channels.import({
    channels: names.map((name) => ({ name, type: 1, key: 'sk-1', models: 'gpt-4o', group: 'default' })),
  });
  await signIn('root');
  const address = '/channel?status=enabled&size=100';
  await goTo(address);
  const rows = page.locator('tbody > tr[data-row]');
  assert.is(await rows.count(), 100);
  const id = await rows.last().getAttribute('data-row');
  const row = page.locator(`tbody > tr[data-row="${id}"]`);
  const place = () => row.evaluate((element) => [window.scrollY, element.closest('section')?.scrollTop]);
  await row.scrollIntoViewIfNeeded();
  const before = await place();
  assert.ok(
    before.some((distance) => Number(distance) > 0),
    'the last row is out of sight at first',
  );
  await row.getByRole('link', { name: text('编辑', 'Edit') }).click();
  const { drawer, field, submit } = drawerOf(visit);
  await field('名称', 'Name').fill('renamed');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await submit.click();
  assert.equal((await sent).postDataJSON(), { id: Number(id), name: 'renamed' });
  await row.getByText('renamed', { exact: true }).waitFor();
  await drawer.waitFor({ state: 'detached' });
  await settled();
  assert.is(page.url(), daemon.url + address);
  assert.equal(await place(), before);

  const cell = page.locator('td input:focus');
  await row.getByRole('button', { name: text('renamed 的权重: 0', 'Weight of renamed: 0') }).click();
  await cell.waitFor();
  await page.keyboard.type('-1');
  const refusal = text('权重必须是非负整数！', 'Weight must be a non-negative integer');
  await page.getByRole('alert').getByText(refusal).waitFor();
  await page.keyboard.press('Escape');
  const priority = (value: string) =>
    row.getByRole('button', { name: text(`renamed 的优先级: ${value}`, `Priority of renamed: ${value}`) });
  await priority('0').click();
  await cell.waitFor();
  await page.keyboard.type('-1000');
  await page.getByRole('alert').getByText(text('优先级不得小于 -999！', 'Priority must be at least -999')).waitFor();
  // What the daemon refuses is as it was.
  await page.route('**/api/channel/', (route) =>
    route.fulfill({ json: { success: false, message: 'not today', code: 'busy' } }),
  );
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await page.getByText(text('错误：not today', 'Error: not today')).waitFor();
  await priority('0').waitFor();
  await page.unroute('**/api/channel/');
});

journey.onDesktop('B10, B11 channels: tags several, changes them as one, and dissolves the tag', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon } = visit;
  const lots = ['lot one', 'lot two'].map((name, priority) => {
    return { name, type: 1, key: 'sk-1', models: 'gpt-4o', group: 'default', priority, weight: 3 };
  });
  await daemon.root.channels.import({ channels: lots });
  const tagged = async () => (await daemon.root.channels.list({ tag: 'lot', page: 1, page_size: 10 })).items;
  await signIn('root');
  await goTo('/channel?keyword=lot');
  const batch = page.getByRole('group', { name: text('所选项的操作', 'Actions on the selection') });
  const act = (name: string | RegExp) => batch.getByRole('button', { name, exact: true });
  await act(text('删除', 'Delete')).click();
  await page.getByText(text('请先选择要删除的渠道！', 'Please select channels to delete first')).waitFor();
  await act(text('设置标签', 'Set tag')).click();
  await page.getByText(text('请先选择要设置标签的渠道！', 'Please select channels to tag first')).waitFor();
  await expectClean('nothing selected');
  await page.getByRole('checkbox', { name: text('选择本页所有行', 'Select all rows of this page') }).click();
  await act(text('设置标签', 'Set tag')).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: text('设置标签', 'Set tag') }).click();
  await dialog.getByText(text('标签不能为空！', 'Tag cannot be empty')).waitFor();
  const tag = dialog.getByLabel(text('标签', 'Tag'), { exact: true });
  await tag.fill('lot');
  await tag.press('Enter');
  await page.getByText(text('已为 2 个渠道设置标签', 'Tag set on 2 channels')).waitFor();
  assert.is((await tagged()).length, 2);

  await page.getByRole('switch', { name: text('标签聚合', 'Group by tag') }).click();
  const priority = page.getByRole('button', {
    name: text('lot 的优先级: 不一致', 'Priority of lot: Mixed'),
  });
  await priority.waitFor();
  await page.getByRole('button', { name: text('lot 的权重: 3', 'Weight of lot: 3') }).waitFor();
  await expectClean('tags');
  await priority.click();
  await page.locator('td input:focus').waitFor();
  await page.keyboard.type('9');
  await page.keyboard.press('Enter');
  await page.getByText(text('已更新标签「lot」的 2 个渠道', '2 channels of tag "lot" updated')).waitFor();
  const evened = (await tagged()).map((row) => 'priority' in row && row.priority);
  assert.equal(evened, [9, 9]);
  await page
    .getByRole('button', { name: text('撤销', 'Undo') })
    .last()
    .click();
  await priority.waitFor();
  const priorities = (await tagged()).map((row) => 'priority' in row && row.priority);
  assert.is(new Set(priorities).size, 2, 'each has its own again');

  await actOnRow(visit, 'lot', text('编辑标签', 'Edit tag'));
  const { field, submit } = drawerOf(visit);
  await submit.click();
  await page.getByText(text('没有任何修改！', 'No changes'), { exact: true }).waitFor();
  await field('模型重定向', 'Model mapping').fill('{');
  await submit.click();
  await dialog.getByText(text('模型映射必须是合法的 JSON 格式！', 'Model mapping must be valid JSON')).waitFor();
  await expectClean('refused');
  await field('模型重定向', 'Model mapping').fill('');
  await field('标签名', 'Tag name').fill('');
  await submit.click();
  const question = page.getByRole('dialog', { name: text('解散标签「lot」', 'Dissolve tag "lot"') });
  await question.getByText(text('2 个渠道变为无标签', '2 channels become untagged')).waitFor();
  await question.getByRole('button', { name: text('解散标签', 'Dissolve tag') }).click();
  await page.getByText(text('标签更新成功！', 'Tag updated')).waitFor();
  assert.is((await tagged()).length, 0);

  await goTo('/channel?keyword=lot');
  await page.getByRole('checkbox', { name: text('选择本页所有行', 'Select all rows of this page') }).click();
  await page.getByText(text('已选 2 项', '2 selected')).waitFor();
  await actOnRow(visit, 'lot one', text('删除', 'Delete'));
  await dialog.getByRole('button', { name: text('删除渠道', 'Delete channel') }).click();
  await page.getByText(text('已选 1 项', '1 selected')).waitFor();
});

journey.onDesktop('B10 channels: chooses all models that a search finds, and no other', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('root');
  await goTo('/channel/add');
  const dialog = page.getByRole('dialog');
  await dialog.locator('[data-path=models]').fill('gpt-4o-mini');
  await dialog.getByRole('button', { name: text('全选', 'Select all'), exact: true }).click();
  const chosen = dialog.locator('.mantine-Pill-root[title]');
  await chosen.first().waitFor();
  const names = await chosen.evaluateAll((pills: readonly HTMLElement[]) => pills.map(({ title }) => title));
  assert.equal(
    names.filter((name) => !name.includes('gpt-4o-mini')),
    [],
  );
  await dialog
    .getByRole('button', { name: text('清除', 'Clear'), exact: true })
    .first()
    .click();
  await chosen.first().waitFor({ state: 'detached' });
});

journey.onDesktop(
  'B10 channels: tests models, asks for lists and balances, copies, mends and says why',
  async (visit) => {
    const { page, text, signIn, goTo, expectClean, daemon, upstream } = visit;
    await daemon.addChannel({ name: 'tried', base_url: upstream.url, models: 'gpt-4o-mini,tts-1,gone' });
    const find = async () => {
      const { items } = await daemon.root.channels.list({ page: 1, page_size: 100, id_sort: true });
      return items.flatMap((row) => ('name' in row && row.name.startsWith('tried') ? [row] : []));
    };
    upstream.script(({ url, body }) => {
      if (url.includes('/subscription')) return jsonAnswer({ hard_limit_usd: 40, has_payment_method: true });
      if (url.includes('/usage')) return jsonAnswer({ total_usage: 1000 });
      if (url.includes('/models'))
        return jsonAnswer({ data: [{ id: 'gpt-4o-mini' }, { id: 'tts-1' }, { id: 'brand-new' }] });
      return body.includes('"gone"') ? jsonAnswer({ error: { message: 'no such model' } }, 404) : answeredChat;
    });
    await signIn('root');
    await goTo('/channel?keyword=tried');
    await page.getByRole('button', { name: text('更新 tried 的余额', 'Update the balance of tried') }).click();
    await page.getByText(text('渠道 tried 余额更新成功！', 'Balance of tried updated')).waitFor();
    await page.getByText('$30.00').waitFor();

    await actOnRow(visit, 'tried', text('按模型测试', 'Test models'));
    const dialog = page.getByRole('dialog', { name: /tried/ });
    await dialog.getByRole('button', { name: text('全部测试', 'Test all') }).click();
    await dialog.getByText('no such model').first().waitFor();
    // What cannot be tested has not failed.
    await dialog.getByText(text('该渠道或模型不支持测试', 'This channel or model cannot be tested')).waitFor();
    await dialog.getByRole('button', { name: text('移除失败的模型 (1)', 'Remove failed models (1)') }).click();
    await expectClean('tested');
    await page.getByRole('button', { name: text('移除 1 个模型', 'Remove 1 model'), exact: true }).click();
    await dialog.getByText('gone', { exact: true }).waitFor({ state: 'detached' });
    assert.is((await find())[0]?.models, 'gpt-4o-mini,tts-1');
    await dialog
      .getByRole('button', { name: text('关闭', 'Close') })
      .last()
      .click();

    await goTo(`/channel/edit/${(await find())[0]?.id}`);
    const { drawer, submit } = drawerOf(visit);
    await drawer.getByRole('button', { name: text('获取模型列表', 'Fetch list') }).click();
    const offered = page.getByRole('dialog', { name: text('上游的模型列表', 'Models of the upstream') });
    await offered.getByText('brand-new', { exact: true }).waitFor();
    await expectClean('offered');
    await offered.getByRole('button', { name: text('新增 1 个，移除 0 个', 'Add 1, remove 0') }).click();
    const custom = drawer.getByRole('textbox', { name: text('自定义模型名称', 'Custom names') });
    await custom.fill('own, brand-new');
    await custom.press('Enter');
    await page.getByText(text('已新增 1 个模型：own', 'Added 1 model: own')).waitFor();
    await page.getByText(text('已忽略已存在的模型：brand-new', 'Ignored, already present: brand-new')).waitFor();
    await submit.click();
    await untilPasses(async () => assert.is((await find())[0]?.models, 'gpt-4o-mini,tts-1,brand-new,own'));

    await goTo('/channel?keyword=tried');
    await actOnRow(visit, 'tried', text('复制', 'Copy'));
    await page.getByText(text('渠道复制成功', 'Channel copied')).waitFor();
    const copied = (await find()).find(({ name }) => name !== 'tried');
    assert.is(copied?.status, 2);
    const choose = async (label: string) => {
      await page
        .getByRole('button', { name: text('更多操作', 'More actions'), exact: true })
        .first()
        .click();
      await page.getByRole('menuitem', { name: label, exact: true }).click();
    };
    await choose(text('删除禁用渠道', 'Delete disabled'));
    const question = page.getByRole('dialog');
    await question.getByText(copied?.name ?? '').waitFor();
    await question.getByRole('button', { name: text('删除 1 个渠道', 'Delete 1 channel') }).click();
    await untilPasses(async () => assert.is((await find()).length, 1));
    await choose(text('修复数据', 'Fix data'));
    await question.getByRole('button', { name: text('修复数据', 'Fix data') }).click();
    await page.getByText(text('已修复', 'processed')).waitFor();

    await choose(text('路由说明', 'Why'));
    const asked = question.getByLabel(text('模型', 'Model')).first();
    await asked.fill('own');
    await asked.press('Enter');
    await question.getByRole('cell', { name: /tried/ }).waitFor();
    await expectClean('why');
  },
);

journey('B10 channels: limits each key of a channel, takes one out of use, and removes it', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon } = visit;
  const id = await daemon.addChannel({
    name: 'keyed',
    base_url: visit.upstream.url,
    models: 'm',
    key: 'sk-the-first-aaaa\nsk-the-second-bbbb',
  });
  const keys = () => daemon.root.channels.keys({ id });
  await signIn('root');
  await goTo('/channel?keyword=keyed');
  await actOnRow(visit, 'keyed', text('密钥', 'Keys'));
  await actOnRow(visit, '…bbbb', text('上限', 'Limits'));
  const dialog = page.getByRole('dialog', { name: text('第 2 个密钥的上限', 'Limits of key 2') });
  await dialog.getByLabel(text('每分钟请求', 'Requests/min')).fill('60');
  await dialog.getByLabel(text('每分钟 token', 'Tokens/min')).fill('9000');
  await dialog.getByLabel(text('并发', 'At once')).fill('3');
  await expectClean('limits');
  await dialog.getByRole('button', { name: text('保存', 'Save') }).click();
  await dialog.waitFor({ state: 'detached' });
  const { cap, tpm, concurrency } = (await keys())[1] ?? {};
  assert.equal([cap, tpm, concurrency], [60, 9000, 3]);
  await actOnRow(visit, '…bbbb', text('禁用', 'Disable'));
  await untilPasses(async () => assert.is((await keys())[1]?.status, 2));
  await actOnRow(visit, '…bbbb', text('删除', 'Delete'));
  await page
    .getByRole('dialog')
    .last()
    .getByRole('button', { name: text('删除 1 个密钥', 'Delete 1 key') })
    .click();
  await untilPasses(async () => assert.is((await keys()).length, 1));
});

journey.run();
