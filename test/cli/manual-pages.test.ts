/** Manual pages that the build writes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { manualPages } from '../../bin/man-pages.ts';

const pages = suite('manual pages');

pages('are there for every command in both languages, and say what --help says', async () => {
  const written = await manualPages();
  const names = [...written.keys()].map((place) => place.replace(/^.*\//, ''));
  const english = [...written.keys()].filter((place) => place.startsWith('man1/'));
  assert.is(new Set(names).size * 2, names.length);
  assert.ok(english.length > 120, String(english.length));
  const page = written.get('man1/tollgate-channel-test.1') ?? '';
  for (const title of ['SYNOPSIS', 'EXAMPLES', 'ARGUMENTS', 'OPTIONS', 'COLUMNS', 'EXIT STATUS', 'CALLS', 'SEE ALSO']) {
    assert.match(page, new RegExp(`^\\.SH "?${title}`, 'm'));
  }
  assert.match(page, /^\.TH "TOLLGATE\\-CHANNEL\\-TEST" "1"/);
  assert.match(page, /disable\\-failing/);
  assert.match(written.get('zh_CN/man1/tollgate-channel-test.1') ?? '', /^\.SH 退出码/m);
  const first = written.get('man1/tollgate.1') ?? '';
  for (const place of english) {
    const name = place.slice('man1/'.length, -'.1'.length);
    if (name !== 'tollgate') assert.ok(first.includes(`${name.replaceAll('-', '\\-')}(1)`), name);
  }
});

pages.run();
