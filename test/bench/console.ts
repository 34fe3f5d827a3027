/**
 * `npm run bench:console`: how the built console feels on a slow phone (console.md 3): processor slowed four times,
 * 1.6 Mbit/s, 150 ms there and back, nothing in the cache. Medians of some cold visits; the figures move with the machine.
 *   --rounds 3
 */
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { launchBrowser, openContext } from '../browser/browser.ts';
import { fill, type Role, type Site, startSite } from '../browser/site.ts';
import { oneVariant } from '../browser/variants.ts';
import { median } from './load.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);
const slowness = 4;
const line = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };
const [variant] = oneVariant;
if (variant === undefined) throw new Error('there is no variant to look in');

/** Pages to open cold, and who looks. */
const views: readonly { readonly path: string; readonly as?: Role; readonly lcpMs: number }[] = [
  { path: '/login', lcpMs: 2200 },
  { path: '/pricing', lcpMs: 2800 },
  { path: '/token', as: 'user', lcpMs: 2800 },
  { path: '/log', as: 'user', lcpMs: 2800 },
  { path: '/channel', as: 'root', lcpMs: 2800 },
];

/** What the browser itself says of one view. */
interface View {
  readonly firstPaintMs: number;
  readonly lcpMs: number;
  readonly shift: number;
  readonly requests: number;
  readonly kilobytes: number;
}

/** Collects what the performance entries of a document say; runs inside the page, before anything of it. */
function observe(): void {
  const seen = { lcp: 0, shift: 0, events: [] as number[] };
  Reflect.set(globalThis, 'seen', seen);
  const watch = (type: string, take: (entry: PerformanceEntry) => void, more: object = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
  watch('largest-contentful-paint', (entry) => {
    seen.lcp = entry.startTime;
  });
  watch('layout-shift', (entry) => {
    if (Reflect.get(entry, 'hadRecentInput') !== true) seen.shift += Number(Reflect.get(entry, 'value'));
  });
  watch('event', (entry) => seen.events.push(entry.duration), { durationThreshold: 16 });
}

/** A phone on a slow line, with an empty cache. */
async function slowPage(context: BrowserContext, isLineSlow: boolean): Promise<{ page: Page; session: CDPSession }> {
  const page = await context.newPage();
  await page.addInitScript(observe);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  if (isLineSlow) await session.send('Network.emulateNetworkConditions', line);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
  return { page, session };
}

async function enter(site: Site, context: BrowserContext, role: Role | undefined): Promise<void> {
  if (role === undefined) return;
  const { cookies, user } = await site.signIn(site.accounts[role]);
  const { url } = site.daemon;
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, url })));
  await context.addInitScript((text) => localStorage.setItem('user', text), JSON.stringify(user));
}

async function coldView(browser: Browser, site: Site, path: string, role: Role | undefined): Promise<View> {
  const context = await openContext(browser, variant as NonNullable<typeof variant>);
  try {
    await enter(site, context, role);
    const { page, session } = await slowPage(context, true);
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(site.daemon.url + path, { timeout: 60_000 });
    await page.waitForFunction(() => document.querySelector('h1') !== null);
    await page.waitForLoadState('networkidle');
    const read = await page.evaluate(() => ({
      firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      requests: performance.getEntriesByType('resource').length,
      seen: Reflect.get(globalThis, 'seen'),
    }));
    return {
      firstPaintMs: read.firstPaintMs,
      lcpMs: read.seen.lcp,
      shift: read.seen.shift,
      requests: read.requests,
      kilobytes: bytes / 1000,
    };
  } finally {
    await context.close();
  }
}

/** Longest times from a press to the next picture, slowed processor, while a list of keys is worked with. */
async function interactions(browser: Browser, site: Site): Promise<readonly number[]> {
  const context = await openContext(browser, variant as NonNullable<typeof variant>);
  try {
    await enter(site, context, 'root');
    const { page } = await slowPage(context, false);
    page.setDefaultTimeout(60_000);
    await page.goto(`${site.daemon.url}/token?size=100`);
    await page.locator('tbody tr').nth(50).waitFor();
    await page.locator('tbody input[type=checkbox]').nth(3).click();
    await page.locator('tbody input[type=checkbox]').nth(4).click();
    const search = page.locator('main input:not([type=checkbox])').first();
    await search.click();
    await search.pressSequentially('key 1', { delay: 80 });
    await page.getByRole('button', { name: '添加令牌' }).first().click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForTimeout(1000);
    const events: number[] = await page.evaluate(() => Reflect.get(globalThis, 'seen').events);
    return [...events].sort((a, b) => a - b);
  } finally {
    await context.close();
  }
}

const site = await startSite();
const browser = await launchBrowser();
try {
  await fill(site);
  for (let count = 0; count < 100; count += 1) await site.daemon.addKey({ name: `key ${count}` });
  for (const { path, as, lcpMs } of views) {
    const seen: View[] = [];
    for (let round = 0; round < rounds; round += 1) seen.push(await coldView(browser, site, path, as));
    const of = (name: keyof View) => median(seen.map((view) => view[name]));
    console.log(
      [
        path.padEnd(10),
        `first paint ${of('firstPaintMs').toFixed(0).padStart(5)} ms`,
        `LCP ${of('lcpMs').toFixed(0).padStart(5)} ms (wanted ${lcpMs})`,
        `shift ${of('shift').toFixed(3)}`,
        `${of('requests')} requests`,
        `${of('kilobytes').toFixed(0)} KB`,
      ].join('  '),
    );
  }
  const events = await interactions(browser, site);
  const at = (share: number) => events[Math.min(events.length - 1, Math.floor(events.length * share))] ?? 0;
  console.log(`press to picture, 100 keys: p75 ${at(0.75)} ms (wanted 200)  worst ${at(1)} ms (wanted 400)`);
} finally {
  await browser.close();
  await site.stop();
}
