/** B22 of console.md 10: what is saved and what is refused, section by section; and work on prices. */
import * as assert from 'uvu/assert';
import { texts as enFrame } from '../../console/i18n/catalogues/en/frame.ts';
import { texts as enSettings } from '../../console/i18n/catalogues/en/settings.ts';
import { texts as enFields } from '../../console/i18n/catalogues/en/settings-fields.ts';
import { texts as zhFrame } from '../../console/i18n/catalogues/zh/frame.ts';
import { texts as zhSettings } from '../../console/i18n/catalogues/zh/settings.ts';
import { texts as zhFields } from '../../console/i18n/catalogues/zh/settings-fields.ts';
import { gate } from '../support/gate.ts';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';

const journey = journeys('settings', { isFresh: true });
const en = { frame: enFrame, settings: enSettings, fields: enFields };
const zh = { frame: zhFrame, settings: zhSettings, fields: zhFields };

type Desk = Awaited<ReturnType<typeof openSettings>>;

/** What one does on a page of settings, and each call that it made: `key=value`. */
async function openSettings({ page, variant, settled }: Journey) {
  const sent: string[] = [];
  const refused = new Set<string>();
  await page.route('**/api/option/', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    const { key, value } = route.request().postDataJSON();
    sent.push(`${key}=${value}`);
    if (!refused.has(key)) return route.continue();
    return route.fulfill({ status: 400, json: { success: false, message: 'not today', code: 'option_invalid' } });
  });
  const section = (id: string) => page.locator(`[id="section-${id}"]`);
  const option = (key: string) => page.locator(`[id="option-${key}"]`);
  return {
    words: variant.language === 'zh' ? zh : en,
    refused,
    section,
    option,
    /** Three toasts are shown at once, for eight seconds where they tell of an error: each makes room for the next. */
    said: async (text: string) => {
      await page.getByText(text).first().waitFor();
      await page.locator('.mantine-Notification-closeButton').evaluateAll((buttons: readonly HTMLElement[]) => {
        for (const button of buttons) button.click();
      });
    },
    fill: (key: string, value: string) => option(key).locator('input, textarea').first().fill(value),
    /**
     * The label bears the click: the box itself is hidden behind its drawing. What the save before brings in moves the
     * page, the side bar by its width: a press that is let go of beside its place is no click.
     */
    turn: async (key: string) => {
      await settled();
      await option(key).locator('label').first().click();
    },
    save: async (id: string) => {
      await settled();
      await section(id)
        .getByRole('button', { name: /^(?:保存|更新|Save)/ })
        .last()
        .click();
    },
    /** These calls were made since the last time, those that are no switches in any order. */
    expectSent: async (together: readonly string[], inTurn: readonly string[] = []) => {
      const wanted = [...[...together].sort(), ...inTurn];
      const got = () => [...sent.slice(0, together.length).sort(), ...sent.slice(together.length)];
      await untilPasses(() => assert.equal(got(), wanted));
      sent.length = 0;
    },
  };
}

journey.onDesktop('B22 settings: saves what changed, and keeps from mistakes', async (visit) => {
  const desk = await openSettings(visit);
  await saveInOrder(visit, desk);
  await lookForRelease(visit, desk);
  await beKeptFromMistakes(visit, desk);
  // The page goes on to the next visit.
  await visit.page.unrouteAll({ behavior: 'wait' });
});

/** Key by key, the switches in turn up to a refusal. */
async function saveInOrder(visit: Journey, desk: Desk): Promise<void> {
  const { page, signIn, goTo, expectClean, expectFailure, daemon } = visit;
  const { words, refused, section, option, said, fill, turn, save, expectSent } = desk;
  // In another order than their ratios.
  await daemon.root.options.set({ key: 'UserUsableGroups', value: '{"vip":"v","default":"d"}' });
  await signIn('root');
  await goTo('/setting');
  await save('general');
  await said(words.frame.error.unchanged);
  await expectSent([]);
  await fill('TopUpLink', 'https://shop.example');
  await fill('general_setting.docs_link', 'https://docs.example');
  await turn('DisplayTokenStatEnabled');
  await turn('DefaultCollapseSidebar');
  await save('general');
  await expectSent(
    ['TopUpLink=https://shop.example', 'general_setting.docs_link=https://docs.example'],
    ['DisplayTokenStatEnabled=false', 'DefaultCollapseSidebar=true'],
  );
  await said(words.frame.notice.saved);

  expectFailure('/api/option/', 400);
  refused.add('DefaultCollapseSidebar');
  await fill('TopUpLink', '');
  await turn('DisplayTokenStatEnabled');
  await turn('DefaultCollapseSidebar');
  await save('general');
  await said(words.frame.error.savePartly);
  await option('DefaultCollapseSidebar').getByText('not today').waitFor();
  await expectSent(['TopUpLink='], ['DefaultCollapseSidebar=false']);
  refused.clear();
  await save('general');
  await expectSent([], ['DefaultCollapseSidebar=false', 'DisplayTokenStatEnabled=true']);

  await fill('ModelFallbackAlias', '{');
  await option('ModelFallbackAlias').locator('textarea').blur();
  const mistake = /JSON (?:字符串|string)/g;
  await option('ModelFallbackAlias').getByText(mistake).waitFor();
  assert.is((await option('ModelFallbackAlias').innerText()).match(mistake)?.length, 1);
  await save('routing');
  await said(words.frame.error.input);
  // The complaint about a field that is left moves the button below it.
  await fill('RetryTimes', '11');
  await save('general');
  await said(words.frame.error.input);
  await fill('RebatePercentage', '100.1');
  await save('rebate');
  await said(words.fields.problem.rebate);
  await option('RebatePercentage').locator('input:focus').waitFor();
  // The bar saves all tabs, and leads to the one with the mistake.
  await page.getByRole('tab', { name: words.settings.tab.system, exact: true }).click();
  await option('ServerAddress').waitFor();
  await page.getByRole('button', { name: words.frame.action.save, exact: true }).click();
  await option('ModelFallbackAlias').waitFor();
  await said(words.frame.error.input);
  // The groups table tells how many users, channels and keys carry a group.
  const carried = section('groups').getByRole('row', { name: 'svip' }).locator('td:nth-child(n+5):nth-child(-n+7)');
  await carried.filter({ hasText: /^\d+$/ }).nth(2).waitFor();
  const ratio = section('groups').getByLabel(words.settings.groups.ratioOf.replace('{name}', 'svip'));
  await ratio.fill('');
  await ratio.pressSequentially('0.10');
  await save('groups');
  await expectSent([`GroupRatio=${JSON.stringify({ default: 1, vip: 1, svip: 0.1 }, null, 2)}`]);
  await section('logs').locator('input[type="datetime-local"]').fill('');
  await section('logs').getByRole('button', { name: words.settings.cleanup.act }).click();
  await said(words.settings.cleanup.missing);
  await expectSent([]);
  // Keys lead away as links do.
  await page.locator('h1').click();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  const asked = page.getByRole('dialog').filter({ hasText: words.frame.state.unsaved });
  await asked.getByRole('button', { name: words.frame.action.cancel }).click();
  await asked.waitFor({ state: 'detached' });
  assert.match(page.url(), /\/setting/);
  await page.getByRole('button', { name: words.settings.unsaved.discard }).click();
  await expectClean('discarded');
}

/** At the public host of the code: it says nothing usable, then the version that runs, then a newer one. */
async function lookForRelease({ page, goTo, expectClean, daemon }: Journey, { words, said }: Desk): Promise<void> {
  const { version } = await daemon.root.status.get();
  const address = 'https://github.com/tollgate-gateway/tollgate/releases/tag/v999.0.0';
  const answers = [
    {},
    { tag_name: `v${version}`, html_url: address, body: null },
    { tag_name: 'v999.0.0', html_url: address, body: '**Faster** in all ways' },
  ];
  await page.route('https://api.github.com/repos/tollgate-gateway/tollgate/releases/latest', (route) =>
    route.fulfill({ json: answers.shift(), headers: { 'access-control-allow-origin': '*' } }),
  );
  await goTo('/setting?tab=other');
  const look = page.getByRole('button', { name: words.settings.info.check });
  await look.click();
  await said(words.settings.info.failed);
  await look.click();
  await said(words.settings.info.current.replace('{version}', version));
  await look.click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('strong', { hasText: 'Faster' }).waitFor();
  assert.is(await dialog.getByRole('link', { name: words.settings.info.open }).getAttribute('href'), address);
  await expectClean('newer release');
}

/** In what guards sign-in, payment and secrets; admins only read of it. */
async function beKeptFromMistakes(visit: Journey, desk: Desk): Promise<void> {
  const { page, signIn, goTo, expectClean, daemon } = visit;
  const { words, section, option, said, fill, turn, save, expectSent } = desk;
  await goTo('/setting?tab=system');
  const saveAll = page
    .getByRole('region', { name: words.settings.unsaved.mark })
    .getByRole('button', { name: words.frame.action.save, exact: true });
  await fill('PayAddress', 'https://pay.example');
  await saveAll.click();
  await said(words.settings.payment.addressFirst);
  await fill('PayAddress', '');
  await fill('SMTPServer', 'mail.example');
  await save('smtp');
  await expectSent(['SMTPServer=mail.example']);

  const byPassword = option('PasswordLoginEnabled').getByRole('switch');
  const asked = page.getByRole('dialog');
  await turn('PasswordLoginEnabled');
  await asked.getByRole('button', { name: words.frame.action.cancel }).click();
  await asked.waitFor({ state: 'detached' });
  assert.ok(await byPassword.isChecked());
  await expectSent([]);
  await turn('PasswordLoginEnabled');
  await asked.getByRole('button', { name: words.frame.action.disable }).click();
  await expectSent([], ['PasswordLoginEnabled=false']);
  await untilPasses(async () => assert.not.ok(await byPassword.isChecked()));
  await turn('PasswordLoginEnabled');
  await expectSent([], ['PasswordLoginEnabled=true']);

  const domains = option('EmailDomainWhitelist');
  for (const [typed, answer] of [
    ['nodot', words.settings.domain.invalid],
    ['Gmail.com', words.settings.domain.duplicate],
  ] as const) {
    await domains.locator('input').first().fill(typed);
    await page.keyboard.press('Enter');
    await domains.getByText(answer).waitFor();
  }
  await domains
    .locator('input')
    .first()
    .evaluate((field) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'nodot,one.example,no_dot,One.example,two.example');
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
  await domains.getByText(words.settings.domain.invalid).waitFor();
  const { value: allowed } = (await daemon.root.options.list()).find(({ key }) => key === 'EmailDomainWhitelist') ?? {};
  await save('email-domains');
  await expectSent([`EmailDomainWhitelist=${allowed},one.example,two.example`]);

  await fill('oidc.well_known', 'ftp://idp.example');
  await save('oidc');
  await said(words.fields.problem.wellKnown);
  const found = { authorization_endpoint: 'https://idp.example/a', token_endpoint: 'https://idp.example/t' };
  const served: Record<string, unknown>[] = [{}, { ...found, userinfo_endpoint: 'https://idp.example/u' }];
  await page.route('https://idp.example/**', (route) =>
    route.fulfill({ json: served.shift(), headers: { 'access-control-allow-origin': '*' } }),
  );
  await fill('oidc.well_known', 'https://idp.example/one');
  await save('oidc');
  await said(words.settings.oidc.failed);
  await expectSent(['oidc.well_known=https://idp.example/one']);
  await fill('oidc.well_known', 'https://idp.example/two');
  await saveAll.click();
  await said(words.settings.oidc.fetched);
  await expectSent([
    'oidc.well_known=https://idp.example/two',
    'oidc.authorization_endpoint=https://idp.example/a',
    'oidc.token_endpoint=https://idp.example/t',
    'oidc.user_info_endpoint=https://idp.example/u',
  ]);

  await signIn('admin');
  await goTo('/setting?tab=system');
  await section('oidc').getByText(words.frame.state.rootOnly).waitFor();
  assert.is(
    await section('oidc')
      .getByRole('button', { name: /^(?:保存|Save)/ })
      .count(),
    0,
  );
  assert.ok(
    await option('oidc.well_known')
      .locator('input')
      .evaluate((input) => input.matches('[readonly]')),
  );
  await expectClean('as admin');
}

journey.onDesktop('B22 settings: what is saved twice in a row is sent once, and told of once', async (visit) => {
  const { page, goTo, signIn, settled } = visit;
  const { words, fill, expectSent } = await openSettings(visit);
  const { open, opened } = gate();
  await page.route('**/api/option/', async (route) => {
    if (route.request().method() === 'PUT') await opened;
    return route.fallback();
  });
  await signIn('root');
  await goTo('/setting');
  await fill('TopUpLink', 'https://shop.example');
  await page.keyboard.press('Control+s');
  const asked = page.waitForRequest((request) => request.method() === 'PUT');
  await page.keyboard.press('Control+s');
  await asked;
  open();
  await page.getByText(words.frame.notice.saved).first().waitFor();
  await settled();
  await expectSent(['TopUpLink=https://shop.example']);
  assert.is(await page.getByText(words.frame.error.save).count(), 0);
});

journey.onPhone('B22 settings: what has the focus stands above the bar of unsaved changes', async (visit) => {
  const { page, goTo, signIn } = visit;
  const { words, option } = await openSettings(visit);
  await signIn('root');
  await goTo('/setting');
  const field = option('TopUpLink').getByRole('textbox');
  await field.fill('https://shop.example');
  const bar = page.getByRole('region', { name: words.settings.unsaved.mark });
  await bar.waitFor();
  const top = (await bar.boundingBox())?.y ?? 0;
  const covered: string[] = [];
  let fields = 0;
  for (; fields < 60; fields += 1) {
    await page.keyboard.press('Tab');
    if (await bar.locator(':focus').count()) break;
    const { bottom, name } = await page.evaluate(() => {
      const { activeElement: focused } = document;
      return { bottom: focused?.getBoundingClientRect().bottom ?? 0, name: focused?.outerHTML.slice(0, 120) ?? '' };
    });
    if (bottom > top) covered.push(name);
  }
  assert.ok(fields > 10 && fields < 60, `the bar comes after ${fields} fields`);
  assert.equal(covered, []);
});

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
  const takeOver = dialog.getByRole('button', { name: text('应用 2 项变化', 'Apply 2 changes') });
  await takeOver.waitFor();
  await daemon.root.prices.set({ models: { 'gpt-4o': { model_ratio: 2 } } });
  await takeOver.click();
  await dialog.getByText(text('列表或价格在此期间已变化', 'The list or the prices have changed meanwhile')).waitFor();
  await dialog.getByText('+25.0%').waitFor();
  await takeOver.click();
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
