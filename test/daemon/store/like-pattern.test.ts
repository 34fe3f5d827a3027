import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { containsPattern, escapeLike, prefixPattern } from '../../../daemon/store/like-pattern.ts';

const pattern = suite('store/like-pattern');

pattern('disarms wildcards and the escape sign', () => {
  assert.is(escapeLike('50%_\\'), '50\\%\\_\\\\');
});

pattern('matches anywhere from two characters on, and at the start with one', () => {
  assert.is(containsPattern('ab'), '%ab%');
  assert.is(containsPattern('a'), 'a%');
  assert.is(containsPattern('字'), '字%');
  assert.is(containsPattern('🔑'), '🔑%');
  assert.is(prefixPattern('a_'), 'a\\_%');
});

pattern('cuts a search text at a hundred characters', () => {
  assert.is(containsPattern('x'.repeat(500)), `%${'x'.repeat(100)}%`);
});

pattern.run();
