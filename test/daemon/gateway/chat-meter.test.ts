import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChatMeter } from '../../../daemon/gateway/chat-meter.ts';
import type { ChatEvent } from '../../../daemon/relay/canonical/chat.ts';

const test = suite('ChatMeter');

function measured(model: string, ...events: ChatEvent[]): ChatMeter {
  const meter = new ChatMeter(model);
  for (const event of events) meter.see(event);
  return meter;
}

test('counts words, calls and made images where the upstream counts nothing', () => {
  const image: ChatEvent = { type: 'image', choice: 0, mediaType: 'image/png', data: 'AAAA' };
  assert.is(measured('gemini-2.5-flash-image', image, image).counted().completion, 2580);
  assert.is(measured('gpt-4o', image).counted().completion, 0);
  const said = measured(
    'gpt-4o',
    { type: 'text-delta', choice: 0, block: 0, text: 'word' },
    { type: 'tool-call-start', choice: 0, block: 1, kind: 'function', callId: 'a', name: ' f' },
  );
  assert.is(said.counted().completion, Math.ceil(1.02 + 0.42 + 1.02) + 7);
});

test('counts a text by the same rule, in however long pieces it comes', () => {
  const text = 'It was 1984 then, 你好 😀\n'.repeat(800);
  const counts = [1, 7, 511, 512, 3000, 8192, 9000, text.length].map((length) => {
    const pieces: ChatEvent[] = [];
    for (let at = 0; at < text.length; at += length) {
      pieces.push({ type: 'text-delta', choice: 0, block: 0, text: text.slice(at, at + length) });
    }
    return measured('gpt-4o', ...pieces, { type: 'text-delta', choice: 0, block: 0, text: 'end' }).counted().completion;
  });
  assert.equal([...new Set(counts)], [counts[0]]);
});

test('takes an answer of white space for blank, and one of anything else for none', () => {
  const say = (text: string): ChatEvent => ({ type: 'text-delta', choice: 0, block: 0, text });
  assert.is(measured('gpt-4o', say(' \n'), say(' '.repeat(600))).isBlank(), true);
  assert.is(measured('gpt-4o', say(' '), say('a'), say(' ')).isBlank(), false);
});

test.run();
