/** B24 of console.md 10: what strangers and users see. */
import { journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';
import { walkVariants } from './variants.ts';
import { walkThrough } from './walk.ts';

const walk = journeys('the pages of strangers and users at a look', { variants: walkVariants, open: startFilledSite });

walk('B24: public pages, as a stranger', (journey) => walkThrough(journey, (access) => access === 'public'));

walk('B24: pages of user', async (journey) => {
  await journey.signIn('user');
  await walkThrough(journey, (access) => access === 'user');
});

walk.run();
