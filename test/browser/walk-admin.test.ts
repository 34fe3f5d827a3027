/** B24 of console.md 10: what administrators see. */
import { journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';
import { walkVariants } from './variants.ts';
import { walkThrough } from './walk.ts';

const walk = journeys('the pages of administrators at a look', { variants: walkVariants, open: startFilledSite });

walk('B24: pages of root', async (journey) => {
  await journey.signIn('root');
  await walkThrough(journey, (access) => access === 'admin');
});

walk.run();
