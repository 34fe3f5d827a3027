/** What was typed and not saved (console.md 6.22, 7.3): leaving it asks first. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';

const journey = journeys('unsaved work', { isFresh: true });

/** The question that stands before the loss. */
function asked({ page, text }: Journey) {
  const dialog = page.getByRole('dialog').filter({ hasText: text('放弃', 'Discard') });
  return dialog.filter({ hasText: text('未保存', 'unsaved') }).last();
}

/** Presses the browser's Back or Forward, and waits for the question. */
async function turnTo(visit: Journey, way: 'back' | 'forward'): Promise<void> {
  await visit.page.evaluate((which) => window.history[which](), way);
  await asked(visit).waitFor();
}

async function answer(visit: Journey, act: 'stay' | 'discard'): Promise<void> {
  const { text } = visit;
  const name = act === 'stay' ? text('取消', 'Cancel') : text('放弃修改', 'Discard');
  await asked(visit).getByRole('button', { name }).click();
  await asked(visit).waitFor({ state: 'detached' });
}

journey.onDesktop(
  '7.3 Back asks before a channel that was changed is left, and leads on once it may be lost',
  async (visit) => {
    const { page, daemon, signIn, goTo, text, settled } = visit;
    const id = await daemon.addChannel({ name: 'first', base_url: 'http://127.0.0.1:9', models: 'm' });
    await signIn('root');
    await goTo('/channel');
    await page
      .getByRole('link', { name: text('编辑', 'Edit'), exact: true })
      .or(page.getByRole('button', { name: text('编辑', 'Edit'), exact: true }))
      .first()
      .click();
    const name = page.getByRole('dialog').getByLabel(text('名称', 'Name')).first();
    await name.waitFor();
    await settled();
    await name.fill('typed');
    await turnTo(visit, 'back');
    assert.is(page.url(), `${daemon.url}/channel/edit/${id}`);
    await answer(visit, 'stay');
    assert.is(await name.inputValue(), 'typed');
    await turnTo(visit, 'back');
    await answer(visit, 'discard');
    await untilPasses(() => assert.is(page.url(), `${daemon.url}/channel`));
    await name.waitFor({ state: 'detached' });
  },
);

journey.onDesktop('6.22 Forward asks before settings that were changed are left', async (visit) => {
  const { page, daemon, signIn, goTo, text, settled } = visit;
  await signIn('root');
  await goTo('/setting');
  await page
    .getByRole('link', { name: text('用户管理', 'Users') })
    .first()
    .click();
  await page.waitForURL('**/user');
  await settled();
  await page.goBack();
  const link = page.locator('[id="option-TopUpLink"] input');
  await link.fill('https://shop.example');
  // From one tab to another and back nothing is lost.
  await page.getByRole('tab', { name: text('其他设置', 'Other') }).click();
  await page.waitForURL('**/setting?tab=other');
  await page.goBack();
  await untilPasses(async () => assert.is(await link.inputValue(), 'https://shop.example'));
  await page
    .getByRole('link', { name: text('用户管理', 'Users') })
    .first()
    .click();
  await answer(visit, 'discard');
  await page.waitForURL('**/user');
  await page.goBack();
  await link.fill('https://other.example');
  await turnTo(visit, 'forward');
  await answer(visit, 'stay');
  assert.is(page.url(), `${daemon.url}/setting`);
  assert.is(await link.inputValue(), 'https://other.example');
  await turnTo(visit, 'forward');
  await answer(visit, 'discard');
  await page.waitForURL('**/user');
});

journey.run();
