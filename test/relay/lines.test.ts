/** Streams of lines, one JSON text each (Ollama), as clients of an event stream see them. Runs once: it looks at the wire. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<World>('relay: streams of lines');

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 4, baseUrl: world.upstream.url, models: 'llama3', setting: '{"ollama_native":true}' }],
    options: { ModelRatio: { llama3: 1 } },
  });
});
test.after(async ({ harness, upstream }) => {
  await harness.settled();
  await harness.stop();
  await upstream.close();
});

const line = (content: string, rest: object = {}) =>
  JSON.stringify({ model: 'llama3', message: { role: 'assistant', content }, done: false, ...rest });
const last = line('', { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 });

for (const [manner, said] of [
  ['streamed', /data: \[DONE\]\n\n$/],
  ['collected', /"content":"Hello"/],
] as const) {
  test(`the last line counts though it lacks its end, ${manner}`, async ({ harness, upstream }) => {
    const headers = { 'content-type': 'application/x-ndjson' };
    upstream.script({ headers, chunks: [`${line('Hel')}\n`, `${line('lo')}\n${last}`] });
    const messages = [{ role: 'user', content: 'hi' }];
    const asked = { model: 'llama3', messages, stream: manner === 'streamed' };
    assert.match(await (await harness.post('/v1/chat/completions', asked)).text(), said);
  });
}

test.run();
