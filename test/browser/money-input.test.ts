/** Amounts as they are typed (console.md 7.5). */
import { journeys } from './journeys.ts';

const journey = journeys('amounts');

journey.onDesktop('are read anew in the unit that was meant', async (visit) => {
  const { page, text, signIn, goTo, site } = visit;
  await signIn(await site.addAccount());
  await goTo('/token');
  await page
    .getByRole('button', { name: text('添加令牌', 'Add token') })
    .first()
    .click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: text('名称', 'Name'), exact: true }).fill('dollars');
  await drawer.getByRole('button', { name: text('以额度输入', 'Enter quota') }).click();
  await drawer.getByRole('textbox', { name: text('额度', 'Quota'), exact: true }).fill('1.5');
  await drawer.getByRole('button', { name: text('以美元输入', 'Enter dollars') }).click();
  await drawer.getByText('750,000').waitFor();
  await drawer.getByRole('button', { name: text('提交', 'Submit') }).click();
  await drawer.getByText(text('令牌「dollars」已创建', 'Token "dollars" created')).waitFor();
});

journey.run();
