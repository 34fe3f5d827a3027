import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shellWords } from '../../cli/shell-words.ts';

const words = suite('cli: shell words');

words('takes quotes and backslashes from words as a shell does, and begins an empty one behind a blank', () => {
  assert.equal(shellWords('a  b '), ['a', 'b', '']);
  assert.equal(shellWords(''), ['']);
  assert.equal(shellWords(`--name "it's two" 'a "b" \\' x\\ y`), ['--name', "it's two", 'a "b" \\', 'x y']);
  assert.equal(shellWords('"a\\"b\\$\\n" ""'), ['a"b$\\n', '']);
  assert.equal(shellWords('--group="v'), ['--group=v'], 'a quote that is still open');
  assert.equal(shellWords("'two wor"), ['two wor']);
  assert.equal(shellWords('$(touch x) `y` *'), ['$(touch', 'x)', '`y`', '*'], 'nothing is expanded');
});

words.run();
