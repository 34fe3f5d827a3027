import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RepeatedText } from '../../../../daemon/relay/formats/repeated-text.ts';

const test = suite('repeated text');
const payload = (content: string, id = 'c') =>
  `{"id":"${id}","choices":[{"delta":{"content":${JSON.stringify(content)}}}]}`;

test('reads what differs from the frame in its text alone', () => {
  const frame = RepeatedText.around(payload('one'), 'content', 'one');
  assert.is(frame?.in(payload('two')), 'two');
  assert.is(frame?.in(payload('é 你好 😀')), 'é 你好 😀');
  assert.is(frame?.in(payload('two', 'other')), undefined);
  assert.is(frame?.in(payload('')), undefined);
});

test('leaves text with escapes to the parser', () => {
  const frame = RepeatedText.around(payload('one'), 'content', 'one');
  for (const text of ['a "word"', 'a\\b', 'line\nbreak', '\u0001']) assert.is(frame?.in(payload(text)), undefined);
  assert.is(RepeatedText.around(payload('a\nb'), 'content', 'a\nb'), undefined);
});

test('makes no frame where the member is there twice, is written otherwise, or is no text', () => {
  for (const data of [
    '{"content":"a","x":{"content":"a"}}',
    '{"content":"\\u0061","x":"a"}',
    '{"content":["a"]}',
    '{}',
  ]) {
    assert.is(RepeatedText.around(data, 'content', 'a'), undefined, data);
  }
});

test('agrees with the parser on every text', () => {
  const frame = RepeatedText.around(payload('x'), 'content', 'x');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = frame?.in(payload(text));
      assert.ok(read === undefined || read === JSON.parse(payload(text)).choices[0].delta.content);
    }),
  );
});

test.run();
