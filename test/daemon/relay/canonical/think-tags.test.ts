import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../daemon/relay/canonical/chat.ts';
import { type EventReshaper, ThinkTagSplitter, ThinkTagWriter } from '../../../../daemon/relay/canonical/think-tags.ts';
import { checkCanonical } from '../../../support/checkers/canonical.ts';
import { assertQuick } from '../../../support/processor-time.ts';

const test = suite('think tags');

const start: ChatEvent = { type: 'message-start' };
const finish: ChatEvent = { type: 'finish', choice: 0, finish: { reason: 'stop' } };

function text(...pieces: string[]): ChatEvent[] {
  const at = { choice: 0, block: 0 };
  const deltas = pieces.map((piece) => ({ type: 'text-delta', ...at, text: piece }) as const);
  return [start, { type: 'text-start', ...at }, ...deltas, { type: 'text-end', ...at }, finish];
}

function reshaped(reshaper: EventReshaper, events: readonly ChatEvent[]) {
  const { problems, answer } = checkCanonical(events.flatMap((event) => reshaper.push(event)));
  assert.equal(problems, []);
  return { reasoning: answer.reasoning, text: answer.text };
}

const cases: readonly (readonly [what: string, words: string, reasoning: string, text: string])[] = [
  ['a thought before the answer', '<think>\nI look.\n\nAgain.\n</think>\n\nHi', 'I look.\n\nAgain.', 'Hi'],
  ['a thought whose opening tag the template swallowed', 'I look.\n</think>\nHi', 'I look.', 'Hi'],
  ['an empty thought', '<think>\n\n</think>\n\nHi', '', 'Hi'],
  ['an answer without a thought', 'Hi <b>you</b>', '', 'Hi <b>you</b>'],
  ['tags that stand further on', 'Hi, write <think> so', '', 'Hi, write <think> so'],
  ['a thought that never ends', '<think>I look. </thin', 'I look. </thin', ''],
  ['a second pair of tags', '<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
  ['the beginning of a tag and no more', ' <thi', '', ' <thi'],
];
for (const [what, words, reasoning, told] of cases) {
  test(`finds ${what}, wherever the text is cut`, () => {
    assert.equal(reshaped(new ThinkTagSplitter(), text(words)), { reasoning, text: told });
    assert.equal(reshaped(new ThinkTagSplitter(), text(...words)), { reasoning, text: told }, 'letter by letter');
    for (let cut = 1; cut < words.length; cut += 1) {
      const events = text(words.slice(0, cut), words.slice(cut));
      assert.equal(reshaped(new ThinkTagSplitter(), events), { reasoning, text: told }, `cut at ${cut}`);
    }
  });
}

test('lets a long text go that cannot be a thought', () => {
  const splitter = new ThinkTagSplitter();
  const events = text('x'.repeat(70_000), 'y').slice(0, 4);
  assert.ok(events.flatMap((event) => splitter.push(event)).some((event) => event.type === 'text-delta'));
});

for (const opening of ['', '<think>a']) {
  test(`lets white space go that does not end behind "${opening}"`, async () => {
    const at = { choice: 0, block: 0 };
    await assertQuick(5000, () => {
      const splitter = new ThinkTagSplitter();
      const said = (words: string) => splitter.push({ type: 'text-delta', ...at, text: words });
      splitter.push({ type: 'text-start', ...at });
      said(opening);
      const told = Array.from({ length: 40_000 }, () => said(' '.repeat(100))).flat();
      assert.ok(told.length > 0);
    });
  });
}

test('keeps calls and thoughts that the upstream tells apart itself', () => {
  const call: ChatEvent[] = [
    { type: 'tool-call-start', choice: 0, block: 1, kind: 'function', callId: 'c', name: 'f' },
    { type: 'tool-call-end', choice: 0, block: 1 },
  ];
  const out = [...text('<think>a</think>').slice(0, -1), ...call, finish];
  const splitter = new ThinkTagSplitter();
  const events = out.flatMap((event) => splitter.push(event));
  assert.equal(checkCanonical(events).problems, []);
  assert.equal(
    events.flatMap((event) => ('block' in event ? [`${event.type} ${event.block}`] : [])),
    ['reasoning-start 0', 'reasoning-delta 0', 'reasoning-end 0', 'tool-call-start 1', 'tool-call-end 1'],
  );
  const own: ChatEvent[] = [
    start,
    { type: 'reasoning-start', choice: 0, block: 0, form: 'full' },
    { type: 'reasoning-delta', choice: 0, block: 0, text: 'own', part: 0 },
    { type: 'reasoning-end', choice: 0, block: 0 },
    ...text('<think>x</think>')
      .slice(1, -1)
      .map((event) => ('block' in event ? { ...event, block: 1 } : event)),
    finish,
  ];
  assert.equal(reshaped(new ThinkTagSplitter(), own), { reasoning: 'own', text: '<think>x</think>' });
});

function thought(words: string, ...rest: ChatEvent[]): ChatEvent[] {
  const at = { choice: 0, block: 0 };
  const deltas = [...words].map((piece) => ({ type: 'reasoning-delta', ...at, text: piece, part: 0 }) as const);
  return [
    start,
    { type: 'reasoning-start', ...at, form: 'full' },
    ...deltas,
    { type: 'reasoning-end', ...at },
    ...rest,
  ];
}

test('writes a thought in front of the text, and its closing tag also where no text follows', () => {
  const words = text('H', 'i')
    .slice(1)
    .map((event) => ('block' in event ? { ...event, block: 1 } : event));
  assert.equal(reshaped(new ThinkTagWriter(), thought('Hm', ...words)), {
    reasoning: '',
    text: '<think>\nHm\n</think>\nHi',
  });
  assert.equal(reshaped(new ThinkTagWriter(), thought('Hm', finish)).text, '<think>\nHm\n</think>\n');
  assert.equal(reshaped(new ThinkTagWriter(), text('Hi')), { reasoning: '', text: 'Hi' });
});

test.run();
