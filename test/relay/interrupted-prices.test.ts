/** What a call with a price of its own costs whose client leaves in its midst (relay.md 15.8). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { someTurns, until } from '../support/until.ts';
import { chatRequest, chunk, roleChunk } from './wire.ts';

const test = suite<{ upstream: FakeUpstream; harness: GatewayHarness }>('relay: prices of interrupted calls');

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({
    channels: [{ id: 1, baseUrl: context.upstream.url, models: 'gpt-4o' }],
    options: { ModelPrice: { 'gpt-4o': 0.1 } },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.settled();
  await harness.stop();
  await upstream.close();
});

const request = { ...chatRequest, model: 'gpt-4o', stream: true };

test('charges no call price to a client that leaves before anything was said', async ({ harness, upstream }) => {
  upstream.script(sseAnswer([roleChunk], { end: 'hang' }));
  const abort = new AbortController();
  const calling = harness.post('/v1/chat/completions', request, { signal: abort.signal });
  await until(() => upstream.open() > 0);
  await someTurns();
  abort.abort();
  await calling.catch(() => undefined);
  const [row] = await harness.rows();
  assert.equal([row?.quota, row?.facts.settle_reason], [0, 'client_gone']);
});

test('charges the whole call price to a client that leaves once something was said', async ({ harness, upstream }) => {
  upstream.script(sseAnswer([roleChunk, chunk({ content: 'word' })], { end: 'hang' }));
  const abort = new AbortController();
  const response = await harness.post('/v1/chat/completions', request, { signal: abort.signal });
  const reader = response.body?.getReader();
  let heard = '';
  while (!heard.includes('word')) heard += Buffer.from((await reader?.read())?.value ?? new Uint8Array()).toString();
  abort.abort();
  const [row] = await harness.rows();
  assert.equal([row?.quota, row?.facts.settle_reason], [50_000, 'client_gone']);
});

test.run();
