import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SensitiveWords, SensitiveWordsCache } from '../../../daemon/domain/sensitive-words.ts';
import { optionsView } from '../../support/options-view.ts';
import { processorMs } from '../../support/processor-time.ts';

const test = suite('domain/sensitive-words');
const find = (lines: readonly string[], ...texts: string[]) => new SensitiveWords(lines).find(texts);

test('finds a word within a text whatever its case and width', () => {
  assert.is(find(['Forbidden'], 'this is fORBIDDEN here'), 'Forbidden');
  assert.is(find(['forbidden'], 'ＦＯＲＢＩＤＤＥＮ'), 'forbidden');
  assert.is(find(['屏蔽词'], '这是屏蔽词。'), '屏蔽词');
  assert.is(find(['forbidden'], 'for bidden', 'forbidde'), undefined);
});

test('finds a word that characters without a width are hidden in', () => {
  for (const hidden of ['\u00ad', '\u200b', '\u200d', '\u2060', '\ufeff', '\ufe0f', '\u{e0041}']) {
    assert.is(find(['forbidden'], `a for${hidden}bid${hidden}${hidden}den word`), 'forbidden');
    assert.is(find(['屏蔽词'], `屏${hidden}蔽词`), '屏蔽词');
    assert.is(find([`for${hidden}bidden`], 'forbidden'), `for${hidden}bidden`);
  }
  assert.is(find(['regex:^hel+o$'], 'he\u200bllo'), 'regex:^hel+o$');
  assert.is(find(['regex:\u200b'], 'a\u200bb'), 'regex:\u200b', 'who looks for them finds them');
  assert.is(find(['\u200b'], 'ab', 'a\u00adb'), undefined, 'a line of nothing else means itself');
  assert.is(find(['\u200b'], 'a\u200bb'), '\u200b');
});

/** Words that no text of these tests contains; with them a list is long, and looked for in another way. */
const others = Array.from({ length: 20 }, (_, index) => `other${index}`);

test('finds a word that begins within another', () => {
  for (const more of [[], others]) {
    assert.is(find(['abcd', 'bce', ...more], 'xabce'), 'bce');
    assert.is(find(['abcd', 'bc', ...more], 'abcx'), 'bc');
    assert.is(find(['aab', ...more], 'aaaab'), 'aab');
  }
});

test('takes lines that begin with regex: as patterns, and skips broken ones', () => {
  assert.is(find(['regex:pass(word)?\\d+'], 'my PASS12'), 'regex:pass(word)?\\d+');
  assert.is(find(['regex:pass\\d', 'regex:(', ' '], 'password'), undefined);
});

test('reads a text that would make a backtracking engine hang', async () => {
  const ms = await processorMs(() => assert.is(find(['regex:(a+)+$'], `${'a'.repeat(5000)}!`), undefined));
  assert.ok(ms < 2000, `${ms} ms`);
});

test('finds exactly what a search for each word would', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 40 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), text, (words, searched) => {
      const isThere = words.some((each) => searched.includes(each));
      assert.is(find(words, searched) !== undefined, isThere);
      assert.is(find([...words, ...others], searched) !== undefined, isThere);
    }),
  );
});

test('is off by either switch and without words, and made once for a set of options', () => {
  const cache = new SensitiveWordsCache();
  assert.is(cache.of(optionsView({ CheckSensitiveEnabled: false })), undefined);
  assert.is(cache.of(optionsView({ CheckSensitiveOnPromptEnabled: false })), undefined);
  assert.is(cache.of(optionsView({ SensitiveWords: [] })), undefined);
  const options = optionsView();
  assert.is(cache.of(options), cache.of(options));
  assert.is(cache.of(options)?.find(['a test_sensitive word']), 'test_sensitive');
});

test.run();
