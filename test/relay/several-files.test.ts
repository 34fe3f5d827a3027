/** Uploads that bring more files than the one that is transcribed: its length alone is what costs (relay.md 5.8). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import * as sounds from '../support/sound-files.ts';

const test = suite('relay: uploads of several files');

test('bills the recording, whatever other files stand around it', async () => {
  const { shippedOptionDefaults } = await import('../../daemon/domain/options.ts');
  const upstream = await startFakeUpstream();
  const { ModelRatio = {} } = shippedOptionDefaults();
  const harness = await GatewayHarness.start({ channels: [], options: { ModelRatio } });
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models: 'whisper-1', keys: ['sk-upstream'] }]);
  try {
    upstream.script(jsonAnswer({ text: 'hello' }));
    const form = new FormData();
    for (const [name, seconds] of [
      ['note', 1],
      ['file', 61.2],
      ['more', 1],
    ] as const) {
      form.append(name, new Blob([new Uint8Array(sounds.wav(seconds))], { type: 'audio/wav' }), 'a.wav');
    }
    form.append('model', 'whisper-1');
    const answer = await fetch(`${harness.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${harness.key}` },
      body: form,
    });
    assert.is(answer.status, 200);
    const [row] = await harness.rows();
    assert.equal([row?.quota, row?.promptTokens], [3099, 1033]);
  } finally {
    await harness.stop();
    await upstream.close();
  }
});

test.run();
