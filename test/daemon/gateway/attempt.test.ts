/** One attempt at an upstream: that it ends, whatever goes wrong while its answer is read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Attempt } from '../../../daemon/gateway/attempt.ts';
import { callLane } from '../../../daemon/gateway/call-lane.ts';
import { type OutgoingRequest, type ReplyReceiver, Transport } from '../../../daemon/upstream/transport.ts';
import { embeddingPlan } from '../../support/embedding-plan.ts';

const test = suite('gateway/attempt');

const bug = (): never => {
  throw new RangeError('Maximum call stack size exceeded');
};
const planned = embeddingPlan(callLane({ conversion: undefined, read: bug }));
const plan = { ...planned, adapter: { ...planned.adapter, readFailure: bug } };

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
