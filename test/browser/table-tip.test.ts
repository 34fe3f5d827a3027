/** The tips of tables (console.md 3, rule 4), as a hand with a pointer meets them. */
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';

const journey = journeys('the tips of tables');

journey.onDesktop('tell of a button while the pointer is on it or on what is told', async (visit) => {
  const { page, text, signIn, goTo } = visit;
  await signIn('admin');
  await goTo('/user');
  const more = page.getByRole('button', { name: text('更多操作', 'More actions') }).first();
  const { x = 0, y = 0, width = 0, height = 0 } = (await more.boundingBox()) ?? {};
  const tip = page.getByRole('tooltip');
  // Onto the edge of the button, then onto the picture in it.
  await page.mouse.move(x + 2, y + height / 2);
  await page.mouse.move(x + width / 2, y + height / 2);
  await tip.waitFor();
  const told = (await tip.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(told.x + told.width / 2, told.y + told.height / 2);
  const isGone = await tip.waitFor({ state: 'detached', timeout: 500 }).then(
    () => true,
    () => false,
  );
  assert.not(isGone);
  await page.mouse.move(2, 2);
  await tip.waitFor({ state: 'detached' });
});

journey.run();
