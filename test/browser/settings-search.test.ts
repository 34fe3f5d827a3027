/** B22 of console.md 10: where an option is found. */
import { journeys } from './journeys.ts';

const journey = journeys('the search of settings');

journey('6.22 settings: finds an option by its name in the other language', async ({ page, text, signIn, goTo }) => {
  await signIn('root');
  await goTo('/setting');
  await page.getByRole('combobox', { name: text('搜索设置', 'Search settings') }).fill(text('top-up link', '充值链接'));
  await page.getByRole('option', { name: 'TopUpLink' }).click();
  await page.waitForURL(/option=TopUpLink/);
  await page.keyboard.press('Control+k');
  await page
    .getByRole('textbox', { name: text('搜索页面、操作、设置与记录', 'Search pages, actions, settings and records') })
    .fill(text('retries', '失败重试次数'));
  await page.getByRole('button', { name: /RetryTimes/ }).waitFor();
});

journey.run();
