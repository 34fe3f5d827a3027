/** The list of prices, which needs no account. */
import { journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';

const journey = journeys('the prices', { open: startFilledSite });

journey('prices: finds a model, and says what a call of it would cost', async (visit) => {
  const { page, text, goTo, expectClean } = visit;
  await goTo('/pricing');
  await page
    .getByText(text('未登录，使用默认分组倍率：1', "Not signed in, using the default group's ratio: 1"))
    .waitFor();
  await page.getByRole('searchbox').fill('mini 4o');
  await page.getByText('gpt-4o-mini').first().waitFor();
  await expectClean('found');
  await page.getByRole('searchbox').fill('nobody');
  await page.getByText(text('没有符合条件的数据', 'Nothing matches these filters')).waitFor();
  await page.getByRole('button', { name: text('计算器', 'Calculator') }).click();
  await page.getByRole('dialog', { name: text('费用计算器', 'Cost calculator') }).waitFor();
  await expectClean('calculator');
});

journey.run();
