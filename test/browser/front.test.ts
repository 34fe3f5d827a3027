/** B3, B4, B5 and B8 of console.md 10: registering, a lost password, coming back from a provider, and what anybody sees. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';

const journey = journeys('the front door');
let made = 0;

journey('B3 register: says what is wrong with each field, and leads to the sign-in', async (visit) => {
  const { page, text, goTo, expectClean, daemon } = visit;
  await goTo('/register?aff=abcd');
  await expectClean('empty');
  const submit = page.locator('main').getByRole('button', { name: text('注册', 'Sign up'), exact: true });
  const name = page.getByLabel(text('用户名', 'User name'));
  const password = page.getByLabel(text('密码', 'Password'), { exact: true });
  const again = page.getByLabel(text('确认密码', 'Confirm'), { exact: true });
  await name.fill('alice');
  await password.fill('short');
  await submit.click();
  await page.getByText(text('密码长度不得小于 8 位！', 'Password length must not be less than 8')).waitFor();
  await page.getByText(text('两次输入的密码不一致', 'The two passwords do not match')).waitFor();
  assert.ok(await password.evaluate((input) => input === document.activeElement));
  await expectClean('refused here');
  await password.fill('battery staple');
  await again.fill('battery staple');
  await submit.click();
  await page.getByText(text('该用户名不可用', 'User name not available')).waitFor();
  await page.locator('input[name="username"]:focus').waitFor();
  made += 1;
  await name.fill(`newcomer${made}`);
  await submit.click();
  await page.waitForURL(`${daemon.url}/login`);
  assert.is(await page.getByLabel(text('用户名或邮箱', 'User name or e-mail')).inputValue(), `newcomer${made}`);
  assert.is(await page.evaluate(() => localStorage.getItem('aff')), null);
});

journey.onPhone(
  'B4 reset: is locked after each click, over a reload as well',
  async ({ page, text, goTo, expectClean }) => {
    // Mail is sent once in a while to each address of the net, and this is gone through more than once.
    await page.route('**/api/reset_password*', (route) =>
      route.fulfill({ json: { success: true, message: '', data: null } }),
    );
    await goTo('/reset');
    await page.getByLabel(text('邮箱地址', 'E-mail address')).fill('nobody@example.com');
    await page.getByRole('button', { name: text('提交', 'Submit') }).click();
    await page
      .getByText(text('重置邮件发送成功，请检查邮箱！', 'Reset e-mail sent, check your mailbox'))
      .first()
      .waitFor();
    await page.getByRole('button', { name: /\(\d+\)/ }).waitFor();
    await expectClean('sent');
    await page.reload();
    assert.is(await page.getByRole('button', { name: /\(\d+\)/ }).isDisabled(), true);
  },
);

journey.onDesktop(
  'B4 reset: takes the token out of the address, asks before it is used, and leads on from a spent link',
  async (visit) => {
    const { page, text, goTo, expectClean, daemon } = visit;
    await goTo('/user/reset?email=a%40example.com&token=spent');
    await untilPasses(() => assert.not.match(page.url(), 'spent'));
    await page.getByRole('button', { name: text('提交', 'Submit') }).click();
    await page.getByRole('alert').waitFor();
    await expectClean('refused');
    // Pressing again would never help.
    assert.is(await page.getByRole('button', { name: text('提交', 'Submit') }).count(), 0);
    await page.getByRole('link', { name: text('重新发起', 'Request a new link') }).click();
    await untilPasses(() => assert.is(page.url(), `${daemon.url}/reset`));
    await goTo('/user/reset');
    await page.getByText(text('无效的重置链接', 'Invalid reset link')).waitFor();
    await expectClean('incomplete');
  },
);

journey.onDesktop('B5 callbacks: a state that a provider does not know leads to the sign-in', async (visit) => {
  const { page, text, expectFailure, daemon } = visit;
  for (const provider of ['github', 'oidc', 'linuxdo']) {
    expectFailure(`/api/oauth/${provider}`, 403);
    // It goes on by itself 1.5 s after it has said so.
    await page.goto(`${daemon.url}/oauth/${provider}?code=c&state=s`, { waitUntil: 'commit' });
    await page.getByText(text('登录状态无效或已失效，请重新发起', 'Sign-in state missing or expired')).waitFor();
    await page.waitForURL('**/login?*');
    await page.getByRole('alert').getByText(text('登录状态无效或已失效', 'Sign-in state missing')).waitFor();
  }
});

journey.onDesktop(
  'B5 callbacks: says that somebody thought better of it, and keeps where they wanted to go',
  async (visit) => {
    const { page, text, daemon } = visit;
    await page.route('**/api/oauth/oidc?*', (route) =>
      route.fulfill({ json: { success: false, message: 'unreachable', code: 'oauth_exchange', data: null } }),
    );
    await page.goto(`${daemon.url}/logo.svg`);
    await page.evaluate(() => sessionStorage.setItem('oauth-return', '/pricing?group=vip'));
    await page.goto(`${daemon.url}/oauth/oidc?error=access_denied&state=s`, { waitUntil: 'commit' });
    await page.getByText(text('已取消', 'Cancelled'), { exact: true }).waitFor();
    await page.waitForURL('**/login?returnTo=%2Fpricing%3Fgroup%3Dvip');
  },
);

journey('B8 home: shows what to call, and keeps what an administrator wrote harmless', async (visit) => {
  const { page, text, goTo, expectClean, daemon } = visit;
  await goTo('/');
  await page.getByText(text('一个地址，连接所有模型', 'One address for every model')).waitFor();
  await page.getByText(`${daemon.url}/v1`, { exact: true }).waitFor();
  await expectClean('built-in');
  const written = '# Hello\n\n<b id="frame">bold</b><script>document.title=1</script><iframe src="/"></iframe>';
  await daemon.root.options.set({ key: 'HomePageContent', value: written });
  await goTo('/');
  await page.getByRole('heading', { name: 'Hello' }).waitFor();
  assert.is(await page.locator('main script, main iframe, main [id=frame]').count(), 0);
  await daemon.root.options.set({ key: 'HomePageContent', value: '' });
});

journey.onPhone('B8 about, not found: are there for everybody', async ({ page, text, goTo, expectClean }) => {
  await goTo('/about');
  await expectClean('about');
  for (const path of ['/nowhere', '/oauth/nobody']) {
    await goTo(path);
    await page.getByText(text('页面不存在，请检查浏览器地址', 'Page does not exist')).first().waitFor();
    await expectClean(path);
  }
});

journey.onDesktop('B7 shell: begins with the side bar as the site says, until somebody chose', async (visit) => {
  const { page, text, goTo, daemon } = visit;
  const collapse = page.getByRole('button', { name: text('收起侧边栏', 'Collapse side bar') });
  const expand = page.getByRole('button', { name: text('展开侧边栏', 'Expand side bar') });
  await goTo('/pricing');
  await collapse.waitFor();
  await daemon.root.options.set({ key: 'DefaultCollapseSidebar', value: 'true' });
  await goTo('/pricing');
  await expand.click();
  await collapse.waitFor();
  await goTo('/pricing');
  await collapse.waitFor();
  await daemon.root.options.set({ key: 'DefaultCollapseSidebar', value: 'false' });
});

journey.onDesktop(
  'B7 shell: shows the entry of the page in a side bar that is too low for all of them',
  async (visit) => {
    const { page, text, goTo, signIn } = visit;
    const usual = page.viewportSize() ?? { width: 1440, height: 900 };
    const bar = page.getByRole('navigation', { name: text('侧边栏', 'Side bar') });
    const collapse = bar.getByRole('button', { name: text('收起侧边栏', 'Collapse side bar') });
    const room = async () => {
      const [entry, foot] = await Promise.all([
        bar.locator('[aria-current=page]').boundingBox(),
        collapse.boundingBox(),
      ]);
      return entry && foot ? { above: entry.y, below: foot.y - entry.y - entry.height } : { above: 0, below: 0 };
    };
    await signIn('root');
    await page.setViewportSize({ width: 1280, height: 500 });
    await goTo('/personal');
    assert.ok((await room()).below >= 0, 'opened by its address');
    await goTo('/detail');
    const { above, below } = await room();
    assert.ok(above > 0 && below >= 0, 'further up');
    await page.setViewportSize(usual);
  },
);

journey.run();
