/** What Qwen's realtime sessions keep. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { qwenRealtime } from '../../../../../daemon/relay/providers/ali/realtime.ts';

const test = suite('Qwen’s realtime dialect');

function shows(file: string, times = 1) {
  const picture = { type: 'input_image', image_url: `data:image/jpeg;base64,${file}` };
  return { type: 'conversation.item.create', item: { type: 'message', content: Array(times).fill(picture) } };
}

test('pictures that wait for somebody who says nothing are kept up to a limit, and go with the first sound', () => {
  const small = '/9j/4AAQ';
  const large = small + 'A'.repeat(6 * 1024 * 1024);
  for (const [kept, refused] of [
    [shows(small, 100), shows(small)],
    [shows(large, 2), shows(large)],
  ] as const) {
    const dialect = qwenRealtime({ model: 'qwen3-omni-flash-realtime', manner: 'beta', lose: () => {} });
    dialect?.fromClient(kept);
    assert.throws(() => dialect?.fromClient(refused), /convert_request_failed/);
    const heard = dialect?.fromClient({ type: 'input_audio_buffer.append', audio: '' });
    assert.is(heard?.upstream.length, 1 + kept.item.content.length);
    assert.is(dialect?.fromClient(refused).upstream.length, 1, 'now that something was heard');
  }
});

test.run();
