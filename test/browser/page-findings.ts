/** What is wrong with what a page shows: by axe, by its sizes, by its texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CDPSession, Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // The few signs beyond ASCII, all within texts, would make all of it twice as large on its way.
  .replace(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Runs in the page. Each violation with the first places it was found at. What lies half under a pinned column of a
 * table that scrolls sideways, or under the bar at the top, is not too small: it scrolls into sight. Nor is what lies
 * behind an open dialog, out of reach and perhaps half under a toast. The HTML is that of the places alone: axe would
 * write down all it looks at, the whole page among it.
 */
const axeRun = `axe.configure({ noHtml: true });
axe.run(document, ${JSON.stringify({
  runOnly: { type: 'tag', values: axeTags },
  resultTypes: ['violations'],
})}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.filter(({ target }) => {
    const found = document.querySelector(target[0]);
    const dialog = [...document.querySelectorAll('[aria-modal=true]')].at(-1);
    const bar = document.querySelector('body header')?.getBoundingClientRect().bottom ?? 0;
    const isUnderBar = found?.closest('main') && found.getBoundingClientRect().top < bar;
    return id !== 'target-size' ||
      !(isUnderBar || found?.closest('[data-overflowing]') || (dialog && !dialog.contains(found)));
  })
  .slice(0, 5).map(({ target, failureSummary }) =>
    'axe ' + id + ': ' + (document.querySelector(target[0])?.outerHTML.slice(0, 300) ?? target) + ' ' +
      failureSummary.replace(/\\s+/g, ' ').slice(0, 300))))`;

const catalogues = new URL('../../console/i18n/catalogues/zh/', import.meta.url);

/** `page`, `action`, … of every catalogue: a text that is not found is shown as its key, and this is how keys begin. */
async function keyGroups(): Promise<string[]> {
  const groups = new Set<string>();
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    if (path !== '') groups.add(path);
    for (const [name, inner] of Object.entries(value)) walk(inner, path === '' ? name : `${path}.${name}`);
  };
  for (const name of readdirSync(catalogues)) {
    const { texts }: { texts: unknown } = await import(
      `../../console/i18n/catalogues/zh/${name.replace('.ts', '')}.ts`
    );
    walk(texts, '');
  }
  return [...groups];
}

const groups = await keyGroups();

const debuggers = new WeakMap<Page, Promise<CDPSession>>();

/**
 * Gives the document axe, by the debugger's own evaluation: the page's policy has no say in it, and the browser, which
 * knows the script from the document before, does not compile it again, as it would for `page.evaluate`.
 */
async function loadAxe(page: Page): Promise<void> {
  const session = debuggers.get(page) ?? page.context().newCDPSession(page);
  debuggers.set(page, session);
  const { exceptionDetails } = await (await session).send('Runtime.evaluate', { expression: axeSource });
  if (exceptionDetails) throw new Error(`axe cannot be loaded: ${exceptionDetails.text}`);
}

/** What breaks the rules of console.md 1.6, on the page as it is now. */
export async function accessFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await loadAxe(page);
  return page.evaluate<string[]>(axeRun);
}

/** Runs in the page: what is wider than its place, and texts that were not found or not filled in. */
function look(known: readonly string[]): string[] {
  const found: string[] = [];
  const { scrollWidth, clientWidth, scrollHeight } = document.documentElement;
  // No list, form or text of ours is: something has grown with its content.
  if (scrollHeight > 40_000) found.push(`the page is ${scrollHeight} px high`);
  if (scrollWidth > clientWidth) {
    const widest = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    );
    const names = widest.slice(0, 5).map((element) => `${element.tagName} ${element.className}`);
    found.push(`the page scrolls sideways by ${scrollWidth - clientWidth} px: ${names.join(', ')}`);
  }
  for (const element of document.querySelectorAll('button, [role=tab], [role=button], [data-tag]')) {
    if (element.clientWidth === 0 || element.scrollWidth <= element.clientWidth + 1) continue;
    const { overflowX } = getComputedStyle(element);
    const text = element.textContent?.trim() ?? '';
    if (text !== '' && overflowX !== 'visible') {
      found.push(`wider than its place: ${element.tagName} "${text.slice(0, 80)}"`);
    }
  }
  const isKey = (text: string) => {
    const [, group] = /^(?:[a-z][A-Za-z-]*:)?([a-zA-Z.]+)\.[a-zA-Z0-9_-]*$/.exec(text) ?? [];
    return group !== undefined && known.includes(group);
  };
  const tell = (text: string, where: Element) => {
    if (isKey(text)) found.push(`a text is missing: ${text}`);
    // These two are what an administrator writes into the link of a chat program.
    if (/\{(?!address\}|key\})[a-z][A-Za-z]*\}/.test(text) && !where.closest('code, pre, textarea'))
      found.push(`not filled in: ${text}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement && !node.parentElement.closest('script, style')) {
      tell(node.textContent?.trim() ?? '', node.parentElement);
    }
  }
  for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
    for (const element of document.querySelectorAll(`[${name}]`)) tell(element.getAttribute(name) ?? '', element);
  }
  return found;
}

/** What the eye would find: cut texts, a page that scrolls sideways, names of texts instead of texts. */
export function sightFindings(page: Page): Promise<string[]> {
  return page.evaluate(look, groups);
}
