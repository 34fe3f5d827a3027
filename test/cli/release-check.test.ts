import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isNewer } from '../../cli/release-check.ts';

const release = suite('the order of versions');

release('is that of Semantic Versioning', () => {
  // Source: semver.org, item 11, read 2026-08.
  const ascending = [
    '0.9.10',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    'v1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ];
  for (const [at, version] of ascending.entries()) {
    for (const [before, other] of ascending.entries())
      assert.is(isNewer(version, other), at > before, `${version} ${other}`);
  }
});

release('knows no order of what is no version, and builds make none', () => {
  for (const text of ['', '1', '1.2', 'latest', '1.2.3.4', `1.${'9'.repeat(30)}.0`]) {
    assert.not.ok(isNewer(text, '0.0.1'));
    assert.not.ok(isNewer('9.9.9', text));
  }
  assert.not.ok(isNewer('1.0.0+build2', '1.0.0+build1'));
});

release.run();
