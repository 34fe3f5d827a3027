/** Upstreams that never stop talking: what a conversion keeps of an answer has an end (relay.md 17.3). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chunk } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: endless answers');

const megabyte = 1024 * 1024;
const words = 'a'.repeat(megabyte);
const event = (delta: Record<string, unknown>) => `data: ${JSON.stringify(chunk(delta))}\n\n`;
const argument = event({ tool_calls: [{ index: 0, function: { arguments: words } }] });
const nameless = event({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { arguments: words } }] });
const called = event({
  role: 'assistant',
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } }],
});
/** More than may be read, so that whoever reads to the end can be told from who does not. */
const much = 200;

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream({});
  context.harness = await GatewayHarness.start({ channels: [], options: { ModelPrice: { 'gpt-4o-mini': 0.01 } } });
  context.harness.setChannels([
    { id: 1, type: 1, baseUrl: context.upstream.url, models: 'gpt-4o-mini', keys: ['sk-upstream'] },
  ]);
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function pour({ upstream }: Context, first: string, more: string): void {
  const headers = { 'content-type': 'text/event-stream' };
  upstream.script({ headers, chunks: [first, ...Array.from({ length: much }, () => more)], end: 'hang' });
}

test('a call whose arguments never end breaks a stream that must tell calls whole', async (context) => {
  pour(context, called, argument);
  const response = await context.harness.post('/v1beta/models/gpt-4o-mini:streamGenerateContent?alt=sse', {
    contents: [{ role: 'user', parts: [{ text: 'look' }] }],
  });
  const text = await response.text();
  assert.match(text.slice(-400), '"error":{"code":502');
  await context.upstream.requests[0]?.aborted;
});

test('so does one whose name never comes', async (context) => {
  pour(context, event({ role: 'assistant', content: 'Let me see.' }), nameless);
  const question = [{ role: 'user', content: 'look' }];
  const asked = { model: 'gpt-4o-mini', max_tokens: 9, stream: true, messages: question };
  const text = await (await context.harness.post('/v1/messages', asked)).text();
  assert.match(text.slice(-400), 'event: error');
  await context.upstream.requests[0]?.aborted;
});

test('an endless answer that is collected for a client who waits for all of it is refused', async (context) => {
  pour(context, event({ role: 'assistant', content: '' }), event({ content: words }));
  const asked = { model: 'gpt-4o-mini', max_tokens: 9, messages: [{ role: 'user', content: 'talk' }] };
  const response = await context.harness.post('/v1/messages', asked);
  assert.is(response.status, 502, (await response.text()).slice(0, 300));
  await context.upstream.requests[0]?.aborted;
});

test.run();
