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

journey.run();
