/** `open`: addresses of console pages. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { consoleObjects, consolePages } from '../../../cli/commands/open.ts';
import { runProgram } from '../../support/command-line.ts';

const test = suite('cli: open');

const environment = { TOLLGATE_URL: 'https://gw.example.com/' };

test('prints the address of a page, and of one thing on it', async () => {
  const addressOf = async (...args: string[]) => (await runProgram(['open', ...args], { environment })).stdout;
  assert.is(await addressOf(), 'https://gw.example.com/\n');
  assert.is(await addressOf('log'), 'https://gw.example.com/log\n');
  assert.is(await addressOf('channel', '7'), 'https://gw.example.com/channel/edit/7\n');
});

test('refuses pages and ids that are not there', async () => {
  for (const args of [['nowhere'], ['log', '7'], ['channel', '../7']]) {
    const ended = await runProgram(['open', ...args], { environment });
    assert.equal([ended.code, ended.stdout], [3, ''], ended.stderr);
  }
});

test('knows pages of the console alone, and each that stands in its menu', () => {
  const table = readFileSync(new URL('../../../console/pages.tsx', import.meta.url), 'utf8');
  const entries = [...table.matchAll(/\{\s*path: '([^']+)',[^}]*\}/g)].map(([entry, path]) => ({ entry, path }));
  const paths = new Set(entries.map(({ path }) => path));
  const known = Object.values(consolePages);
  assert.equal(
    [...known, ...Object.values(consoleObjects)].filter((path) => !paths.has(path)),
    [],
  );
  const shown = entries.filter(({ entry }) => entry.includes('menu:')).map(({ path }) => path);
  assert.ok(shown.length > 10);
  assert.equal(
    shown.filter((path) => path === undefined || !known.includes(path)),
    [],
  );
});

test.run();
