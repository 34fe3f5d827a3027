/** How a finished console takes the place of the one before. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const publish = suite('putting the console in its place');

const place = mkdtempSync(join(tmpdir(), 'tollgate-publish-'));
const folder = join(place, 'assets');
const module = new URL('../../bin/console-publish.mjs', import.meta.url).href;

publish.after(() => rmSync(place, { recursive: true, force: true }));

function build(files: Readonly<Record<string, string>>): void {
  const draft = join(place, 'draft');
  mkdirSync(join(draft, 'assets'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(draft, name), text);
  writeFileSync(join(draft, 'theme-boot.js'), 'boot()');
  writeFileSync(join(draft, 'index.html'), '<script src="/theme-boot.js"></script>');
  const code = `import { publishConsole } from ${JSON.stringify(module)}; await publishConsole(...process.argv.slice(1));`;
  execFileSync(process.execPath, ['--input-type=module', '-e', code, draft, folder]);
}

const long = 'export const text = "again and again and again and again and again and again";';

publish('keeps files of the build before for a day, and leaves no draft behind', () => {
  build({ 'assets/a-1.js': long, 'assets/b-1.js': 'b' });
  build({ 'assets/a-2.js': 'a', 'assets/b-1.js': 'b' });
  const names = readdirSync(join(folder, 'assets'));
  for (const name of ['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'a-2.js', 'b-1.js']) assert.ok(names.includes(name), name);
  assert.equal(readdirSync(place), ['assets']);
  const yesterday = Date.now() / 1000 - 25 * 3600;
  for (const name of ['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'b-1.js']) {
    utimesSync(join(folder, 'assets', name), yesterday, yesterday);
  }
  build({ 'assets/b-1.js': 'b' });
  const left = readdirSync(join(folder, 'assets'));
  assert.equal(
    left.filter((name) => !name.startsWith('theme-boot')),
    ['a-2.js', 'b-1.js'],
  );
});

publish('writes compressed forms beside a file where they are smaller', () => {
  build({ 'assets/a-3.js': long, 'assets/tiny-1.js': 'x' });
  assert.is(gunzipSync(readFileSync(join(folder, 'assets/a-3.js.gz'))).toString(), long);
  assert.not(existsSync(join(folder, 'assets/tiny-1.js.gz')));
});

publish('names the script that a page waits for by what it holds', () => {
  build({});
  const path = /src="\/(assets\/theme-boot-[\w-]+\.js)"/.exec(readFileSync(join(folder, 'index.html'), 'utf8'))?.[1];
  assert.is(readFileSync(join(folder, path ?? ''), 'utf8'), 'boot()');
  assert.not(existsSync(join(folder, 'theme-boot.js')));
});

publish.run();
