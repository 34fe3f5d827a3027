/**
 * Journeys and walks through the console in a browser (console.md 10). A journey acts, a walk only looks; each is run
 * in its variants, each time by somebody new, on one site for the whole file.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { suite } from 'uvu';
import type { TestDaemon } from '../support/daemon.ts';
import type { FakeUpstream } from '../support/fake-upstream.ts';
import { launchBrowser, Seats } from './browser.ts';
import { type SignedIn, type Site, startSite } from './site.ts';
import { desktopVariants, journeyVariants, phoneVariants, releaseVariants, type Variant } from './variants.ts';
import { Visit } from './visit.ts';

/** What a journey is given. */
export interface Journey extends Pick<Visit, 'text' | 'goTo' | 'signIn' | 'settled' | 'expectClean' | 'expectFailure'> {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly site: Site;
  readonly daemon: TestDaemon;
  readonly upstream: FakeUpstream;
  readonly variant: Variant;
}

interface World {
  browser: Browser;
  seats: Seats;
  site: Site | undefined;
  sessions: Map<string, SignedIn>;
}

export interface JourneyOptions {
  /** Default: those of journeys. */
  readonly variants?: readonly Variant[];
  /** Starts what the file's journeys visit; by default a site with accounts and nothing else. */
  readonly open?: () => Promise<Site>;
  /** True: a site of its own for each journey. */
  readonly isFresh?: boolean;
}

type Run = (journey: Journey) => Promise<void>;

export interface Journeys {
  (name: string, run: Run): void;
  /** Where looks play a small part, or of desktops: on those alone. */
  onDesktop(name: string, run: Run): void;
  /** Likewise, on a phone. */
  onPhone(name: string, run: Run): void;
  /** What takes its time: by `npm run test:console:all` alone. */
  beforeRelease(name: string, run: Run): void;
  run(): void;
}

/** The journeys of a file; it ends with their `.run()`. */
export function journeys(
  title: string,
  { variants = journeyVariants, open = startSite, isFresh = false }: JourneyOptions = {},
): Journeys {
  const test = suite<World>(title);

  test.before(async (world) => {
    world.sessions = new Map();
    world.browser = await launchBrowser();
    world.seats = new Seats(world.browser);
    if (!isFresh) world.site = await open();
  });
  test.after(async ({ browser, site }) => {
    await browser.close();
    await site?.stop();
  });

  const addIn = (which: readonly Variant[], name: string, run: Run) => {
    for (const variant of which) {
      test(`${name} [${variant.name}]`, async ({ seats, site: shared, sessions: known }) => {
        const site = shared ?? (await open());
        const sessions = shared === undefined ? new Map<string, SignedIn>() : known;
        const visit = await Visit.begin({ seats, site, variant, sessions, name });
        try {
          await travel(visit, () => run(journeyOf(visit, site, variant)));
          await visit.end();
        } catch (error) {
          await visit.abandon();
          throw error;
        } finally {
          if (shared === undefined) await site.stop();
        }
      });
    }
  };
  return Object.assign((name: string, run: Run) => addIn(variants, name, run), {
    onDesktop: (name: string, run: Run) => addIn(desktopVariants, name, run),
    onPhone: (name: string, run: Run) => addIn(phoneVariants, name, run),
    beforeRelease: (name: string, run: Run) => addIn(releaseVariants, name, run),
    run: () => test.run(),
  });
}

async function travel(visit: Visit, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    visit.expectNoProblem();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message}\n${await visit.evidence()}`, { cause: error });
  }
}

function journeyOf(visit: Visit, site: Site, variant: Variant): Journey {
  const { page, context, text, goTo, signIn, settled, expectClean, expectFailure } = visit;
  const { daemon, upstream } = site;
  return { page, context, site, daemon, upstream, variant, text, goTo, signIn, settled, expectClean, expectFailure };
}
