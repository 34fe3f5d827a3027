import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Pages } from '../../../../daemon/http/routes/pages.ts';

const pages = suite('pages');

const folder = mkdtempSync(join(tmpdir(), 'tollgate-pages-'));
const consoleDir = join(folder, 'console');
mkdirSync(join(consoleDir, 'assets'), { recursive: true });
writeFileSync(join(consoleDir, 'index.html'), '<main>console</main>');
writeFileSync(join(consoleDir, 'assets', 'app-1a2b.js'), 'run()');
writeFileSync(join(consoleDir, '.env'), 'SECRET');
writeFileSync(join(folder, 'outside.txt'), 'outside');

pages.after(() => rmSync(folder, { recursive: true, force: true }));

const site = new Pages({ consoleDir });

pages('serves the document of the console for every page of it', async () => {
  for (const path of ['/', '/login', '/channel/7', '/setting/']) {
    const page = await site.find(path, 'en');
    assert.is(String(page?.body), '<main>console</main>', path);
    assert.is(page?.cacheControl, 'no-cache');
  }
});

pages('lets hashed assets be kept for a year', async () => {
  const asset = await site.find('/assets/app-1a2b.js', 'en');
  assert.is(String(asset?.body), 'run()');
  assert.is(asset?.contentType, 'text/javascript; charset=utf-8');
  assert.match(asset?.cacheControl ?? '', 'immutable');
});

pages('serves nothing outside of the console, no hidden file and no missing asset', async () => {
  for (const path of [
    '/../outside.txt',
    '/.env',
    '/assets/../../outside.txt',
    '/assets/none.js',
    '/none.txt',
    '//x',
    '/%2e%2e/x',
  ]) {
    assert.is(await site.find(path, 'en'), undefined, path);
  }
});

pages('says at the root alone what to run where there is no console', async () => {
  const bare = new Pages({ consoleDir: undefined });
  assert.match(String((await bare.find('/', 'en'))?.body), 'npm run build');
  assert.match(String((await bare.find('/', 'zh'))?.body), '尚未构建');
  assert.is(await bare.find('/login', 'en'), undefined);
});

pages.run();
