/** A bug in the middle of a call, such as an answer that cannot be written: what was held for it goes back. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../daemon/gateway/exchange.ts';
import { chatRequest, completion } from '../../relay/wire.ts';
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts';
import { GatewayHarness } from '../../support/gateway-harness.ts';

const pipeline = suite('gateway/pipeline');

/** Of a client to which nothing can be written, neither an answer nor why there is none. */
const broken: Sink = {
  headersSent: false,
  gone: false,
  queuedBytes: 0,
  setHeader: () => undefined,
  replaceHeader: () => undefined,
  start: () => undefined,
  write: () => true,
  end: () => undefined,
  answer: () => {
    throw new TypeError('a bug');
  },
  destroy: () => undefined,
  onDrain: () => undefined,
  onGone: () => undefined,
};

pipeline('gives back what was held for a call that ends in a bug', async () => {
  const upstream = await startFakeUpstream(jsonAnswer(completion()));
  const harness = await GatewayHarness.start({ channels: [{ baseUrl: upstream.url, models: 'gpt-4o' }] });
  const before = (await harness.user()).quota;
  const request = {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer sk-${harness.key}`, 'content-type': 'application/json' },
    queryKey: undefined,
    body: Readable.from([Buffer.from(JSON.stringify(chatRequest))]),
    clientAddress: '127.0.0.1',
    pathModel: undefined,
  };
  const endpoint = {
    surface: 'openai',
    capability: 'chat',
    format: 'openai-chat',
    retryClass: 'A',
    rateLimited: true,
  } as const;
  await harness.gateway.handle({ id: 'one', endpoint, request, sink: broken }).catch(() => undefined);
  assert.is(upstream.requests.length, 1);
  assert.equal([(await harness.user()).quota, harness.ledger.openHolds], [before, 0]);
  await harness.stop();
  await upstream.close();
});

pipeline.run();
