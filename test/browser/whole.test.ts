/**
 * B24 of console.md 10: every page as everybody. Who may not see it is sent to the sign-in page and back, or told so.
 */
import * as assert from 'uvu/assert';
import { texts as zh } from '../../console/i18n/catalogues/zh/frame.ts';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';
import { oneVariant } from './variants.ts';
import { addressOf, pages } from './walk.ts';

const frontDoor = new Set(['/login', '/register']);

const guard = journeys('every page for everybody', { variants: oneVariant, open: startFilledSite });

async function expectAddress({ page, daemon }: Journey, wanted: string): Promise<void> {
  await untilPasses(() => assert.is(page.url(), daemon.url + wanted));
}

guard('B24: sends strangers to the sign-in page, with the way back', async (journey) => {
  for (const { path, access } of pages) {
    if (access === 'public') continue;
    const address = addressOf(path);
    await journey.page.goto(`${journey.daemon.url}${address}?p=2`);
    await expectAddress(journey, `/login?returnTo=${encodeURIComponent(`${address}?p=2`)}`);
  }
});

guard('B24: tells ordinary users which pages are not for them', async (journey) => {
  const { page, daemon, signIn } = journey;
  await signIn('user');
  for (const { path, access } of pages) {
    if (access !== 'admin') continue;
    await page.goto(daemon.url + addressOf(path));
    if (path === '/setting') await expectAddress(journey, '/personal?tab=bindings');
    else await page.getByText(zh.state.noPermission).waitFor();
  }
});

guard('B24: sends who is signed in past the front door', async (journey) => {
  await journey.signIn('user');
  for (const path of frontDoor) {
    if (!pages.some((entry) => entry.path === path)) continue;
    await journey.page.goto(journey.daemon.url + path);
    await expectAddress(journey, '/token');
  }
});

guard('B24: says that there is no such page', async ({ page, goTo, expectClean }) => {
  await goTo('/no/such/page');
  await page.getByRole('heading', { name: zh.error.pageNotFound }).waitFor();
  await expectClean('no such page');
});

guard.run();
