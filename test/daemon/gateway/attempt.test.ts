/** One attempt at an upstream: that it ends, whatever goes wrong while its answer is read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Attempt } from '../../../daemon/gateway/attempt.ts';
import { callLane } from '../../../daemon/gateway/call-lane.ts';
import type { Plan } from '../../../daemon/gateway/plan.ts';
import { cohere } from '../../../daemon/relay/providers/cohere/index.ts';
import { type OutgoingRequest, type ReplyReceiver, Transport } from '../../../daemon/upstream/transport.ts';

const test = suite('gateway/attempt');

const bug = (): never => {
  throw new RangeError('Maximum call stack size exceeded');
};
const plan: Plan = {
  adapter: { ...cohere, readFailure: bug },
  call: {
    capability: 'embeddings',
    format: 'cohere-embeddings',
    model: 'embed-v4.0',
    stream: false,
    baseUrl: 'https://upstream.example',
    other: '',
    organization: undefined,
    setting: {},
    settings: {},
    options: {},
  },
  names: {
    bare: 'embed-v4.0',
    upstream: 'embed-v4.0',
    isMapped: false,
    isLiteral: false,
    reasoningEffort: undefined,
  },
  lane: callLane({ conversion: undefined, read: bug }),
  request: {
    method: 'POST',
    destination: { url: 'https://upstream.example/v2/embed', proxy: undefined, egress: 'channel', connectMs: 0 },
    headers: [],
    body: Buffer.from('{}'),
    timeouts: { headersMs: 0, firstTokenMs: 0, idleMs: 0, totalMs: 0 },
  },
  droppedFields: [],
  hasStreamOptions: false,
  isPseudoStream: false,
};

/** Answers at once with a status and an object. */
class AnsweringTransport extends Transport {
  readonly #status: number;

  constructor(status: number) {
    super({ guard: { allow: [], channelAllowPrivate: false } });
    this.#status = status;
  }

  override send(_: OutgoingRequest, receiver: ReplyReceiver) {
    receiver.onHead(this.#status, { 'content-type': 'application/json' });
    receiver.onData(Buffer.from('{}'));
    receiver.onEnd();
    return { abort: () => {}, pause: () => {}, resume: () => {}, tokenSeen: () => {} };
  }
}

for (const [what, status] of [
  ['an answer', 200],
  ['a refusal', 400],
] as const) {
  test(`fails when whoever reads ${what} has a bug, instead of waiting for ever`, async () => {
    const transport = new AnsweringTransport(status);
    const result = await new Attempt(plan, { wantsStream: false, nowMs: Date.now }).run(transport);
    assert.is(result.kind, 'failed');
    if (result.kind !== 'failed') return;
    assert.is(result.failed.failure.fields.code, 'bad_response_body');
    assert.match(result.failed.failure.fields.operatorText, /call stack size/);
    await transport.destroy();
  });
}

test.run();
