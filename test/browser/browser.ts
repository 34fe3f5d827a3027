/** Debian's Chromium without a window, and what one person sees of it in one variant. */
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { chromiumProgram } from '../support/engine-programs.ts';
import { patienceMs } from '../support/until.ts';
import type { Variant } from './variants.ts';

/**
 * No sandbox, since containers run tests as root. Nothing leaves the machine, neither what the browser asks by itself nor
 * what a page asks elsewhere: other hosts do not exist. (To intercept requests costs each a turn of this process.)
 */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
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
