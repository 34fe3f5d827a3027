/** A walk over every page of a kind of reader: each is opened filled, and nothing on it is wrong (B24 of console.md 10). */
import * as assert from 'uvu/assert';
import { texts as en } from '../../console/i18n/catalogues/en/frame.ts';
import { texts as zh } from '../../console/i18n/catalogues/zh/frame.ts';
import type { Journey } from './journeys.ts';
import { readPageTable } from './page-table.ts';
import { isWhole, walkVariants } from './variants.ts';

export const pages = readPageTable();
export const addressOf = (path: string) => path.replace('/:provider', '/github').replace('/:id', '/1');
/** What happens there is acted through elsewhere: these lead away by themselves. */
const leadsAway = new Set(['/setup', '/oauth/:provider', '/chat/:id', '/chat', '/chat2link']);

/**
 * Opens each page, looks, and goes on; says of all that is wrong, not of the first thing alone. The two variants of every
 * day take turns, so that half of the pages are looked at on a phone and the other half on a desktop.
 */
export async function walkThrough(journey: Journey, which: (access: string) => boolean): Promise<void> {
  const { page, goTo, expectClean, variant } = journey;
  const titles = variant.language === 'zh' ? zh.page : en.page;
  const wrong: string[] = [];
  const mine = pages.filter(({ path, access }) => which(access) && !leadsAway.has(path));
  const turn = walkVariants.indexOf(variant);
  for (const [index, { path, title }] of mine.entries()) {
    if (!isWhole && index % walkVariants.length !== turn) continue;
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
