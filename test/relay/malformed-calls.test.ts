/** A call that the model could not write is no answer (relay.md 13.2), in every manner of asking. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<World>('relay: malformed calls');
const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 };
const malformed = (parts: unknown[] = [], finishReason = 'MALFORMED_FUNCTION_CALL') => ({
  candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
  usageMetadata,
});

const channelOf = ({ url }: FakeUpstream, id: number) => ({
  id,
  type: 24,
  baseUrl: url,
  models: 'gemini-2.5-flash',
  keys: [`k${id}`],
});

test.before.each(async (world) => {
  world.upstream = await startFakeUpstream();
  world.harness = await GatewayHarness.start({ channels: [channelOf(world.upstream, 1)] });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const body = { model: 'gemini-2.5-flash', messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 };

test('are empty answers where nothing else was said, and cost nothing', async ({ harness, upstream }) => {
  let id = 1;
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    for (const stream of [false, true]) {
      // A channel that failed three times in a row would be paused.
      id += 1;
      harness.setChannels([channelOf(upstream, id)]);
      upstream.script(stream ? sseAnswer([malformed()]) : jsonAnswer(malformed()));
      const answer = await harness.post(path, { ...body, stream });
      assert.is(answer.status, 502, `${path} ${stream}`);
      assert.match(await answer.text(), /empty/i);
    }
  }
  const rows = await harness.rows();
  assert.equal([...new Set(rows.map(({ quota, failed }) => `${quota} ${failed}`))], ['0 true']);
});

test('are told like images that could not be made', async ({ harness, upstream }) => {
  upstream.script(jsonAnswer(malformed([], 'NO_IMAGE')));
  assert.is((await harness.post('/v1/chat/completions', body)).status, 502);
  upstream.script(jsonAnswer(malformed([{ text: 'I cannot draw this.' }], 'IMAGE_OTHER')));
  assert.is((await harness.post('/v1/chat/completions', body)).status, 200);
});

test('end what was said before them', async ({ harness, upstream }) => {
  upstream.script(sseAnswer([malformed([{ text: 'Well' }])]));
  const answer = await harness.post('/v1/chat/completions', { ...body, stream: true });
  assert.is(answer.status, 200);
  assert.match(await answer.text(), /"content":"Well".*"finish_reason":"stop".*\[DONE\]/s);
});

test.run();
