/** B1 of console.md 10: the first run of a fresh daemon. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { startSite } from './site.ts';

const journey = journeys('the first run', { open: () => startSite({ isSetUp: false }), isFresh: true });

journey('B1 setup: leads every path to the form, says what is wrong with it, and sets up once', async (visit) => {
  const { page, text, goTo, signIn, expectClean, settled, daemon } = visit;
  await goTo('/token?p=2');
  await untilPasses(() => assert.is(page.url(), `${daemon.url}/setup`));
  const warning = text('你正在使用 SQLite 数据库，请确保数据文件已持久化保存', 'You are using SQLite: make sure');
  await page.getByText(warning).waitFor();
  await expectClean('form');
  const bar = page.getByRole('banner');
  await bar.getByRole('button', { name: text('语言', 'Language') }).waitFor();
  // Every one of them would lead back here.
  const led = bar.getByRole('link').filter({ hasNotText: 'Tollgate' });
  assert.equal(await led.allTextContents(), []);
  assert.is(await bar.getByRole('button', { name: text('打开菜单', 'Open menu') }).count(), 0);

  const name = page.getByLabel(text('用户名', 'User name'), { exact: true });
  const password = page.getByLabel(text('密码', 'Password'), { exact: true });
  const confirmation = page.getByLabel(text('确认密码', 'Confirm password'), { exact: true });
  const submit = page.getByRole('button', { name: text('初始化系统', /^Initiali[sz]e/) });
  await submit.click();
  await page.getByText(text('请输入管理员用户名', /Enter the administrator.s user name/)).waitFor();
  await page.getByText(text('密码长度至少为8个字符', 'Password needs at least 8 characters')).waitFor();
  await name.fill('root');
  await password.fill('a good password');
  await confirmation.fill('another password');
  await submit.click();
  await page.getByText(text('两次输入的密码不一致', 'The two passwords do not match')).waitFor();
  await expectClean('refused');

  await page.getByRole('button', { name: text('模式说明', 'About the modes') }).click();
  await page.getByRole('dialog').waitFor();
  await expectClean('modes explained');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await confirmation.fill('a good password');
  await submit.click();
  await page.getByText(text('系统初始化成功，正在跳转...', 'System initialised, redirecting...')).first().waitFor();
  await page.waitForURL(`${daemon.url}/`);
  await bar.getByRole('link', { name: text('登录', 'Sign in') }).waitFor();
  await settled();
  await goTo('/setup');
  await untilPasses(() => assert.is(page.url(), `${daemon.url}/`));

  const { user } = await signIn({ username: 'root', password: 'a good password' });
  await goTo('/detail');
  const step = (zh: string, en: string) =>
    page.getByRole('listitem').filter({ hasText: text(zh, en), has: page.getByRole('link') });
  await step('添加第一个渠道', 'Add the first channel').waitFor();
  await expectClean('what is left to do');
  const data = { key: 'ServerAddress', value: 'https://gateway.example' };
  const headers = { 'Tollgate-User': String(user.id) };
  assert.ok((await page.request.put(`${daemon.url}/api/option/`, { data, headers })).ok());
  await goTo('/detail');
  await step('添加第一个渠道', 'Add the first channel').waitFor();
  assert.is(await step('设置服务器地址', 'Set the server address').count(), 0);
  await step('创建第一个令牌', 'Create the first token').waitFor();
  const first = { name: 'first', expired_time: -1, unlimited_quota: true };
  assert.ok((await page.request.post(`${daemon.url}/api/token/`, { data: first, headers })).ok());
  await goTo('/detail');
  // Ticks though the steps before it are open.
  await step('添加第一个渠道', 'Add the first channel').waitFor();
  await step('创建第一个令牌', 'Create the first token').waitFor({ state: 'detached' });
});

journey.onPhone('B1 setup: says when the server cannot be reached, and keeps what was entered', async (visit) => {
  const { page, text, goTo, expectClean, expectFailure } = visit;
  await goTo('/setup');
  const name = page.getByLabel(text('用户名', 'User name'), { exact: true });
  await name.fill('root');
  await page.getByLabel(text('密码', 'Password'), { exact: true }).fill('a good password');
  await page.getByLabel(text('确认密码', 'Confirm password'), { exact: true }).fill('a good password');
  expectFailure('/api/setup', 0);
  await page.route('**/api/setup', (route) => route.abort('connectionrefused'));
  await page.getByRole('button', { name: text('初始化系统', /^Initiali[sz]e/) }).click();
  await page.getByText(text('系统初始化失败，请重试', 'System setup failed, retry')).waitFor();
  assert.is(await name.inputValue(), 'root');
  await expectClean('unreachable');
});

journey.run();
