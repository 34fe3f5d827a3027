/** B24 of console.md 10: what somebody without a pointer finds. */
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';

const journey = journeys('the keyboard', { open: startFilledSite });

journey.onDesktop('B24 keyboard: no column that stays in its place covers what has the focus', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('root');
  await goTo('/channel');
  await page.getByRole('row').filter({ hasText: 'second' }).getByRole('checkbox').focus();
  const covered: string[] = [];
  const met: string[] = [];
  for (let presses = 0; presses < 8; presses += 1) {
    await page.keyboard.press('Tab');
    const { name, isSeen } = await page.evaluate(() => {
      const { activeElement: focused } = document;
      const { left = 0, top = 0, width = 0, height = 0 } = focused?.getBoundingClientRect() ?? {};
      const seen = document.elementFromPoint(left + width / 2, top + height / 2);
      return { name: focused?.getAttribute('aria-label') ?? '', isSeen: focused?.contains(seen) ?? false };
    });
    met.push(name);
    if (!isSeen) covered.push(name);
  }
  const priority = text('second 的优先级', 'Priority of second');
  assert.ok(
    met.some((name) => name.startsWith(String(priority))),
    met.join(),
  );
  assert.equal(covered, []);
});

journey.onDesktop('B24 keyboard: the acts of a row leave its name in sight', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('root');
  await goTo('/user?keyword=alice');
  const row = page.getByRole('row').filter({ hasText: 'alice' });
  await row.waitFor();
  // Where all columns fit, nothing could move.
  await page.setViewportSize({ width: 1100, height: 900 });
  const scrolled = () => row.evaluate((each) => each.closest('table')?.parentElement?.scrollLeft);
  assert.is(await scrolled(), 0);
  await row.getByRole('button', { name: text('更多操作', 'More actions') }).focus();
  assert.is(await scrolled(), 0);
});

journey.run();
