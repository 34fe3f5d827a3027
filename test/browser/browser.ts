/** Debian's Chromium without a window, and what one person sees of it in one variant. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumProgram } from '../support/engine-programs.ts';
import { patienceMs } from '../support/until.ts';
import type { Variant } from './variants.ts';

/**
 * No sandbox, since containers run tests as root. Nothing leaves the machine, neither what the browser asks by itself nor
 * what a page asks elsewhere: other hosts do not exist. (To intercept requests costs each a turn of this process.) A page
 * is left after seconds, before its scripts have earned what optimizing them costs.
 */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--no-maglev --no-turbofan',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumProgram(), args: flags });
}

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** Somebody new: no cookies, nothing stored but the language and the colours of the variant. */
export async function openContext(browser: Browser, variant: Variant): Promise<BrowserContext> {
  const isPhone = variant.size === 'phone';
  const context = await browser.newContext({
    viewport: sizes[variant.size],
    hasTouch: isPhone,
    locale: variant.language === 'en' ? 'en-US' : 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    // What moves is neither judged nor waited for.
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(patienceMs);
  // What is sent into a page was compiled to name its functions by this.
  await context.addInitScript('globalThis.__name = (named) => named');
  await context.addInitScript(
    ([language, theme]) => {
      // Storage is there in documents of a site only, not in a frame of another; what was chosen since is kept.
      if (!location.protocol.startsWith('http') || window.parent !== window) return;
      if (localStorage.getItem('i18nextLng') === null) localStorage.setItem('i18nextLng', language);
      if (localStorage.getItem('theme-mode') === null) localStorage.setItem('theme-mode', theme);
    },
    [variant.language, variant.theme] as const,
  );
  return context;
}

/** A page in a context of its own. */
export interface Seat {
  readonly context: BrowserContext;
  readonly page: Page;
}

/**
 * Pages handed from visit to visit, one a variant: what the browser fetched and compiled stays, what a visitor left behind
 * does not. In a page of its own each visit would start a process and compile the console, which is half of what it costs.
 */
export class Seats {
  readonly #browser: Browser;
  readonly #free = new Map<string, Seat>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async take(variant: Variant): Promise<Seat> {
    const kept = this.#free.get(variant.name);
    this.#free.delete(variant.name);
    if (kept !== undefined) return kept;
    const context = await openContext(this.#browser, variant);
    return { context, page: await context.newPage() };
  }

  /** Makes the page as it was when it was new; whoever changed its size or its media has put them back. */
  async giveBack(variant: Variant, seat: Seat, site: string): Promise<void> {
    await forget(seat, site);
    this.#free.set(variant.name, seat);
  }
}

async function forget({ context, page }: Seat, site: string): Promise<void> {
  await Promise.all([page.unrouteAll({ behavior: 'ignoreErrors' }), context.unrouteAll({ behavior: 'ignoreErrors' })]);
  const others = context.pages().filter((other) => other !== page);
  await Promise.all([context.clearCookies(), ...others.map((other) => other.close())]);
  // The site under another of its names has a storage of its own; other hosts do not exist.
  const { origin, port } = new URL(page.url());
  for (const place of new Set([port === new URL(site).port ? origin : site, site])) {
    // A file, whose storage is that of the pages, and which writes nothing into it while it is cleared.
    await page.goto(`${place}/logo.svg`);
    await page.evaluate(async () => {
      localStorage.clear();
      sessionStorage.clear();
      for (const { name } of await indexedDB.databases()) if (name !== undefined) indexedDB.deleteDatabase(name);
    });
  }
}
