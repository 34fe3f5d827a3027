/**
 * Errors that Google puts into a list where an answer or an event was due (providers/gemini.md, Streaming): judged, told
 * and hidden as any other. Runs once: it looks at what goes over the wire.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: errors in a list');
const model = 'gemini-2.5-flash';
const busy = [{ error: { code: 429, message: 'Quota exceeded for project quagga', status: 'RESOURCE_EXHAUSTED' } }];
let channel = 0;

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [], options: { ModelRatio: { [model]: 1 } } });
});
test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

/** Status and text of a call in one dialect, to a channel that nothing is known of yet. */
async function asked({ harness, upstream }: Context, answer: Answer, [path, body]: readonly [string, object]) {
  upstream.script(answer);
  channel += 1;
  harness.setChannels([{ id: channel, type: 24, baseUrl: upstream.url, models: model, keys: ['AIza-one'] }]);
  const response = await harness.post(path, body);
  return { status: response.status, text: await response.text() };
}

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const messages = [{ role: 'user', content: 'hi' }];
const calls: readonly (readonly [string, object])[] = [
  [`/v1beta/models/${model}:generateContent`, { contents }],
  [`/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents }],
  [`/v1beta/models/${model}:streamGenerateContent`, { contents }],
  ['/v1/chat/completions', { model, messages }],
  ['/v1/chat/completions', { model, messages, stream: true }],
];

for (const call of calls) {
  test(`${call[0]} ${JSON.stringify(call[1])} is told what a list in a success refuses`, async (context) => {
    for (const status of [200, 429]) {
      const { status: told, text } = await asked(context, jsonAnswer(busy, status), call);
      assert.is(told, 429, text);
      assert.match(text, 'RESOURCE_EXHAUSTED');
      assert.not.match(text, 'quagga');
    }
  });
}

test('a list in a stream ends it, before its first word and behind it', async (context) => {
  const { status, text } = await asked(context, sseAnswer([JSON.stringify(busy)]), calls[1] ?? ['', {}]);
  assert.is(status, 429, text);
  const word = JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] } }] });
  for (const call of calls.slice(1).filter(([path, body]) => path.includes('stream') || 'stream' in body)) {
    const told = await asked(context, sseAnswer([word, JSON.stringify(busy)]), call);
    assert.is(told.status, 200);
    assert.match(told.text, 'hello');
    assert.match(told.text, 'RESOURCE_EXHAUSTED');
    assert.not.match(told.text, 'quagga');
  }
});

test.run();
