/** B2 of console.md 10: the way in, by password and past it. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';

const journey = journeys('signing in');

journey('B2 sign-in: refuses empty and wrong, and leads on when right', async (visit) => {
  const { page, text, goTo, expectClean, site, settled } = visit;
  await goTo('/login');
  await expectClean('empty');
  const name = page.getByLabel(text('用户名或邮箱', 'User name or e-mail'));
  const password = page.getByLabel(text('密码', 'Password'), { exact: true });
  const submit = page.getByRole('button', { name: text('登录', 'Sign in'), exact: true });
  await submit.click();
  await page.getByText(text('请输入用户名和密码', 'Please enter username and password')).waitFor();
  await expectClean('nothing entered');
  await name.fill('alice');
  await password.fill('not her password');
  await password.press('Enter');
  await page.getByRole('alert').waitFor();
  await settled();
  await expectClean('refused');
  assert.is(await password.evaluate((field) => field === document.activeElement), true, 'the password has the focus');
  await password.fill(site.accounts.user.password);
  await submit.click();
  await page.waitForURL('**/token');
  const stored = JSON.parse((await page.evaluate(() => localStorage.getItem('user'))) ?? '{}');
  assert.is(stored.username, 'alice');
  assert.not.match(await page.evaluate(() => JSON.stringify({ ...localStorage })), site.accounts.user.password);
});

for (const [address, target] of [
  ['/login?returnTo=%2Flog%3Ftype%3D2', '/log?type=2'],
  ['/login?returnTo=%2F%2Fevil.example', '/token'],
  ['/login?returnTo=%2F%5Cevil.example', '/token'],
] as const) {
  journey(`B2 sign-in: from ${address} goes to ${target}`, async ({ page, goTo, text, site }) => {
    await goTo(address);
    const { username, password } = site.accounts.user;
    await page.getByLabel(text('用户名或邮箱', 'User name or e-mail')).fill(username);
    await page.getByLabel(text('密码', 'Password'), { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await untilPasses(() => assert.is(page.url(), site.daemon.url + target));
  });
}

journey('B2 sign-in: says that a session is over, and sends on who is signed in', async (visit) => {
  const { page, text, goTo, expectClean, signIn, daemon } = visit;
  await goTo('/login?expired=true');
  const over = text('未登录或登录已过期，请重新登录！', 'Not logged in or login expired, please log in again');
  await page.getByText(over).waitFor();
  await expectClean('expired');
  await signIn();
  await goTo('/login');
  await untilPasses(() => assert.is(page.url(), `${daemon.url}/token`));
});

journey.run();
