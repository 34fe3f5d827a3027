/** Reports of one answer taken together (relay.md 14.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyUsage, mergeUsage, type Usage, withCompletion } from '../../../../daemon/relay/canonical/usage.ts';

const test = suite('usage');

const used = (usage: Partial<Usage>): Usage => ({ ...emptyUsage(), ...usage });
const merged = (earlier: Partial<Usage>, later: Partial<Usage>) => mergeUsage(used(earlier), used(later));

test('takes how tokens were kept from the last report that says so, as a whole', () => {
  const kept = ({ cacheCreation5m, cacheCreation1h }: Usage) => [cacheCreation5m, cacheCreation1h];
  assert.equal(kept(merged({ cacheCreation5m: 500 }, { cacheCreation1h: 500 })), [0, 500]);
  assert.equal(kept(merged({ cacheCreation1h: 500 }, { cacheCreation5m: 500 })), [500, 0]);
  assert.equal(kept(merged({ cacheCreation1h: 500 }, {})), [0, 500]);
});

test('is a sum of question and answer as long as no report tells them apart', () => {
  assert.is(merged({ prompt: 50, undivided: true }, {}).undivided, true);
  assert.is(merged({ prompt: 50, undivided: true }, { prompt: 40 }).undivided, undefined);
  assert.is(merged({ prompt: 50, undivided: true }, { completion: 10 }).undivided, undefined);
});

test('divides a sum by the words that came, and leaves at least one token to the question', () => {
  const divided = (words: number) => {
    const reported = used({ prompt: 50, undivided: true });
    const { prompt, completion } = withCompletion(reported, { completion: words, completionAudio: 0 });
    return [prompt, completion];
  };
  assert.equal(
    [divided(20), divided(50), divided(80)],
    [
      [30, 20],
      [1, 49],
      [1, 49],
    ],
  );
  assert.equal(withCompletion(used({ prompt: 50 }), { completion: 20, completionAudio: 0 }).prompt, 50);
});

test('is mixed where one report is a guess', () => {
  assert.is(merged({ source: 'estimated' }, { source: 'upstream' }).source, 'mixed');
  assert.is(merged({ source: 'estimated' }, { source: 'estimated' }).source, 'estimated');
});

test.run();
