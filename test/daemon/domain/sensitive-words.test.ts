import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LoopTurns } from '../../../daemon/domain/loop-turns.ts';
import { SensitivePatterns } from '../../../daemon/domain/sensitive-patterns.ts';
import { type SearchWays, SensitiveWords, SensitiveWordsCache } from '../../../daemon/domain/sensitive-words.ts';
import { optionsView } from '../../support/options-view.ts';
import { assertQuick } from '../../support/processor-time.ts';

const test = suite('domain/sensitive-words');
const ways: SearchWays = {
  turns: new LoopTurns(),
  elsewhere: async (asked) => new SensitivePatterns(asked.lines).find(asked.texts),
};
const find = async (lines: readonly string[], ...texts: string[]) => new SensitiveWords(lines, ways).find(texts);

test('finds a word within a text whatever its case and width', async () => {
  assert.is(await find(['Forbidden'], 'this is fORBIDDEN here'), 'Forbidden');
  assert.is(await find(['forbidden'], 'ＦＯＲＢＩＤＤＥＮ'), 'forbidden');
  assert.is(await find(['屏蔽词'], '这是屏蔽词。'), '屏蔽词');
  assert.is(await find(['forbidden'], 'for bidden', 'forbidde'), undefined);
});

test('finds a word that characters without a width are hidden in', async () => {
  for (const hidden of ['\u00ad', '\u200b', '\u200d', '\u2060', '\ufeff', '\ufe0f', '\u{e0041}']) {
    assert.is(await find(['forbidden'], `a for${hidden}bid${hidden}${hidden}den word`), 'forbidden');
    assert.is(await find(['屏蔽词'], `屏${hidden}蔽词`), '屏蔽词');
    assert.is(await find([`for${hidden}bidden`], 'forbidden'), `for${hidden}bidden`);
  }
  assert.is(await find(['regex:^hel+o$'], 'he\u200bllo'), 'regex:^hel+o$');
  assert.is(await find(['regex:\u200b'], 'a\u200bb'), 'regex:\u200b', 'who looks for them finds them');
  assert.is(await find(['\u200b'], 'ab', 'a\u00adb'), undefined, 'a line of nothing else means itself');
  assert.is(await find(['\u200b'], 'a\u200bb'), '\u200b');
});

/** Words that no text of these tests contains; with them a list is long, and looked for in another way. */
const others = Array.from({ length: 20 }, (_, index) => `other${index}`);

test('finds a word that begins within another', async () => {
  for (const more of [[], others]) {
    assert.is(await find(['abcd', 'bce', ...more], 'xabce'), 'bce');
    assert.is(await find(['abcd', 'bc', ...more], 'abcx'), 'bc');
    assert.is(await find(['aab', ...more], 'aaaab'), 'aab');
  }
});

test('takes lines that begin with regex: as patterns, and skips broken ones', async () => {
  assert.is(await find(['regex:pass(word)?\\d+'], 'my PASS12'), 'regex:pass(word)?\\d+');
  assert.is(await find(['regex:pass\\d', 'regex:(', ' '], 'password'), undefined);
});

test('reads a text that would make a backtracking engine hang', async () => {
  await assertQuick(2000, async () => assert.is(await find(['regex:(a+)+$'], `${'a'.repeat(5000)}!`), undefined));
});

test('finds exactly what a search for each word would', async () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), text, async (words, searched) => {
      const isThere = words.some((each) => searched.includes(each));
      assert.is((await find(words, searched)) !== undefined, isThere);
      assert.is((await find([...words, ...others], searched)) !== undefined, isThere);
    }),
  );
});

/** Found in the whole text at once, in both its forms. */
function isInWhole(word: string, text: string): boolean {
  const visible = (form: string) => form.replace(/\p{Default_Ignorable_Code_Point}+/gu, '').normalize('NFKC');
  const written = text.normalize('NFKC');
  const wanted = (visible(word.normalize('NFKC')) || word).toLowerCase();
  return [visible(written), written].some((form) => form.toLowerCase().includes(wanted));
}

test('finds in a long text what stands over the edges of the pieces in which it is read', async () => {
  const units = [
    'a',
    'b',
    ' ',
    '.',
    'Σ',
    'σ',
    'ς',
    'é',
    'e\u0301',
    '\u0323',
    '\u200b',
    '\ufdfa',
    '한',
    '\u1112\u1161',
    '屏',
    '\u{1d6ba}',
  ];
  const word = fc
    .string({ unit: fc.constantFrom(...units), minLength: 1, maxLength: 4 })
    .filter((each) => each.trim() === each);
  const lead = fc.string({ unit: fc.constantFrom(...units), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(word, lead, lead, fc.integer({ min: 980, max: 1060 }), async (looked, before, after, length) => {
      for (const hidden of [looked, looked.toUpperCase()]) {
        const text = `${'x'.repeat(length)}${before}${hidden}${after}${'y'.repeat(300)}`;
        for (const more of [[], others]) {
          assert.is(await find([looked, ...more], text), isInWhole(looked, text) ? looked : undefined);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('finds a word that is longer than a piece, and one at the end of many pieces', async () => {
  const long = '屏蔽词汇'.repeat(700);
  for (const more of [[], others]) {
    assert.is(await find([long, ...more], `${'x'.repeat(5000)}${long}${'y'.repeat(5000)}`), long);
    assert.is(await find([long, ...more], `${'x'.repeat(5000)}${long.slice(1)}${'y'.repeat(5000)}`), undefined);
    assert.is(await find(['屏蔽词', ...more], `${'\ufdfa'.repeat(50_000)}屏蔽词`), '屏蔽词');
    assert.is(await find(['regex:^\\S+ x$', ...more], `${'屏'.repeat(5000)} x`), 'regex:^\\S+ x$');
  }
});

test('leaves the loop to others while it reads a long text', async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  assert.is(await find(['屏蔽词'], '\ufdfa'.repeat(500_000)), undefined);
  isDone = true;
  assert.ok(turns > 5, `${turns} turns`);
});

test('reads marks in a wrong order, which a normal form sorts, in linear time', async () => {
  await assertQuick(2000, async () =>
    assert.is(await find(['屏蔽词'], `a${'\u0301\u0323'.repeat(60_000)}`), undefined),
  );
});

test('is off by either switch and without words, and made once for a set of options', async () => {
  const cache = new SensitiveWordsCache(ways.elsewhere);
  assert.is(cache.of(optionsView({ CheckSensitiveEnabled: false })), undefined);
  assert.is(cache.of(optionsView({ CheckSensitiveOnPromptEnabled: false })), undefined);
  assert.is(cache.of(optionsView({ SensitiveWords: [] })), undefined);
  const options = optionsView();
  assert.is(cache.of(options), cache.of(options));
  assert.is(await cache.of(options)?.find(['a test_sensitive word']), 'test_sensitive');
});

test.run();
