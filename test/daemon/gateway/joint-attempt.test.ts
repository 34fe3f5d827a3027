/** Parts of one call, asked beside each other (relay.md 5.5, 5.6): what ends them, and that nothing waits for ever. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callLane, callWhole } from '../../../daemon/gateway/call-lane.ts';
import { signedPlan } from '../../../daemon/gateway/division.ts';
import { JointAttempt } from '../../../daemon/gateway/joint-attempt.ts';
import type { CallAnswer } from '../../../daemon/relay/call-format.ts';
import type { RequestDraft } from '../../../daemon/upstream/auth/index.ts';
import {
  type OutgoingRequest,
  type ReplyReceiver,
  Transport,
  TransportError,
} from '../../../daemon/upstream/transport.ts';
import { embeddingPlan } from '../../support/embedding-plan.ts';

const test = suite('gateway/joint-attempt');

const answer: CallAnswer = { body: Buffer.from('{}'), contentType: 'application/json', usage: undefined };
const lane = callLane({ conversion: undefined, read: () => answer });
const plan = embeddingPlan(lane);
const { request } = plan;

/** Keeps what is sent; nothing is answered until the test does. */
class HeldTransport extends Transport {
  readonly sent: { readonly receiver: ReplyReceiver; isAborted: boolean }[] = [];

  constructor() {
    super({ guard: { allow: [], channelAllowPrivate: false } });
  }

  override send(_: OutgoingRequest, receiver: ReplyReceiver) {
    const one = { receiver, isAborted: false };
    this.sent.push(one);
    return {
      abort: () => {
        one.isAborted = true;
      },
      pause: () => {},
      resume: () => {},
      tokenSeen: () => {},
    };
  }

  answer(place: number, status = 200): void {
    const receiver = this.sent[place]?.receiver;
    receiver?.onHead(status, { 'content-type': 'application/json' });
    receiver?.onData(Buffer.from('{"message":"no"}'));
    receiver?.onEnd();
  }

  get aborted(): number {
    return this.sent.filter(({ isAborted }) => isAborted).length;
  }
}

function attemptOf(parts: number) {
  const transport = new HeldTransport();
  const division = {
    parts: Array.from({ length: parts - 1 }, () => ({ lane, request })),
    join: () => callWhole(answer, undefined),
    consumed: () => undefined,
  };
  const attempt = new JointAttempt(plan, division, { wantsStream: false, nowMs: () => 0 });
  return { transport, attempt, ending: attempt.run(transport) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('asks a few parts at a time, and is answered when all of them are', async () => {
  const { transport, attempt, ending } = attemptOf(6);
  assert.is(transport.sent.length, 4);
  for (const place of [3, 0, 2, 1]) transport.answer(place);
  await settled();
  assert.is(transport.sent.length, 6);
  transport.answer(5);
  await settled();
  transport.answer(4);
  const { kind } = await ending;
  assert.is(kind, 'reply');
  assert.ok((attempt.firstOutputMs ?? 0) > 0 && attempt.ageMs >= 0);
});

test('ends with the first refusal: what runs is called off, what waits is never sent', async () => {
  const { transport, ending } = attemptOf(9);
  transport.answer(0);
  await settled();
  transport.answer(1, 429);
  const result = await ending;
  assert.is(result.kind === 'failed' && result.failed.failure.fields.status, 429);
  assert.is(transport.sent.length, 5);
  // Nobody needs to abort what has answered, though it does no harm.
  assert.ok(transport.aborted >= 3);
});

test('is called off as a whole, and tells whether a part had been answered', async () => {
  const early = attemptOf(6);
  early.attempt.callOff();
  assert.equal(await early.ending, { kind: 'called-off', answered: false });
  assert.is(early.transport.sent.length, 4);
  const late = attemptOf(6);
  late.transport.answer(2);
  await settled();
  late.attempt.callOff();
  assert.equal(await late.ending, { kind: 'called-off', answered: true });
});

test('does not outlive the node, even when a part is answered at the very moment', async () => {
  const { transport, attempt, ending } = attemptOf(8);
  transport.answer(0);
  attempt.interrupt();
  const result = await ending;
  assert.is(result.kind === 'failed' && result.failed.failure.fields.code, 'shutting_down');
  assert.is(transport.sent.length, 4);
});

test('fails with a part whose connection breaks, as a single call would', async () => {
  const { transport, ending } = attemptOf(2);
  transport.sent[1]?.receiver.onError(new TransportError('reset', true));
  const result = await ending;
  assert.is(result.kind === 'failed' && result.failed.nature, 'broken');
});

test('keeps the authorization that an operator sets where a key signs, or trades itself for another', async () => {
  const sign = async (draft: RequestDraft) => ({ ...draft, headers: [...draft.headers, 'authorization', 'signed'] });
  const headersOf = async (headers: string[]) => {
    const signed = await signedPlan({ request: { ...request, headers } }, sign);
    return signed.request.headers;
  };
  assert.equal(await headersOf(['x-own', 'a']), ['x-own', 'a', 'authorization', 'signed']);
  assert.equal(await headersOf(['authorization', 'mine']), ['authorization', 'mine']);
});

test.run();
