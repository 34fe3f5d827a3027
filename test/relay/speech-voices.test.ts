/** Which voice speaks where OpenAI's words for it are turned into another vendor's (relay.md 5.7). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: voices of speech');
const model = 'gemini-2.5-flash-preview-tts';
const sound = { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: 'AAAA' } };

test.before.each(async (context) => {
  const spoken = { candidates: [{ content: { parts: [sound] }, finishReason: 'STOP' }] };
  context.upstream = await startFakeUpstream(jsonAnswer(spoken));
  context.harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 24, baseUrl: context.upstream.url, models: model }],
    options: { ModelRatio: { [model]: 1 } },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const speak = ({ harness }: Context, voice: unknown) =>
  harness.post('/v1/audio/speech', { model, input: 'hi', response_format: 'wav', voice });

test('a voice that is given by its id is asked for, and none is the vendor’s own', async (context) => {
  for (const voice of ['Puck', { id: 'Puck' }, undefined, null]) assert.is((await speak(context, voice)).status, 200);
  const asked = context.upstream.requests.map(({ body }) => {
    const { speechConfig } = JSON.parse(body.toString()).generationConfig;
    return speechConfig.voiceConfig.prebuiltVoiceConfig.voiceName;
  });
  assert.equal(asked, ['Puck', 'Puck', 'Kore', 'Kore']);
});

test('what names no voice is refused, instead of being spoken and billed with another', async (context) => {
  for (const voice of [5, {}, [], ['Puck'], { id: 5 }]) {
    const refused = await speak(context, voice);
    assert.equal([refused.status, (await refused.json()).error.param], [400, 'voice'], JSON.stringify(voice));
  }
  assert.is(context.upstream.requests.length, 0);
  assert.ok((await context.harness.rows()).every(({ quota }) => quota === 0));
});

test.run();
