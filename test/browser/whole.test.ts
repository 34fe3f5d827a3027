/**
 * B24 of console.md 10: every page as everybody. Who may not see it is sent to the sign-in page and back, or told so.
 */
import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { texts as en } from '../../console/i18n/catalogues/en/frame.ts';
import { texts as zh } from '../../console/i18n/catalogues/zh/frame.ts';
import { untilPasses } from '../support/until.ts';
import { focused, tabTo } from './focus.ts';
import { type Journey, journeys } from './journeys.ts';
import { sightFindings } from './page-findings.ts';
import { startFilledSite } from './site.ts';
import { oneVariant } from './variants.ts';
import { addressOf, pages } from './walk.ts';

const frontDoor = new Set(['/login', '/register']);

const guard = journeys('every page for everybody', { variants: oneVariant, open: startFilledSite });

/** Goes to an address as a link in the console does, without loading it all anew. */
async function turnTo({ page }: Journey, address: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, address);
}

async function expectAddress({ page, daemon }: Journey, wanted: string): Promise<void> {
  await untilPasses(() => assert.is(page.url(), daemon.url + wanted));
}

guard('B24: sends strangers to the sign-in page, with the way back', async (journey) => {
  await journey.goTo('/about');
  for (const { path, access } of pages) {
    if (access === 'public') continue;
    const address = addressOf(path);
    await turnTo(journey, `${address}?p=2`);
    await expectAddress(journey, `/login?returnTo=${encodeURIComponent(`${address}?p=2`)}`);
  }
});

guard('B24: tells ordinary users which pages are not for them', async (journey) => {
  const { page, goTo, signIn } = journey;
  await signIn('user');
  await goTo('/about');
  const refusal = page.getByText(zh.state.noPermission);
  for (const { path, access } of pages) {
    if (access !== 'admin') continue;
    await turnTo(journey, addressOf(path));
    if (path === '/setting') await expectAddress(journey, '/personal?tab=bindings');
    else await refusal.waitFor();
    // By a page that is theirs, so that what is said next is said of the next one.
    await turnTo(journey, '/about');
    await refusal.waitFor({ state: 'detached' });
  }
});

guard('B24: sends who is signed in past the front door', async (journey) => {
  await journey.signIn('user');
  for (const path of frontDoor) {
    if (!pages.some((entry) => entry.path === path)) continue;
    await journey.page.goto(journey.daemon.url + path);
    await expectAddress(journey, '/token');
  }
});

guard('B24: says that there is no such page', async ({ page, goTo, expectClean }) => {
  await goTo('/no/such/page');
  await page.getByRole('heading', { name: zh.error.pageNotFound }).waitFor();
  await expectClean('no such page');
});

guard('B7 shell: shows each role its pages, switches colours and language at once and for every tab', async (visit) => {
  const { page, context, goTo, signIn, daemon, settled } = visit;
  await signIn('user');
  await goTo('/token');
  const sideBar = page.getByRole('navigation', { name: zh.frame.sideBar });
  await sideBar.getByRole('link', { name: zh.page.tokens }).waitFor();
  assert.is(await sideBar.getByRole('link', { name: zh.page.channels, exact: true }).count(), 0);
  await signIn('root');
  await goTo('/token');
  assert.is(await sideBar.getByRole('link', { name: zh.page.tokens }).getAttribute('aria-current'), 'page');

  await sideBar.getByRole('button', { name: zh.frame.collapse }).click();
  const other = await context.newPage();
  await other.goto(`${daemon.url}/token`);
  await other.getByRole('button', { name: zh.frame.expand }).waitFor();
  await page.getByRole('button', { name: zh.colorScheme.toDark }).click();
  const scheme = 'html[data-mantine-color-scheme=dark]';
  for (const each of [page, other]) await each.locator(scheme).waitFor({ state: 'attached' });
  assert.is(await page.evaluate(() => localStorage.getItem('theme-mode')), 'dark');
  await other.close();
  await page.getByRole('button', { name: zh.frame.language }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await page.getByRole('heading', { level: 1, name: en.page.tokens }).waitFor();
  await untilPasses(async () => {
    assert.is(await page.locator('html').getAttribute('lang'), 'en');
    assert.is(await page.title(), `${en.page.tokens} - Tollgate`);
  });
  await settled();

  await sideBarless(visit, '/');
  await daemon.root.options.set({ key: 'DemoSiteEnabled', value: 'true' });
  await daemon.root.options.set({ key: 'Footer', value: 'Kept by **nobody**' });
  await goTo('/about');
  await page.getByText(en.frame.demo, { exact: true }).waitFor();
  await page.locator('footer strong', { hasText: 'nobody' }).waitFor();
  await daemon.root.options.set({ key: 'DemoSiteEnabled', value: 'false' });
  await daemon.root.options.set({ key: 'Footer', value: '' });
  await daemon.root.options.set({ key: 'VersionLabel', value: 'Spring edition' });
  await goTo('/about');
  await page.locator('footer', { hasText: /^Tollgate Spring edition$/ }).waitFor();
  await daemon.root.options.set({ key: 'VersionLabel', value: '' });
});

async function sideBarless({ page, goTo }: Journey, path: string): Promise<void> {
  await goTo(path);
  assert.is(await page.locator('main').count(), 1);
  for (const name of [zh.frame.sideBar, en.frame.sideBar]) {
    assert.is(await page.getByRole('navigation', { name }).count(), 0, path);
  }
}

guard('B7 shell: finds pages, settings and channels by name, and goes by single keys', async (visit) => {
  const { page, goTo, signIn, settled, daemon } = visit;
  await signIn('root');
  await goTo('/token');
  const palette = page.getByRole('textbox', { name: zh.palette.placeholder });
  const ask = async (words: string, found: string | RegExp) => {
    await page.keyboard.press('Control+k');
    await palette.fill(words);
    await page.getByRole('button', { name: found }).first().waitFor();
  };
  // What is found after a while is opened by Enter as well.
  await daemon.addChannel({ name: 'zzqx', base_url: visit.upstream.url, models: 'm' });
  await ask('zzqx', /^zzqx/);
  await page.keyboard.press('Enter');
  await untilPasses(() => assert.match(page.url(), /\/channel\/edit\/\d+$/));
  await goTo('/token');
  await ask('SMTPServer', /SMTP/);
  await visit.expectClean('palette');
  await palette.fill('second');
  await page.getByRole('button', { name: /^second/ }).waitFor();
  await palette.fill(zh.page.audit);
  assert.is(await page.getByRole('button', { name: /^second/ }).count(), 0, 'found for other words');
  await page.keyboard.press('Enter');
  await expectAddress(visit, '/audit');
  await untilPasses(async () => assert.is(await focused(page), `H1 ${zh.page.audit}`));
  await settled();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: zh.shortcut.title }).waitFor();
  await settled();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await expectAddress(visit, '/token');
  await page.getByText('of root', { exact: true }).waitFor();
  await settled();
  await page.keyboard.press('j');
  assert.match(await focused(page), /^TR /);
  await page.keyboard.press('/');
  assert.match(await focused(page), /^INPUT/);
  await goTo('/token');
  await page.keyboard.press('Tab');
  assert.is(await focused(page), `A ${zh.frame.skip}`);
  await page.keyboard.press('Enter');
  assert.match(await focused(page), /^MAIN/);
});

guard.onPhone('B7 shell: names the site whole beside a balance, colours and language in its menu', async (visit) => {
  const { page, text, goTo, signIn, expectClean, variant } = visit;
  if (variant.size !== 'phone') return;
  const [own, other] = variant.language === 'zh' ? [zh, en] : [en, zh];
  const isLight = variant.theme === 'light';
  await signIn('user');
  await goTo('/token');
  const bar = page.getByRole('banner');
  await bar.getByRole('link', { name: /\$/ }).waitFor();
  const name = bar.getByText('Tollgate', { exact: true });
  assert.ok(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth), 'the name is cut');
  const account = bar.getByRole('button', { name: own.frame.account.replace('{name}', 'alice') });
  await account.click();
  const colours = page.getByRole('menuitem', { name: isLight ? own.colorScheme.toDark : own.colorScheme.toLight });
  await colours.waitFor();
  await expectClean('account menu');
  await colours.click();
  await page.locator(`html[data-mantine-color-scheme=${isLight ? 'dark' : 'light'}]`).waitFor({ state: 'attached' });
  await account.click();
  await page.getByRole('menuitemradio', { name: text('English', '中文') }).click();
  await page.getByRole('heading', { level: 1, name: other.page.tokens }).waitFor();
});

guard('B24: is signed in to and given a token by keyboard alone', async (visit) => {
  const { page, goTo, site, settled } = visit;
  await goTo('/login');
  await tabTo(page, '用户名或邮箱');
  await page.keyboard.type(site.accounts.user.username);
  await tabTo(page, '密码');
  await page.keyboard.type(site.accounts.user.password);
  await page.keyboard.press('Enter');
  await expectAddress(visit, '/token');
  await page.getByText('of alice', { exact: true }).waitFor();
  await settled();
  await page.keyboard.press('n');
  const drawer = page.getByRole('dialog');
  await drawer.waitFor();
  await settled();
  await tabTo(page, '名称');
  await page.keyboard.type('by keyboard');
  await page.keyboard.press('Control+Enter');
  await drawer.getByText('令牌「by keyboard」已创建').waitFor();
  await tabTo(page, '完成');
  await page.keyboard.press('Enter');
  await drawer.waitFor({ state: 'detached' });
  // The list is read anew before the new one is its first.
  await page.getByText('by keyboard', { exact: true }).waitFor();
  await settled();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /令牌/ }).waitFor();
  // It listens to keys a moment after it is seen.
  await settled();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await untilPasses(async () => assert.match(await focused(page), 'by keyboard'));
});

guard('B24: is given a channel by keyboard alone', async (visit) => {
  const { page, goTo, signIn, settled, daemon } = visit;
  await signIn('root');
  await goTo('/channel');
  await page.keyboard.press('n');
  const drawer = page.getByRole('dialog');
  await drawer.waitFor();
  await settled();
  // The first field takes the focus by itself.
  await drawer.locator('[data-path=name]:focus').waitFor();
  await page.keyboard.type('by keyboard');
  await tabTo(page, '密钥');
  await page.keyboard.type('sk-by-keyboard');
  await tabTo(page, '自定义模型名称');
  await page.keyboard.type('typed');
  await page.keyboard.press('Enter');
  await drawer.getByText('typed', { exact: true }).waitFor();
  await page.keyboard.press('Control+Enter');
  await drawer.waitFor({ state: 'detached' });
  const { items } = await daemon.root.channels.list({ page: 1, page_size: 10 });
  const made = items.flatMap((row) => ('name' in row && row.models === 'typed' ? row.name : []));
  assert.equal(made, ['by keyboard']);
  await page.getByText('by keyboard', { exact: true }).waitFor();
  await settled();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: '编辑渠道' }).waitFor();
  // It listens to keys a moment after it is seen.
  await settled();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
});

guard('B24: reads out a list, a drawer and a question with their names, states and focus', async (visit) => {
  const { page, goTo, signIn, settled } = visit;
  await signIn('root');
  await goTo('/channel?keyword=first');
  const expectTree = async (place: Locator, lines: readonly string[]) => {
    const tree = await place.ariaSnapshot();
    const missing = lines.filter((line) => !tree.includes(line));
    assert.equal(missing, [], tree);
  };
  await expectTree(page.getByRole('main'), [
    'heading "渠道" [level=1]',
    'link "添加渠道"',
    'table "渠道"',
    'columnheader "名称"',
    'checkbox "选择此行"',
    'switch "批量操作" [checked]',
    'button "first 的优先级: 0"',
    'navigation "分页"',
  ]);
  await page.getByRole('link', { name: '编辑' }).click();
  const drawer = page.getByRole('dialog', { name: '编辑渠道' });
  await drawer.waitFor();
  await settled();
  await expectTree(drawer, ['heading "编辑渠道"', 'textbox "名称"', 'textbox "密钥"', 'button "提交"']);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: '更多操作' }).last().click();
  await page.getByRole('menuitem', { name: '删除' }).click();
  const question = page.getByRole('dialog', { name: '删除渠道「first」' });
  await question.waitFor();
  await settled();
  await expectTree(question, ['heading "删除渠道「first」"', 'button "取消"', 'button "删除渠道"']);
  await untilPasses(async () => assert.is(await focused(page), 'BUTTON 取消'));
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
});

guard('B24: stands still for those who asked for it, and keeps its edges in forced colours', async (visit) => {
  const { page, goTo, signIn } = visit;
  await signIn('root');
  await goTo('/channel/add');
  await page.getByRole('dialog').waitFor();
  const longest = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('*')].flatMap((element) => {
        const { animationDuration, transitionDuration } = getComputedStyle(element);
        return `${animationDuration},${transitionDuration}`.split(',').map(Number.parseFloat);
      }),
    ),
  );
  assert.ok(longest <= 0.001, `something moves for ${longest} s`);
  // Grounds are gone then: what is written into and what is pressed must be framed, by itself or what holds it.
  await page.emulateMedia({ forcedColors: 'active' });
  const edgeless = await page.evaluate(() => {
    const isFramed = (element: Element | null, steps = 3): boolean => {
      if (element === null || steps === 0) return false;
      const { borderTopWidth, borderTopStyle } = getComputedStyle(element);
      const hasEdge = borderTopStyle !== 'none' && Number.parseFloat(borderTopWidth) > 0;
      return hasEdge || isFramed(element.parentElement, steps - 1);
    };
    const controls = document.querySelectorAll(
      '[role=dialog] :is(textarea, [type=submit], input:not([type=checkbox]))',
    );
    return [...controls]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
      .filter((element) => !isFramed(element))
      .map((element) => element.outerHTML.slice(0, 200));
  });
  await page.emulateMedia({ forcedColors: 'none' });
  assert.is(edgeless.length, 0, edgeless.join('\n'));
});

/** What a screen of 1440 px shows at 200 %, and one of 1280 px at 400 % (WCAG 1.4.10). */
const zoomed = [
  { width: 720, height: 450 },
  { width: 320, height: 512 },
];

async function expectReflow({ page, goTo, daemon }: Journey, paths: readonly string[]): Promise<void> {
  const wrong: string[] = [];
  const usual = page.viewportSize() ?? { width: 1440, height: 900 };
  for (const path of paths) {
    await goTo(path);
    for (const size of zoomed) {
      await page.setViewportSize(size);
      const found = await sightFindings(page);
      wrong.push(...found.map((finding) => `${path} at ${size.width} px: ${finding}`));
    }
    await page.setViewportSize(usual);
  }
  assert.is(wrong.length, 0, `${daemon.url}\n${wrong.join('\n')}`);
}

guard('B24: fits 320 px and 200 % without scrolling sideways', async (visit) => {
  await visit.signIn('root');
  await expectReflow(visit, ['/token?edit=new', '/channel', '/log', '/setting']);
});

guard.beforeRelease('B24: every page fits 320 px and 200 %', async (visit) => {
  await visit.signIn('root');
  const mine = pages.filter(({ path, sideBar }) => sideBar !== 'hidden' && !path.includes(':provider'));
  await expectReflow(
    visit,
    mine.map(({ path }) => addressOf(path)),
  );
});

guard.run();
