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
  assert.is(measured('gemini-2.5-flash-image', image, image).outputTokens(), 2580);
  assert.is(measured('gpt-4o', image).outputTokens(), 0);
  const said = measured(
    'gpt-4o',
    { type: 'text-delta', choice: 0, block: 0, text: 'word' },
    { type: 'tool-call-start', choice: 0, block: 1, kind: 'function', callId: 'a', name: ' f' },
  );
  assert.is(said.outputTokens(), Math.ceil(1.02 + 0.42 + 1.02) + 7);
});

test.run();
