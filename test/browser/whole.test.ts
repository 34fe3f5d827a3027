/**
 * B24 of console.md 10: every page as everybody. Who may not see it is sent to the sign-in page and back, or told so;
 * who may sees the page, and nothing on it is wrong.
 */
import * as assert from 'uvu/assert';
import { texts as en } from '../../console/i18n/catalogues/en/frame.ts';
import { texts as zh } from '../../console/i18n/catalogues/zh/frame.ts';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';
import { readPageTable } from './page-table.ts';
import { fill, startSite } from './site.ts';
import { oneVariant, walkVariants } from './variants.ts';

const pages = readPageTable();
const addressOf = (path: string) => path.replace('/:provider', '/github').replace('/:id', '/1');
/** What happens there is acted through elsewhere: these lead away by themselves. */
const leadsAway = new Set(['/setup', '/oauth/:provider', '/chat/:id', '/chat', '/chat2link']);
const frontDoor = new Set(['/login', '/register']);

async function open() {
  const site = await startSite();
  await fill(site);
  return site;
}

const guard = journeys('every page for everybody', { variants: oneVariant, open });

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

const walk = journeys('every page at a look', { variants: walkVariants, open });

/** Opens each page, looks, and goes on; says of all that is wrong, not of the first thing alone. */
async function walkThrough(journey: Journey, which: (access: string) => boolean): Promise<void> {
  const { page, goTo, expectClean, variant } = journey;
  const titles = variant.language === 'zh' ? zh.page : en.page;
  const wrong: string[] = [];
  for (const { path, access, title } of pages) {
    if (!which(access) || leadsAway.has(path)) continue;
    try {
      await goTo(addressOf(path));
      const headings = await page.locator('h1').allInnerTexts();
      assert.is(headings.length, 1, `headings of the first rank: ${headings.join(', ')}`);
      if (path !== '/') assert.match(await page.title(), Reflect.get(titles, title), path);
      await expectClean(path);
    } catch (error) {
      wrong.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  assert.is(wrong.length, 0, wrong.join('\n'));
}

walk('B24: public pages, as a stranger', (journey) => walkThrough(journey, (access) => access === 'public'));

for (const [role, seen] of [
  ['user', 'user'],
  ['root', 'admin'],
] as const) {
  walk(`B24: pages of ${role}`, async (journey) => {
    await journey.signIn(role);
    await walkThrough(journey, (access) => access === seen);
  });
}

walk.run();
