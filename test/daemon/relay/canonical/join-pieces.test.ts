import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../daemon/relay/canonical/event.ts';
import { joinPieces } from '../../../../daemon/relay/canonical/join-pieces.ts';

const test = suite('joined pieces');
const text = (text: string, block = 0, choice = 0): ChatEvent => ({ type: 'text-delta', choice, block, text });
const thought = (text: string, part = 0): ChatEvent => ({ type: 'reasoning-delta', choice: 0, block: 0, text, part });

test('makes one of neighbouring pieces of a block', () => {
  assert.equal(joinPieces([text('a'), text('b'), text('c')]), [text('abc')]);
  assert.equal(joinPieces([thought('a'), thought('b')]), [thought('ab')]);
});

test('keeps apart what belongs to different blocks, choices, summaries and kinds', () => {
  const events = [text('a'), text('b', 1), text('c', 1, 1), thought('d'), thought('e', 1), text('f')];
  assert.equal(joinPieces(events), events);
});

test('keeps every other event in its place', () => {
  const end: ChatEvent = { type: 'text-end', choice: 0, block: 0 };
  const start: ChatEvent = { type: 'text-start', choice: 0, block: 1 };
  assert.equal(joinPieces([text('a'), text('b'), end, start, text('c', 1), text('d', 1)]), [
    text('ab'),
    end,
    start,
    text('cd', 1),
  ]);
  assert.equal(joinPieces([end]), [end]);
});

test.run();
