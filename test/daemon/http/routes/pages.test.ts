import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConsole } from '../../../../daemon/http/console-files.ts';
import { type PageAnswer, Pages } from '../../../../daemon/http/routes/pages.ts';
import { optionsView } from '../../../support/options-view.ts';

const pages = suite('pages');

const folder = mkdtempSync(join(tmpdir(), 'tollgate-pages-'));
const consoleDir = join(folder, 'console');
mkdirSync(join(consoleDir, 'assets'), { recursive: true });
writeFileSync(join(consoleDir, 'index.html'), '<main>console</main>');
writeFileSync(join(consoleDir, 'assets', 'app-1a2b.js'), 'run()');
writeFileSync(join(consoleDir, 'assets', 'app-1a2b.js.br'), 'brotli');
writeFileSync(join(consoleDir, 'assets', 'app-1a2b.js.gz'), 'gzip');
writeFileSync(join(consoleDir, '.manifest.json'), '{"i18n/catalogues/en/frame.ts":{"file":"assets/frame-en.js"}}');
writeFileSync(
  join(consoleDir, '.pages.json'),
  JSON.stringify([
    { path: '/', files: ['assets/home.js'], texts: { zh: [], en: [] } },
    {
      path: '/chat/:id',
      files: ['assets/chat.js', 'assets/chat.css'],
      texts: { zh: ['assets/zh.js'], en: ['assets/en.js'] },
    },
    { path: '*', files: ['assets/not-found.js'], texts: { zh: [], en: [] } },
  ]),
);
writeFileSync(join(consoleDir, 'logo.svg'), '<svg/>');
writeFileSync(join(folder, 'outside.txt'), 'outside');
const built = readConsole(consoleDir);
// From here on nothing may be read.
rmSync(folder, { recursive: true, force: true });

const options = () => optionsView({});
const site = new Pages({ console: built, options });

function find(path: string, accepted: readonly string[] = []): PageAnswer | undefined {
  return site.find({ path, language: 'en', accepts: (encoding) => accepted.includes(encoding) });
}

pages('serves the document of the console for every page of it', () => {
  for (const path of ['/', '/login', '/channel/7', '/setting/']) {
    const page = find(path);
    assert.is(String(page?.body), '<main>console</main>', path);
    assert.is(page?.headers['Cache-Control'], 'no-cache');
  }
});

pages('serves no document where programs call, however the path is spelt (S18)', () => {
  const api = [
    '/API/status',
    '/Api',
    '/V1/models',
    '/v1Beta/',
    '/V1alpha/models',
    '/HF/v1/models',
    '/PG/chat/completions',
  ];
  const tasks = ['/mj', '/MJ/task/1/fetch', '/mj-fast/MJ/submit/imagine', '/MJ-Fast/mj', '/suno', '/Suno/fetch/1'];
  for (const path of [...api, ...tasks]) assert.is(find(path), undefined, path);
  for (const path of ['/apis', '/mjs', '/midjourney', '/mj-fast']) assert.ok(find(path), path);
});

pages('announces with the document what the page at its address will ask for, in the language of the browser', () => {
  const announced = (path: string, language: 'zh' | 'en') => {
    const link = site.find({ path, language, accepts: () => false })?.headers.Link ?? '';
    return [...link.matchAll(/<([^>]+)>; rel=(\w+)/g)].map(([, file, how]) => `${how} ${file}`);
  };
  const always = ['modulepreload /assets/frame-en.js', 'preload /api/status'];
  for (const [path, files] of [
    ['/', ['modulepreload /assets/home.js']],
    ['/chat/7', ['modulepreload /assets/chat.js', 'preload /assets/chat.css', 'modulepreload /assets/en.js']],
    ['/chat/7/', ['modulepreload /assets/chat.js', 'preload /assets/chat.css', 'modulepreload /assets/en.js']],
    ['/chat/7/8', ['modulepreload /assets/not-found.js']],
  ] as const) {
    assert.equal(announced(path, 'en').sort(), [...always, ...files].sort(), path);
  }
  assert.ok(announced('/chat/7', 'zh').includes('modulepreload /assets/zh.js'));
  assert.not.ok(announced('/chat/7', 'zh').includes('modulepreload /assets/en.js'));
});

pages('lets hashed assets be kept for a year, and asks about every other file', () => {
  const asset = find('/assets/app-1a2b.js');
  assert.is(String(asset?.body), 'run()');
  assert.is(asset?.headers['Content-Type'], 'text/javascript; charset=utf-8');
  assert.is(asset?.headers['Cache-Control'], 'public, max-age=31536000, immutable');
  assert.is(find('/logo.svg')?.headers['Cache-Control'], 'no-cache');
});

pages('answers in the smallest form that is accepted, each with a tag of its own', () => {
  const forms = [[], ['gzip'], ['gzip', 'br']].map((accepted) => find('/assets/app-1a2b.js', accepted));
  assert.equal(
    forms.map((form) => String(form?.body)),
    ['run()', 'gzip', 'brotli'],
  );
  assert.equal(
    forms.map((form) => form?.headers['Content-Encoding']),
    [undefined, 'gzip', 'br'],
  );
  assert.is(new Set(forms.map((form) => form?.headers.ETag)).size, 3);
  assert.is(find('/logo.svg', ['br'])?.headers['Content-Encoding'], undefined);
});

pages('serves nothing outside of the console, no hidden file and no missing asset', () => {
  for (const path of [
    '/../outside.txt',
    '/.manifest.json',
    '/assets/../../outside.txt',
    '/assets/app-1a2b.js.br',
    '/assets/none.js',
    '/assets/none',
    '/none.txt',
    '/index.html',
  ]) {
    assert.is(find(path), undefined, path);
  }
});

pages('counts documents against the page limit and what lies in memory not', () => {
  assert.equal(
    ['/', '/login', '/logo.svg', '/assets/app-1a2b.js'].map((path) => site.isFile(path)),
    [false, false, true, true],
  );
});

pages('says at the root alone what to run where there is no console', () => {
  const bare = new Pages({ console: readConsole(join(folder, 'none')), options });
  const accepts = () => true;
  assert.match(String(bare.find({ path: '/', language: 'en', accepts })?.body), 'npm run build');
  assert.match(String(bare.find({ path: '/', language: 'zh', accepts })?.body), '尚未构建');
  assert.is(bare.find({ path: '/login', language: 'en', accepts }), undefined);
});

pages.run();
