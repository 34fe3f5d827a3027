/** The operator's notice, which opens by itself once (console.md 4.6). */
import * as assert from 'uvu/assert';
import { gate } from '../support/gate.ts';
import { journeys } from './journeys.ts';

const journey = journeys('notices', { isFresh: true });

journey.onDesktop(
  '4.6 a new notice waits until nobody works in a dialog, and takes nothing that is typed',
  async (visit) => {
    const { page, daemon, text, signIn, expectClean } = visit;
    await daemon.root.options.set({ key: 'Notice', value: 'Closed on Sunday' });
    await signIn('root');
    const { open: release, opened: late } = gate();
    await page.route('**/api/notice', async (route) => {
      await late;
      await route.continue();
    });
    await page.goto(`${daemon.url}/channel/add`);
    const drawer = page.getByRole('dialog').filter({ hasText: text('提交', 'Submit') });
    const name = drawer.getByLabel(text('名称', 'Name')).first();
    await name.fill('half a na');
    const answered = page.waitForResponse('**/api/notice');
    release();
    await answered;
    await page.waitForTimeout(2000);
    await page.keyboard.type('me');
    assert.is(await name.inputValue(), 'half a name');
    const notice = page.getByRole('dialog').filter({ hasText: 'Closed on Sunday' });
    assert.is(await notice.count(), 0);
    await name.fill('');
    await page.keyboard.press('Escape');
    await notice.waitFor();
    await expectClean('notice');
  },
);

journey.onDesktop('4.6 a notice that was read behind the bell does not open by itself', async (visit) => {
  const { page, daemon, text, signIn } = visit;
  await daemon.root.options.set({ key: 'Notice', value: 'Closed on Monday' });
  await signIn('root');
  const answered = page.waitForResponse('**/api/notice');
  await page.goto(`${daemon.url}/channel`);
  await answered;
  await page.getByRole('button', { name: text('公告', 'Notices') }).click();
  const notice = page.getByRole('dialog').filter({ hasText: 'Closed on Monday' });
  await notice.waitFor();
  await page.keyboard.press('Escape');
  await notice.waitFor({ state: 'hidden' });
  // It looked every second and a half whether somebody was at work.
  await page.waitForTimeout(2500);
  assert.is(await notice.count(), 0);
});

journey.run();
