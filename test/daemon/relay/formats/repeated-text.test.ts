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

test('reads escapes in a text, and leaves what is no text to the parser', () => {
  const frame = RepeatedText.around(payload('one'), 'content', 'one');
  for (const text of ['a "word"', 'a\\b', 'line\nbreak', '\u0001']) assert.is(frame?.in(payload(text)), text);
  const [before = '', after = ''] = payload('|').split('|');
  for (const broken of ['a"b', 'a\\', '\\x', 'a","more":"b']) assert.is(frame?.in(before + broken + after), undefined);
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

const joint = '\n\ndata: ';
const frame = RepeatedText.around(payload('x'), 'content', 'x');

/** The run from the first payload on, and what is left behind it. */
function runOver(payloads: readonly string[]): { text: string; rest: string } | undefined {
  const text = `${payloads.join(joint)}\n\n`;
  const run = frame?.run(text, 0, joint);
  return run && { text: run.text, rest: text.slice(run.next) };
}

test('reads payloads that follow one another as one text, up to the last, whose end it does not look at', () => {
  const texts = ['one', ' two', ' "three"\n', ' 你好'];
  const run = runOver([...texts.map((text) => payload(text)), payload('last')]);
  assert.equal(run, { text: texts.join(''), rest: `${payload('last')}\n\n` });
  assert.equal(runOver([payload('one'), '[DONE]']), undefined);
  assert.equal(runOver([payload('one')]), undefined);
});

test('ends a run before a payload in another frame, wherever that stands', () => {
  const [own, other] = [payload('one'), payload('two', 'd')];
  assert.is(runOver([own, own, other])?.rest, [own, `${other}\n\n`].join(joint));
  assert.is(runOver([other, own, own]), undefined);
  assert.is(runOver([own, other, own, own]), undefined, 'the seam of two others is not the end of the first');
  assert.is(runOver([payload('a"b').replace('\\"', '"'), own, own]), undefined);
});

test('reads a run as its payloads one by one', () => {
  const payloads = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.constantFrom('c', 'c', 'c', 'c', 'd')));
  fc.assert(
    fc.property(payloads, (list) => {
      const all = list.map(([text, id]) => payload(text, id));
      const run = runOver(all);
      if (run === undefined) return;
      const left = run.rest.split(joint).length;
      const read = list.slice(0, list.length - left);
      assert.is(run.text, read.map(([text]) => text).join(''));
      assert.ok(read.every(([, id]) => id === 'c'));
    }),
  );
});

test('agrees with the parser on every text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = frame?.in(payload(text));
      assert.ok(read === undefined || read === JSON.parse(payload(text)).choices[0].delta.content);
    }),
  );
});

test.run();
