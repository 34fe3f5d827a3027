import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { estimateText, TextMeter, tokenFamilyOf } from '../../../../daemon/relay/tokens/estimate.ts';

const test = suite('estimateText');

test('counts one unit for each run of letters or digits', () => {
  assert.is(estimateText('openai', ''), 0);
  assert.is(estimateText('openai', 'word'), 2);
  assert.is(estimateText('openai', 'a bb ccc'), Math.ceil(3 * 1.02 + 2 * 0.42));
  assert.is(estimateText('claude', 'abc123'), Math.ceil(1.13 + 1.63));
});

test('weighs characters by class and family', () => {
  assert.is(estimateText('gemini', '世界你好'), Math.ceil(4 * 0.68));
  assert.is(estimateText('openai', 'https://a.b/?c=d'), Math.ceil(5 * 1.02 + 6 * 1 + 0.4));
  assert.is(estimateText('openai', '👍👍'), Math.ceil(2 * 2.12));
  assert.is(estimateText('claude', '∑\n@'), Math.ceil(4.52 + 0.89 + 2.82));
});

test('gives the same count however the text is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(60), (text, at) => {
      const meter = new TextMeter('openai');
      meter.add(text.slice(0, at));
      meter.add(text.slice(at));
      assert.is(meter.tokens, estimateText('openai', text));
    }),
  );
});

test('chooses the family by the model name', () => {
  assert.is(tokenFamilyOf('anthropic/Claude-sonnet-5'), 'claude');
  assert.is(tokenFamilyOf('gemini-3-pro'), 'gemini');
  assert.is(tokenFamilyOf('deepseek-chat'), 'openai');
});

test.run();
